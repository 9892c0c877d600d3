"""The committee of the SWAG paper: four small models that know style, and their ensemble (section 3.4)."""
