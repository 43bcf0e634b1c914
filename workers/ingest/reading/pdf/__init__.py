"""Reads PDFs: glyphs to lines, lines to regions in the order of reading, regions to blocks."""
