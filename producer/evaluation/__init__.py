"""Measure search and answers on questions whose answers and gold passages are known."""
