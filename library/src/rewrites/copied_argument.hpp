#pragma once
// An argument whose tensors are channels-last copies: which tensors are copied, where in the
// workspace, and the argument of the kernel.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "rewrites/channel_copy.hpp"
#include <optional>
#include <span>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// check_argument(), and for problems that are copied: tensors of at most 2^50 elements, so that no
/// number of bytes overflows, however far channels are padded.
Support check_copied(const ConvArgument& argument);

/// The number of channels in copies.
enum class CopiedChannels
{
    own,   ///< the number in the tensors
    padded ///< padded with zeros if these do not fill vectors
};

/// A copy, and the tensor's address.
struct CopiedTensor
{
    ChannelCopy how;
    const void* tensor;
    std::size_t at; ///< offset in the workspace, in bytes
};

/// The result of preparing an argument with, or without, a workspace.
struct CopiedArgument
{
    Support valid; ///< why no copies are made; if it refuses, nothing else is set
    std::vector<CopiedTensor> read;
    std::optional<CopiedTensor> result;
    std::size_t copied_bytes = 0; ///< bytes of all copies; a multiple of 128, as are the offsets
    /// The kernel's argument. Its workspace follows the copies.
    ConvArgument inner{};

    /// Copies tensors that are not channels last and, with `padded`, those whose channels are
    /// padded. Padding needs one group and operands without element-wise operations, since it adds
    /// products of zeros; and no D tensors, which are not padded.
    static CopiedArgument
    of(const Family& family, const ConvArgument& argument, CopiedChannels channels);
};

/// The half of layout_converted_kernels_of() with such channels.
std::span<const ConvKernel> kernels_on_copies(const Family& family, CopiedChannels channels);

} // namespace ck::tensor_operation::device::instance
