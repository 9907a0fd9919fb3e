#pragma once
// Kernels that copy by tensor maps, in all directions, against the definition.
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "convolution/channel_epilogue.hpp"
#include "devices.hpp"
#include "host_utility/named_addresses.hpp"
#include <optional>
#include <random>
#include <sstream>
#include <vector>

namespace ck::test {

using tensor_operation::element_wise::PassThrough;

constexpr GemmTuning
map_tuning(arch::Matrix id, index_t m, index_t n, index_t stages, index_t c_vector = 8)
{
    const index_t bytes = arch::input_bytes(id);
    return {.block_tile  = {m, n, 128 / bytes},
            .wave_m      = 16,
            .wave_n      = n,
            .instruction = id,
            .a_vector    = 16 / bytes,
            .b_vector    = 16 / bytes,
            .c_vector    = c_vector,
            .pipeline    = Pipeline::tensor_maps,
            .stages      = stages};
}

/// Dense problems with channels that the maps take; the stride in each dimension is at most 2.
struct Draw
{
    std::mt19937 random;
    bool by_pixels           = false; // backward weight
    long_index_t most_stride = 2;
    long_index_t pack        = 8; // elements of which channels are multiples
    long_index_t most_taps   = 3; // taps in each dimension

    long_index_t operator()(long_index_t low, long_index_t high)
    {
        return std::uniform_int_distribution<long_index_t>(low, high)(random);
    }

