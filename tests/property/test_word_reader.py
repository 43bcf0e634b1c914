"""Whatever stands in the parts of a Word file: it is read, or refused with a sentence, and text that Word shows is kept."""
