// error: #error "?ck-conv needs C[+][+]20
// options: -std=c++17
// The same for ck/conv.hpp.
#include "ck/conv.hpp"

ck::ConvSpec spec{.n = 1};
