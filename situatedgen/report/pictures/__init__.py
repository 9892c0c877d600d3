"""Pictures as a few plain shapes, written as SVG and as PNG."""
