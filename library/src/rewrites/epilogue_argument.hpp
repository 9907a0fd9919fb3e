#pragma once
// An argument whose operation on the result is a formula that plain kernels, or a launch after
// them, can compute: the formula, and what it reads and writes.
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include "rewrites/separate_epilogue_launches.hpp"

namespace ck::tensor_operation::device::instance {

using EpilogueParts = element_wise::ChannelEpilogue::Parts;

/// Whether a kernel computes, or does not compute, an epilogue of these parts: a function of its
/// own for each answer, by which lists of kernels are kept.
using KernelQuestion = bool (*)(const ConvKernel&);
KernelQuestion kernels_that_compute(const EpilogueParts& parts, bool do_compute = true);

/// The operation of kernels to whose sums the epilogue is applied.
inline constexpr element_wise::PassThrough no_operation{};

/// The same operands without an operation on the result.
Family without_operation(Family family);

/// Whether the family can have such arguments.
bool has_epilogue_argument(const Family& family);

/// The tensor that a direction writes.
Role result_role(Direction direction);

struct EpilogueArgument
{
    Support valid;           ///< why there is none; then nothing else is set
    EpilogueLaunch launch{}; ///< for sums in the place of the result
    void* c = nullptr;       ///< the result

    static EpilogueArgument of(const Family& family, const ConvArgument& argument);

    /// Whether the formula adds D tensor i.
    bool is_added(std::size_t i) const
    {
        const auto& operation = launch.operation;
        return (i == 0 ? operation.place1 : operation.place2) !=
               element_wise::ConvEpilogue::Place::nowhere;
    }
    /// Throws std::runtime_error if the result has elements and it, or a D tensor, is null.
    void require_tensors() const;

private:
    Support check_tensors(const Family& family, ConvArgument argument) const;
};

} // namespace ck::tensor_operation::device::instance
