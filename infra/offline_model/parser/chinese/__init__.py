"""Reads texts in Chinese, which has neither capitals nor spaces to recognise names by."""
