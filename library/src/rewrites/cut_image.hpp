#pragma once
// Kernels of images that are too large for one launch: see rewrites/image_pieces.hpp.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// Of an argument whose images are cut, kernels that compute piece after piece, named "CutImage<",
/// the kernel's name, ">"; else none. They live as long as the program. dW's pieces are sums of f32
/// (of f64: f64), which are added up in their order in the workspace, in the room of two dW, and
/// rounded once.
std::vector<const ConvKernel*> kernels_on_pieces(const Family& family,
                                                 const ConvArgument& argument);

/// How such an argument is cut, "each image into 6 pieces, 3 along D, 2 along H"; else empty.
std::string cut_in_words(const Family& family, const ConvArgument& argument);

/// Why large images of a family are not cut, for a problem that a launch does not reach.
std::string why_not_cut(const Family& family, const ConvProblem& problem);

} // namespace ck::tensor_operation::device::instance
