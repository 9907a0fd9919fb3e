// error: #error "?ck/distributed.hpp needs exceptions
// options: -fno-exceptions
// Ranks report lost ranks by exceptions.
#include "ck/distributed.hpp"
