"""Run-time errors between the cores of a block, and between blocks: the codes from R901 on."""

ROWS = (
    (
        "PTO-R901",
        "all cores wait: deadlock",
        "Every unfinished core waits for a tile, an empty slot, a counter or a barrier that no core will "
        "provide, so the device hangs. The picture shows what each core waits for, and where.",
    ),
    (
        "PTO-R902",
        "tiles are left in a channel",
        "As many tiles are popped as are pushed, on every core that takes part. What is left is found by the "
        "next kernel.",
    ),
    (
        "PTO-R903",
        "a popped slot is never given back",
        "A slot that is not freed is lost for the producer: when all are, it waits for ever.",
    ),
    (
        "PTO-R904",
        "a slot is given back that was not popped",
        "Each `tfree` gives back the oldest slot that was popped, once.",
    ),
    (
        "PTO-R905",
        "a popped tile is used after its slot was given back",
        "Once a slot is free the producer fills it again: what the tile's name stands for then is another "
        "tile. On a2a3 a pop copies into a ring of its own, and a later pop may overwrite it there.",
    ),
    (
        "PTO-R906",
        "a tile is popped with another split than it was pushed with",
        "The cores would take parts that are not theirs.",
    ),
    (
        "PTO-R907",
        "a tile is popped as another type than it was pushed as",
        "A slot holds bytes: element type, row length and layout are what both sides have agreed on.",
    ),
    (
        "PTO-R908",
        "a tile is larger than a slot",
        "It would overwrite the next slot.",
    ),
    (
        "PTO-R909",
        "a ring does not lie where it can be",
        "The slots of a channel lie inside the memory that they are given, and both sides mean the same "
        "bytes.",
    ),
    (
        "PTO-R910",
        "a channel is not there",
        "A channel is declared on both sides, under the numbers that the instructions name, before it is "
        "used.",
    ),
    (
        "PTO-R911",
        "a vector core does what is the other one's",
        "Of a channel whose tiles are not split only vector core 0 takes part on A5: the other one would "
        "wait for ever. A half belongs to the core that `aiv_subblockid` names.",
    ),
    (
        "PTO-R912",
        "a counter between cores can't count that",
        "Counters have four bits: set more often than awaited by 15, one of them is lost.",
    ),
    (
        "PTO-R913",
        "a counter is set and never awaited",
        "It stays set, and lets the next kernel go on too early.",
    ),
    (
        "PTO-R914",
        "cores disagree on a barrier",
        "All cores of the kind that a `syncall` names come to it equally often; who comes once more waits "
        "for ever.",
    ),
    (
        "PTO-R915",
        "two cores of a block touch the same bytes in no order",
        "Cube and vector cores run at the same time, and one of the two writes what the other touches: on a "
        "device either may come first. A channel orders them, or a counter that one sets and the other "
        "awaits.",
    ),
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
    (
        "PTO-R918",
        "the result depends on the order in which cores go on",
        "Two orders gave different results, so that something is not ordered that has to be.",
    ),
    (
        "PTO-R919",
        "a channel is declared twice on one core",
        "Its counts would begin anew while tiles are under way.",
    ),
    (
        "PTO-R920",
        "a counter is awaited that nobody sets",
        "Whoever could set it has finished: with another number, too few times, or on a core that the "
        "counter does not count for.",
    ),
    (
        "PTO-R921",
        "a channel is full, and nobody pops",
        "The producer pushes more tiles than the channel has slots and the other side pops: it waits for "
        "ever.",
    ),
    (
        "PTO-R922",
        "a tile is popped that nobody pushes",
        "The producer has finished, and the channel is empty: whoever pops waits for ever.",
    ),
    (
        "PTO-R925",
        "a slot is filled that was not asked for",
        "Slots of views are asked for by `talloc`, filled by stores and then pushed, one after the other.",
    ),
    (
        "PTO-R926",
        "the workspace of a soft barrier is not empty",
        "It counts those who have come, from 0; a rest of something else ends a barrier too early.",
    ),
    (
        "PTO-R132",
        "scales of columns are words of 64 bits",
        "The pipe reads 8 bytes for each column, whatever type the tile is declared with; `verify` warns.",
    ),
    (
        "PTO-R950",
        "a column of an accumulator has no scale",
        "Scales belong to the columns of the accumulator, and those of a part begin with its first column: "
        "behind the last one the pipe reads what lies there.",
    ),
    (
        "PTO-R927",
        "a push has no scale",
        "A channel whose pushes quantise wants a scale before them, and only such a channel takes one. A "
        "tile of scales is not overwritten before the push, which reads it.",
    ),
    (
        "PTO-R930",
        "vector cores push different tiles where one is meant",
        "On a2a3 both vector cores push a tile that is not split, into the same bytes: the cube core gets "
        "the one that was written last.",
    ),
)
