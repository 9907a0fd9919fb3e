#pragma once
// Grouped forward convolutions.
#include "common/grouped_conv_fwd.hpp"
