#pragma once
// Forward convolutions are grouped ones with one group.
#include "../07_grouped_convnd_fwd/common.hpp"
