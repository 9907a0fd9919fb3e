#pragma once
// Forward convolutions are grouped ones with one group.
#include "common/grouped_conv_fwd.hpp"
