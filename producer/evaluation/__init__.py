"""Measures search and answers on questions with known answers and gold passages."""
