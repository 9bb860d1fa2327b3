"""The front of `run`: arguments, generated values, checks of results, reports."""
