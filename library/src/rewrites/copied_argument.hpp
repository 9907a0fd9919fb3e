#pragma once
// An argument whose tensors lie in channels-last copies: which tensors are copied, where in the
// workspace, and what the kernel is told.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "rewrites/channel_copy.hpp"
#include <optional>
#include <vector>

namespace ck::tensor_operation::device::instance {

/// check_argument(), and of problems that are copied: tensors of at most 2^50 elements, so that no
/// number of bytes overflows, however far channels are filled up.
Support check_copied(const ConvArgument& argument);

/// How many channels copies have.
enum class CopiedChannels
{
    own,   ///< the tensors'
    filled ///< where these fill no vector, more, which are zeros
};

/// A copy, and the tensor's address.
struct CopiedTensor
{
    ChannelCopy how;
    const void* tensor;
    std::size_t at; ///< of the workspace, bytes
};

/// Made of an argument with, or without, a workspace.
struct CopiedArgument
{
    Support valid; ///< why no copies are made; nothing else is set where it is not
    std::vector<CopiedTensor> read;
    std::optional<CopiedTensor> result;
    std::size_t copied_bytes = 0; ///< of all copies; a multiple of 128, as is where each begins
    /// The kernel's. Its workspace is what follows the copies.
    ConvArgument inner{};

    /// Copied is what is not channels last and, of `filled`, what has channels to fill up. That
    /// needs one group and operands that are multiplied as they are, since it adds products of
    /// zeros; and no D tensors, which have no more channels.
    static CopiedArgument
    of(const Family& family, const ConvArgument& argument, CopiedChannels channels);
};

} // namespace ck::tensor_operation::device::instance
