#pragma once
// What programs of convolutions share, as one header: sizes of a problem with its arithmetic
// operations and bytes (ConvParam), and descriptors of its packed tensors.
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
