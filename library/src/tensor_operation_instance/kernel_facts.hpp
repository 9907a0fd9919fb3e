#pragma once
// What is known about a kernel without asking it. Each kernel's checks and model are separate code,
// megabytes in all, which are not in any cache when a new problem comes: nine out of ten kernels
// are ruled out by the one function below instead.
#include "ck/convolution/direction.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/tensor_operation/operator_transform/limits.hpp"

#include <cstddef>
#include <optional>

namespace ck::tensor_operation::device::instance {

/// What is known in advance about a kernel with one A and one B tensor.
struct KernelFacts
{
    GemmTuning tuning;
    Direction direction;
    ElementBytes bytes;       ///< bytes of an element of X, W and Y
    std::size_t shared_bytes; ///< for a block
    bool sees_patches;        ///< whether it treats patches as lines, see see_patches()
};

/// Whether a kernel surely refuses the argument, or takes at least AskedArgument::below.
bool is_ruled_out(const KernelFacts& kernel, const AskedArgument& asked);

/// ConvKernel::predict_if_supported(), unless the kernel is ruled out.
inline std::optional<double> ask(const ConvKernel& kernel, const AskedArgument& asked)
{
    if(kernel.facts != nullptr && is_ruled_out(*kernel.facts, asked))
        return std::nullopt;
    return kernel.predict_if_supported(asked);
}

} // namespace ck::tensor_operation::device::instance
