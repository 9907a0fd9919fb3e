#pragma once
// What programs with convolutions share, as one header: the sizes of a problem, its operations and
// bytes (ConvParam), and descriptors of its contiguous tensors.
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
