// error: #error "?f8_t and bf8_t are FNUZ on every target: CK_USE_OCP_FP8 must be 0
// options: -DCK_USE_OCP_FP8=1
// A client that expects Composable Kernel's f8_t in OCP's encoding must not silently get another
// one.
#include "ck/utility/data_type.hpp"
