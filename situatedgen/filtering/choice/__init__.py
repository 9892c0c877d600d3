"""Situated choice: four pairs of sentences made of the same keywords, of which one is true."""
