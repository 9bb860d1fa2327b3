"""Helpers for xDSL's IR that know no dialect: names of values and cloning.

This is the only package that uses names which are private to xDSL, each with its reason: there is no public
way to the same.
"""
