#pragma once
// The tunings of backward data, the only hand-written part of its instances: a row here is an
// operation of the library for each of 1, 2 and 3 spatial dimensions. instances.cmake says which
// table is built where.
//
// A table is named engine_type and ordered by preference; engine_type_any has the rows for any
// channel counts, and its first row takes every problem.
#include "tables/backward_data/dl.hpp"
#include "tables/backward_data/mma.hpp"
#include "tables/backward_data/wmma.hpp"
#include "tables/backward_data/xdl.hpp"
