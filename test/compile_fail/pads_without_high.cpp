// error: write both, low and high: \{1, 1\}
// One number is not a pad: it used to be the low one, with a high one of 0.
#include "ck/conv.hpp"

#ifdef CK_CONTROL
const ck::ConvSpec spec{.input = {5, 5}, .filter = {3, 3}, .pads = {{1, 1}, {1, 1}}};
#else
const ck::ConvSpec spec{.input = {5, 5}, .filter = {3, 3}, .pads = {{1}, {1}}};
#endif
