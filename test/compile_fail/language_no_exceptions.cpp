// error: #error "?ck-conv's device interface needs exceptions and RTTI
// options: -fno-exceptions
// A client without exceptions gets one sentence, and the compiler stops.
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
