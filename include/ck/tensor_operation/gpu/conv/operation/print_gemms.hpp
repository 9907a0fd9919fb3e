#pragma once
// What Print() of an operation shows: the lengths of the matrices that a launch multiplies, in
// Composable Kernel's terms.
#include "ck/arch/matrix_table.hpp"
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"

#include <cstdio>
#include <string>

namespace ck::tensor_operation::device {

/// Prints A as [K0, M, K1], B as [K0, N, K1] and C as [M, N]: the lengths of the descriptors of a
/// valid problem's launch for one group and `batch` images. For backward data there is one such
/// line for each phase (residue modulo the strides), most taps first. k1: adjacent elements along
/// the reduction; the channels of each tap are padded to a multiple of it.
template <class Direction>
std::string describe_gemms(const ConvProblem& p, index_t batch, index_t k1)
{
    const auto gemms = Direction::OfMaps::make(p, batch);
    std::string text;
    const auto line = [&](const char* name, std::initializer_list<index_t> lengths) {
        text += std::string("arg.") + name + "_container_{";
        const char* separator = "";
        for(const index_t length : lengths)
        {
            text += separator + std::to_string(length);
            separator = ", ";
        }
        text += "}\n";
    };
    for(index_t i = 0; i < gemms.phase_count(); ++i)
    {
        const auto phase = gemms.make_phase(i, batch);
        const auto k0    = [&] {
            if constexpr(Direction::c == Role::filter)
                return math::integer_divide_ceil(phase.reduction, k1);
            else
                return phase.tap_count *
                       math::integer_divide_ceil(phase.a.template extent<2>(), k1);
        }();
        line("a_grid_desc_k0_m_k1", {k0, phase.a.template extent<0>(), k1});
        line("b_grid_desc_k0_n_k1", {k0, phase.b.template extent<0>(), k1});
        line("c_grid_desc_m_n", {phase.c.template extent<0>(), phase.c.template extent<1>()});
    }
    return text;
}

/// Prints them for an argument of Operation, a ConvOperation or a BackwardWeightOperation, or says
/// why there are no such matrices.
template <class Operation, class Argument>
void print_gemms(const Argument& a)
{
    using Direction        = typename Operation::Direction;
    const ConvProblem& p   = a.problem;
    const ElementBytes own = Operation::element_bytes;
    const Support possible = a.valid ? Direction::check(p, own) : a.valid;
    if(!possible)
    {
        std::printf("arg: %s\n", possible.reason.c_str());
        return;
    }
    const auto batch = static_cast<index_t>(
        math::min(p.batch, static_cast<long_index_t>(Direction::largest_batch(p, own))));
    constexpr index_t k1 = 16 / arch::input_bytes(Operation::tuning.instruction);
    std::fputs(describe_gemms<Direction>(p, batch, k1).c_str(), stdout);
}

} // namespace ck::tensor_operation::device
