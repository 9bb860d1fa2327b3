// A small reference of the instruction library, for tests only: declarations and meaning as the documents
// give them, with their static checks for one target, as plain loops.
#pragma once

#include "reference/convert.hpp"
#include "reference/families.hpp"
#include "reference/gather.hpp"
#include "reference/blocks.hpp"
#include "reference/irregular.hpp"
#include "reference/memory.hpp"
#include "reference/vector.hpp"
