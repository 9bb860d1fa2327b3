"""What is known of a program before it runs: constants, names, storage, lifetimes, order. No target here."""
