#pragma once
// Kernels under test of the direction that the program tests: forward or backward data. x and y are
// the convolution's tensors or their gradients.
#include "ck/convolution/folded_width.hpp"
#include "ck/host_utility/hip_check_error.hpp"

#include "convolution/channel_epilogue.hpp"
#include "convolution/lattice/instance.hpp"
#include <array>
#include <stdexcept>
#include <type_traits>

// A program has one of these, see cmake/tests.cmake.
#if defined(CK_TEST_FORWARD)
#include "convolution/forward/operations.hpp"
#elif defined(CK_TEST_BACKWARD_DATA)
#include "convolution/backward_data/operations.hpp"
#else
#error "CK_TEST_FORWARD or CK_TEST_BACKWARD_DATA says which direction is tested"
#endif

namespace ck::test {

/// A problem of 1x1 whose reduction is over `depth` channels of a group, and whose result has
/// `columns`.
inline ConvProblem one_tap_problem(long_index_t groups,
                                   long_index_t images,
                                   long_index_t depth,
                                   long_index_t columns,
                                   std::array<long_index_t, 2> pixels,
                                   PackedOrder order = PackedOrder::group_inside)
{
    const bool forward = tested_direction == Direction::forward;
    return make_packed_problem<2>(groups,
                                  images,
                                  forward ? columns : depth,
                                  forward ? depth : columns,
                                  {1, 1},
                                  {pixels[0], pixels[1]},
                                  {1, 1},
                                  {1, 1},
                                  {0, 0},
                                  {0, 0},
                                  order);
}

/// Problems without groups, packed channel-last, through the operation without; others
/// through that for groups. See by_every_operation.
template <class T, GemmTuning value>
class InstanceOf : public Instance
{
    static_assert(std::is_same_v<typename Operation<2, T, value>::Kernel,
                                 typename GroupedOperation<3, T, value>::Kernel>);

public:
    explicit InstanceOf(const char* engine) : Instance(tested_direction, engine, type_of<T>, value)
    {}

    std::string refusal(const ConvProblem& p) const override
    {
        std::string reason;
        with_argument(p, nullptr, nullptr, nullptr, [&](auto& op, const device::BaseArgument* a) {
            reason = op.WhyNotSupported(a);
            if(op.IsSupportedArgument(a) != reason.empty())
                throw std::logic_error("supported, and why not: " + reason);
        });
        return reason;
    }
    void run(const ConvProblem& p, void* x, void* w, void* y) const override
    {
        with_argument(p, x, w, y, [](auto& op, const device::BaseArgument* argument) {
            op.MakeInvokerPointer()->Run(argument);
        });
        HIP_CHECK_ERROR(hipDeviceSynchronize());
    }
    void expect_right_epilogue([[maybe_unused]] const ConvProblem& p) const override
    {
        using Kernels =
            device::ConvOperation<device::ForwardDirection,
                                  device::ConvTypes<T, T, T, PassThrough, PassThrough, PassThrough>,
                                  value>;
        if constexpr(tested_direction == Direction::forward)
            if constexpr(Kernels::Launcher::epilogue.any)
            {
                const OnDevice<T> x(p.input_lengths(), p.input_strides, 1, false),
                    w(p.filter_lengths(), p.filter_strides, 2, false);
                typename Kernels::Argument argument{};
                argument.problem = fold_width(p, false); // as operations get it
                argument.a       = x.pointer();
                argument.b       = w.pointer();
                test::expect_right_epilogue<Kernels>(
                    argument, [](const auto& a) { Kernels::run(a, StreamConfig{}); });
            }
    }
    std::string name() const override { return GroupedOperation<3, T, value>{}.GetTypeString(); }

private:
    /// f(operation, argument)
    template <class F>
    static void with_argument(const ConvProblem& p, void* x, void* w, void* y, const F& f)
    {
        const auto grouped = [&](auto rank) {
            GroupedOperation<rank, T, value> op;
            f(op, make_grouped_argument<decltype(op), rank>(p, x, w, y).get());
        };
        if constexpr(by_every_operation(value))
            with_rank(p.rank, [&](auto rank) {
                Operation<rank, T, value> op;
                if(is_plain(p))
                    f(op, make_argument<decltype(op)>(p, x, w, y).get());
                else
                    grouped(rank);
            });
        else
            grouped(Number<3>{});
    }
};

/// A tuning under test; wave_m, wave_n: of a wave's tile.
constexpr GemmTuning tuning_of(arch::Matrix instruction,
                               Tile block_tile,
                               index_t wave_m,
                               index_t wave_n,
                               Vectors vectors,
                               Pipeline pipeline,
                               Reduction reduction = Reduction::by_tap,
                               index_t stages      = GemmTuning{}.stages)
{
    return {.block_tile  = block_tile,
            .wave_m      = wave_m,
            .wave_n      = wave_n,
            .instruction = instruction,
            .a_vector    = vectors.a,
            .b_vector    = vectors.b,
            .c_vector    = vectors.c,
            .pipeline    = pipeline,
            .stages      = stages,
            .reduction   = reduction};
}

// The kernels of each engine: in the direction's folder, in the file of the engine.
void add_xdl(Instances&);
void add_wmma(Instances&);
void add_mma(Instances&);
void add_dl(Instances&);

/// Adds the tunings of one engine.
template <class T, GemmTuning first, GemmTuning... more>
void add(Instances& all, const char* engine)
{
    add_instances<InstanceOf, T, first, more...>(all, engine);
}

} // namespace ck::test