    ConvProblem problem(index_t rank)
    {
        ConvProblem p;
        do
        {
            p              = {};
            p.rank         = rank;
            p.batch        = (*this)(1, 3);
            p.out_channels = pack * (*this)(1, 160 / pack);
            p.in_channels =
                by_pixels && most_taps > 1 ? 64 * (*this)(1, 2) : pack * (*this)(1, 160 / pack);
            for(std::size_t i = 3 - static_cast<std::size_t>(rank); i < 3; ++i)
            {
                p.filter[i]   = (*this)(1, most_taps);
                p.input[i]    = (*this)(1, rank == 1 ? 150 : rank == 2 ? 14 : 6);
                p.stride[i]   = (*this)(1, most_stride);
                p.dilation[i] = (*this)(1, 3);
                p.pad_low[i]  = (*this)(-2, 2);
                p.pad_high[i] = (*this)(-2, 2);
            }
        } while(element_count(p.output_lengths()) == 0);
        set_packed_strides(p);
        if((*this)(0, 3) == 0) // images with something between them
        {
            p.input_strides[1] += pack;
            p.output_strides[1] += 3 * pack;
        }
        return p;
    }
};

inline std::string text(const ConvProblem& p)
{
    std::ostringstream s;
    s << "rank " << p.rank << " N " << p.batch << " K " << p.out_channels << " C " << p.in_channels;
    for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
        s << " | filter " << p.filter[i] << " input " << p.input[i] << " stride " << p.stride[i]
          << " dilation " << p.dilation[i] << " pads " << p.pad_low[i] << ' ' << p.pad_high[i];
    return s.str();
}

/// The last rows of tiles of a plan in `partial_sums` partial sums each.
template <class Plan>
tensor_operation::device::SplitPlan tail_of(const Plan& plan, index_t rows, index_t partial_sums)
{
    const auto& tiles = plan.params.tiles;
    return {1, rows * static_cast<index_t>(tiles.size() / tiles.row_tiles.value), partial_sums};
}

/// The operation of a direction on tensors of T.
template <class Direction, class T, GemmTuning tuning, class Compute = T>
using MapOperation = tensor_operation::device::ConvOperation<
    Direction,
    tensor_operation::device::
        ConvTypes<T, T, T, PassThrough, PassThrough, PassThrough, Tuple<>, Compute, Compute>,
    tuning>;

/// Forward and backward data, an Operation without D tensors, by run(argument): the reason, where
/// the problem is refused.
template <class Operation>
Support expect_right_run_by(const ConvProblem& p, void (*run)(const typename Operation::Argument&))
{
    using namespace tensor_operation::device;
    using Direction        = typename Operation::Direction;
    constexpr bool forward = std::is_same_v<Direction, ForwardDirection>;
    const OnDevice<typename Operation::A> a(
        lengths_of(p, Direction::a), strides_of(p, Direction::a), 1, false);
    const OnDevice<typename Operation::B> b(
        lengths_of(p, Direction::b), strides_of(p, Direction::b), 2, false);
    OnDevice<typename Operation::C> c(
        lengths_of(p, Direction::c), strides_of(p, Direction::c), 3, true, c_alignment<Operation>),
        expected(lengths_of(p, Direction::c), strides_of(p, Direction::c), 3, true);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a       = a.pointer();
    argument.b       = b.pointer();
    argument.c       = c.pointer();
    if(const Support s = Operation::supports(argument); !s)
        return s;
    run(argument);
    if constexpr(forward)
        ref::naive_conv_fwd(p, a.pointer(), b.pointer(), expected.pointer());
    else
        ref::naive_conv_bwd_data(p, expected.pointer(), b.pointer(), a.pointer());
    EXPECT_EQ(mistakes(c, expected), 0u);
    if constexpr(Operation::Launcher::epilogue.any)
        expect_right_epilogue<Operation>(argument, run);
    return {};
}

/// The launches of an argument, with all addresses moved by `bytes` bytes.
template <class Operation>
void add(LaunchList& list,
         typename Operation::Argument argument,
         std::uintptr_t bytes,
         void* workspace = nullptr)
{
    argument.a = test::after(argument.a, bytes);
    argument.b = test::after(argument.b, bytes);
    argument.c = test::after(argument.c, bytes);
    if constexpr(requires { argument.epilogue; })
    {
        argument.epilogue.bias     = test::after(argument.epilogue.bias, bytes);
        argument.epilogue.residual = test::after(argument.epilogue.residual, bytes);
    }
    Operation::add(list, argument, test::after(workspace, bytes));
}

template <class Operation>
Support expect_right_of(const ConvProblem& p)
{
    return expect_right_run_by<Operation>(p, [](const typename Operation::Argument& argument) {
        Operation::run(argument, StreamConfig{});
        test::expect_named_addresses(
            [&](LaunchList& list, std::uintptr_t bytes) { add<Operation>(list, argument, bytes); });
    });
}

template <class Direction, class T, GemmTuning tuning, class Compute = T>
Support expect_right(const ConvProblem& p)
{
    return expect_right_of<MapOperation<Direction, T, tuning, Compute>>(p);
}

/// Backward weight with a workspace: the reason, where the problem is refused. plan: instead of
/// what split_k comes to.
template <class T, GemmTuning tuning, class Compute = T, class Weight = float>
Support expect_right_weight(const ConvProblem& p,
                            index_t split_k,
                            std::optional<tensor_operation::device::SplitPlan> plan = {})
{
    using namespace tensor_operation::device;
    using Operation = BackwardWeightOperation<
        ConvTypes<T, T, Weight, PassThrough, PassThrough, PassThrough, Tuple<>, Compute, Compute>,
        tuning>;
    const OnDevice<T> x(p.input_lengths(), p.input_strides, 1, false),
        dy(p.output_lengths(), p.output_strides, 2, false);
    OnDevice<Weight> dw(p.filter_lengths(), p.filter_strides, 3, true),
        expected(p.filter_lengths(), p.filter_strides, 3, true);
    typename Operation::Argument argument{};
    argument.problem = p;
    argument.a       = dy.pointer();
    argument.b       = x.pointer();
    argument.c       = dw.pointer();
    argument.split_k = split_k;
    Operation::make_plan(argument);
    argument.plan.split = plan.value_or(argument.plan.split);
    if(const Support s = Operation::supports(argument, true); !s)
        return s;
    const PlacedMemory workspace(Operation::workspace_size(argument));
    if(tuning.maps.transposed_first && workspace.GetBufferSize() > 0)
    {
        EXPECT_NE(Operation::supports(argument, false).reason.find("dY is transposed"),
                  std::string::npos);
    }
    workspace.fill(0xFF);
    Operation::run(argument, StreamConfig{}, workspace.GetDeviceBuffer());
    test::expect_named_addresses([&](LaunchList& list, std::uintptr_t bytes) {
        add<Operation>(list, argument, bytes, workspace.GetDeviceBuffer());
    });
    ref::naive_conv_bwd_weight(p, x.pointer(), expected.pointer(), dy.pointer());
    EXPECT_EQ(mistakes(dw, expected), 0u);
    return {};
}

/// Draws problems of all ranks until `count` of each were computed; fails if four times as many are
/// refused before, or one by a reason without `word`. Skips on a device without wgmma, where run()
/// must refuse.
template <class Run>
void for_problems(Draw draw, int count, const Run& run, const char* word = "tensor maps")
{
    CK_SKIP_WITHOUT(arch::Requirement::wgmma, run(Draw(draw).problem(1)).reason);
    for(index_t rank = 1; rank <= 3; ++rank)
    {
        int ran = 0, refused = 0;
        while(ran < count && refused < 4 * count)
        {
            const ConvProblem p = draw.problem(rank);
            SCOPED_TRACE(text(p));
            const Support s = run(p);
            (s ? ran : refused) += 1;
            if(!s)
            {
                EXPECT_NE(s.reason.find(word), std::string::npos) << s.reason;
            }
        }
        EXPECT_EQ(ran, count) << "rank " << rank;
    }
}

} // namespace ck::test
