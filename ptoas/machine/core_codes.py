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
        "Every pushed tile must be popped on every core that takes part; the next kernel would pop "
        "the remaining ones.",
    ),
    (
        "PTO-R903",
        "a popped slot is never freed",
        "The producer can't use a slot that is not freed: when all slots are in use, it waits for ever.",
    ),
    (
        "PTO-R904",
        "a slot is freed that was not popped",
        "Each `tfree` frees the oldest popped slot, once.",
    ),
    (
        "PTO-R905",
        "a popped tile is used after its slot was freed",
        "The producer fills a free slot again, so the name then refers to another tile. On a2a3 a pop "
        "copies the tile into a separate ring, where a later pop may overwrite it.",
    ),
    (
        "PTO-R906",
        "a tile is popped with another split than it was pushed with",
        "The cores would take the wrong parts of the tile.",
    ),
    (
        "PTO-R907",
        "a tile is popped as another type than it was pushed as",
        "A slot holds bytes: element type, row length and layout must be the same on both sides.",
    ),
    (
        "PTO-R908",
        "a tile is larger than a slot",
        "It would overwrite the next slot.",
    ),
    (
        "PTO-R909",
        "a ring is at an invalid address",
        "The slots of a channel must lie inside the memory they are assigned, at the same address on "
        "both sides.",
    ),
    (
        "PTO-R910",
        "a channel is not declared",
        "A channel must be declared on both sides before it is used, with the number that the "
        "instructions name.",
    ),
    (
        "PTO-R911",
        "a vector core uses a tile of the other one",
        "On A5 only vector core 0 takes part in a channel whose tiles are not split; the other one "
        "would wait for ever. A half belongs to the core that `aiv_subblockid` names.",
    ),
    (
        "PTO-R912",
        "a counter between cores overflows",
        "Counters have four bits: a counter that is set 16 times more often than it is awaited loses one.",
    ),
    (
        "PTO-R913",
        "a counter is set and never awaited",
        "It stays set, so the next kernel may continue too early.",
    ),
    (
        "PTO-R914",
        "cores disagree on a barrier",
        "All cores of the kind that a `syncall` names must reach it equally often; a core that "
        "reaches it once more waits for ever.",
    ),
    (
        "PTO-R915",
        "two cores of a block touch the same bytes in no order",
        "Cube and vector cores run at the same time, and one of the two writes what the other "
        "accesses: on a device either may come first. Order them by a channel, or by a counter that "
        "one sets and the other awaits.",
    ),
    (
        "PTO-R916",
        "a buffer token is not acquired and released in order",
        "A pipe that acquires a token which another pipe releases only later in the program waits for "
        "ever. A token that is not held can't be released, and a token that is held at the end blocks "
        "the next kernel.",
    ),
    (
        "PTO-R917",
        "an event id that the program chose does not exist",
        "There are eight events, 0 to 7, and an array of event ids holds only those stored in it.",
    ),
    (
        "PTO-R918",
        "the result depends on the order of the cores",
        "Two orders gave different results, so conflicting accesses are not ordered.",
    ),
    (
        "PTO-R919",
        "a channel is declared twice on one core",
        "A second declaration restarts the counts of slots while tiles are in the channel.",
    ),
    (
        "PTO-R920",
        "a counter is awaited that nothing sets",
        "The cores that could set it have finished: they set another number, set it too few times, or "
        "are not counted.",
    ),
    (
        "PTO-R921",
        "a channel is full and nothing pops",
        "The producer pushes more tiles than the channel has slots and the consumer pops, so it waits "
        "for ever.",
    ),
    (
        "PTO-R922",
        "a tile is popped that nothing pushes",
        "The producer has finished and the channel is empty, so the consumer waits for ever.",
    ),
    (
        "PTO-R925",
        "a slot is filled that was not allocated",
        "Slots of views must be allocated by `talloc`, filled by stores and then pushed, in this order.",
    ),
    (
        "PTO-R926",
        "the workspace of a soft barrier is not empty",
        "The workspace counts the cores that have arrived, from 0; any other value ends a barrier too early.",
    ),
    (
        "PTO-R132",
        "scales of columns are not 64-bit words",
        "The pipe reads 8 bytes for each column, whatever the type of the tile; `verify` warns.",
    ),
    (
        "PTO-R950",
        "a column of an accumulator has no scale",
        "Scales belong to the columns of the accumulator, and those of a part begin with its first "
        "column; beyond the last one the pipe reads other data.",
    ),
    (
        "PTO-R927",
        "a push has no scale",
        "A channel whose pushes quantise needs a scale before them; other channels take none. A tile "
        "of scales must not be overwritten before the push, which reads it.",
    ),
    (
        "PTO-R930",
        "vector cores push different tiles into one slot",
        "On a2a3 both vector cores push a tile that is not split into the same bytes: the cube core "
        "gets the one that was written last.",
    ),
)
