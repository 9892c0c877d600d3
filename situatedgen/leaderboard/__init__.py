"""All systems that were scored, side by side with the paper's: for the terminal and as a page."""
