// error: #error "?f8_t and bf8_t are FNUZ on every target: CK_USE_OCP_FP8 must be 0
// options: -DCK_USE_OCP_FP8=1
// A client that has Composable Kernel's f8_t in OCP's encoding: not in silence another one.
#include "ck/utility/data_type.hpp"
