// error: #error "?ck-conv needs C[+][+]20
// options: -std=c++17
// A client that is built as C++17 gets one sentence, and the compiler stops.
#include "ck/ck.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

ck::half_t half = 1;
