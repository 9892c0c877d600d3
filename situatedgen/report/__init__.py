"""What people read of a build: tables, figures, card, dataset folder."""
