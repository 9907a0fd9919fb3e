// error: #error "?ck/distributed.hpp needs exceptions
// options: -fno-exceptions
// Ranks tell of lost ones by exceptions.
#include "ck/distributed.hpp"
