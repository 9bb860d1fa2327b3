"""Mutation of our own code: each small change to a module should turn some test red.

`python -m tests.mutation --room remap` makes the mutants of one room, one at a time and in memory alone, runs
the tests that execute the changed line, and lists the mutants that no test notices. A survivor is killed by a
new test, or explained in `survivors.md`; the command fails while there is one that is neither.
"""
