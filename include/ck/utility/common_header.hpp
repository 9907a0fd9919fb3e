#pragma once
// Composable Kernel's path for its basic types: all of them at once.
#include "ck/utility/data_type.hpp"
#include "ck/utility/integer.hpp"
#include "ck/utility/magic_division.hpp"
#include "ck/utility/math_v2.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/numeric_limits.hpp"
#include "ck/utility/sequence.hpp"
#include "ck/utility/tuple.hpp"
#include "ck/utility/type.hpp"
#include "ck/utility/type_convert.hpp"
#include "ck/utility/vector.hpp"
