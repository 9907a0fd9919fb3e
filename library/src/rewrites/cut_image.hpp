#pragma once
// Kernels for images that are too large for one launch or workspace: see rewrites/image_pieces.hpp.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <string>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// For an argument whose images are cut: kernels that compute one piece after another, named
/// "CutImage<", the kernel's name, ">"; otherwise empty. They are valid until the program ends.
/// Pieces of dW are sums in f32 (f64 for f64), added up in order in the workspace, which has room
/// for two dW, and rounded once.
std::vector<const ConvKernel*> kernels_on_pieces(const Family& family,
                                                 const ConvArgument& argument);

/// How the argument is cut, "each image into 6 pieces, 3 along D, 2 along H"; otherwise empty.
std::string cut_in_words(const Family& family, const ConvArgument& argument);

/// Why large images of a family are not cut, for a problem that one launch cannot address.
std::string why_not_cut(const Family& family, const ConvProblem& problem);

} // namespace ck::tensor_operation::device::instance
