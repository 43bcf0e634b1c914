// Drops the full-text index over names, to be made anew for other labels.
DROP INDEX hopline_names IF EXISTS
