"""What ptoas costs, beside what it could be done with instead. `make bench` runs all of it."""
