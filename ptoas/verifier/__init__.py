"""Checking modules against the rules of their targets."""
