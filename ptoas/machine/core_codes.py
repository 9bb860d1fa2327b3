"""What can go wrong between the cores of a block, and between blocks: the codes of a run from R901 on."""

ROWS = (
    (
        "PTO-R916",
        "the token of a buffer is not taken and given back in turn",
        "A pipe that takes a token which another pipe gives back only later in the program waits for ever; "
        "a token that is not held can't be given back, and one that is still held at the end stops the next "
        "kernel.",
    ),
    (
        "PTO-R917",
        "an event id that the program chose does not exist",
        "There are eight events, 0 to 7, and an array of event ids holds only what was put into it.",
    ),
)
