// error: #error "?ck-conv's device interface needs exceptions and RTTI
// options: -fno-rtti
// A client without RTTI gets one sentence, and the compiler stops.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
