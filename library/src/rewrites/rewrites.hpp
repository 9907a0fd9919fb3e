#pragma once
// The rewrites: kernels that compute an argument of a family as another problem, with launches
// before and after it. kernels_for.cpp says which of them a selection considers. Each function
// returns the kernels, which are valid until the program ends, or none if the rewrite is not for
// the argument. The source file of its name says how it works; names of kernels begin with the
// rewrite's, in quotes below, and contain the name of the kernel that runs.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// The kernels of a rewrite: those of one family, and of another on channels-last copies.
using RewrittenKernels = std::vector<std::span<const ConvKernel>>;

/// "AsFloats<": computes tf32 with the kernels of f32, unrounded.
RewrittenKernels as_floats(const Family& family, const ConvArgument& argument);

/// "Upcast<": computes int8 or e4m3 floats as f16 in the workspace, and 8-bit OCP floats with
/// results of f32 by exact_upcast(). Not sums of int8 that f32 might not hold exactly.
RewrittenKernels upcast(const Family& family, const ConvArgument& argument);
/// The family that multiplies 8-bit OCP floats, of one type or two, as bf16 and stores sums of f32.
Family exact_upcast(const Family& family);

/// "DepthToSpace<": dX of few channels by forward kernels, which compute blocks of pixels as the
/// channels of one pixel.
RewrittenKernels depth_to_space(const Family& family, const ConvArgument& argument);

/// "FoldedWidth<": patches whose columns are additional channels; also on copies that pad these. A
/// filter that covers dX is a patch, except on NVIDIA GPUs.
RewrittenKernels folded_width(const Family& family, const ConvArgument& argument);

/// "Im2col<": the 1x1 kernels on a matrix of patches in the workspace.
RewrittenKernels im2col(const Family& family, const ConvArgument& argument);

/// "Tf32x3<": products of floats as three of tf32, where tensors are large enough to gain.
std::span<const ConvKernel> tf32x3(const Family& family, const ConvArgument& argument);

/// "TapByTap<": backward data whose taps reach only a small part of dX.
std::span<const ConvKernel> tap_by_tap(const Family& family, const ConvArgument& argument);

/// "ChannelsFirst1x1<": filters of one tap on contiguous pixels, each direction as matrix products
/// by a kernel of another direction.
std::span<const ConvKernel> pointwise_channels_first(const Family& family,
                                                     const ConvArgument& argument);

/// "FusedEpilogue<", for a family with an operation on the result: the kernels of the family
/// without it that take a ChannelEpilogue.
RewrittenKernels fused_epilogue(const Family& family, const ConvArgument& argument);
/// The parts of such an epilogue; empty if the argument's operation is none.
std::optional<element_wise::ChannelEpilogue::Parts>
fused_epilogue_parts(const Family& family, const ConvArgument& argument);

/// "SeparateEpilogue<", for a family with an operation on the result: the kernels of the family
/// without it, each followed by a launch that applies it.
RewrittenKernels separate_epilogue(const Family& family, const ConvArgument& argument);
/// Whether the name is that of such a kernel, or of one that computes pieces with it: sums are
/// rounded to the result's type before the operation, and again after it.
inline bool has_separate_epilogue(std::string_view kernel)
{
    constexpr std::string_view of_pieces = "CutImage<";
    if(kernel.starts_with(of_pieces))
        kernel.remove_prefix(of_pieces.size());
    return kernel.starts_with("SeparateEpilogue<");
}

} // namespace ck::tensor_operation::device::instance
