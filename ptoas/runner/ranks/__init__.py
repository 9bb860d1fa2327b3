"""Several ranks: in one process, and one process a rank over MPI."""
