#pragma once
// One Inf or NaN in an operand, and where it shows in the result: see docs/inf_and_nan.md.
#include "ck/library/reference_tensor_operation/cpu/convolution_loops.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "convolution/nonfinite/meeting.hpp"
#include "devices.hpp"
#include "placed_memory.hpp"
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace ck::test {

using tensor_operation::device::BackwardDataDirection;
using tensor_operation::device::BackwardWeightDirection;
using tensor_operation::device::ForwardDirection;
using tensor_operation::element_wise::PassThrough;

/// A tensor in device memory, of small integers.
template <class T>
struct Small
{
    Small(const TensorLengths& of, const TensorStrides& with, unsigned seed)
        : lengths(of),
          strides(with),
          host(size()),
          memory(host.size() * sizeof(T))
    {
        std::mt19937 random(seed);
        for(T& x : host)
            x = type_convert<T>(static_cast<float>(random() % 5) - 2);
        send();
    }
    void send() { memory.ToDevice(host.data()); }
    void fetch() { memory.FromDevice(host.data()); }
    T* pointer() const { return static_cast<T*>(memory.GetDeviceBuffer()); }
    T& operator[](const TensorLengths& index) { return host[offset_of(index, strides)]; }

    /// As floats, packed in the order of these dimensions, of which the last is the fastest.
    std::vector<float> packed(const std::array<std::size_t, 6>& order) const
    {
        std::vector<float> values(static_cast<std::size_t>(element_count(lengths)));
        const TensorStrides to = ck::detail::packed_strides(lengths, order);
        for(long_index_t i = 0; i < element_count(lengths); ++i)
        {
            const TensorLengths at    = index_of(i, lengths);
            values[offset_of(at, to)] = type_convert<float>(host[offset_of(at, strides)]);
        }
        return values;
    }

    TensorLengths lengths;
    TensorStrides strides;
    std::vector<T> host;
    PlacedMemory memory;

private:
    std::size_t size() const
    {
        TensorLengths last = lengths;
        for(long_index_t& i : last)
            --i;
        return offset_of(last, strides) + 1;
    }
};

/// What the CPU's plain loops make of A and B: elements of C by their place.
template <class Direction, class A, class B, class C>
std::vector<double>
by_loops(const ConvProblem& p, const Small<A>& a, const Small<B>& b, Small<C>& c)
{
    using namespace tensor_operation::host;
    constexpr std::array<std::size_t, 6> pixels{0, 1, 3, 4, 5, 2}, to_k{0, 3, 4, 5, 2, 1},
        to_c{0, 3, 4, 5, 1, 2};
    std::vector<double> result(c.host.size());
    const auto store = [&](const TensorLengths& at, double sum) {
        result[offset_of(at, c.strides)] = sum;
    };
    const auto store_pixel = [&](auto g, auto n, auto d, auto h, auto w, const double* sums) {
        for(long_index_t i = 0; i < c.lengths[2]; ++i)
            store({g, n, i, d, h, w}, sums[i]);
    };
    if constexpr(Direction::c == Role::output)
        convolution_forward(
            p, p.output(), a.packed(pixels).data(), b.packed(to_k).data(), store_pixel);
    else if constexpr(Direction::c == Role::input)
        convolution_backward_data(
            p, p.output(), a.packed(pixels).data(), b.packed(to_c).data(), store_pixel);
    else
        convolution_backward_weight(
            p,
            p.output(),
            b.packed(pixels).data(),
            a.packed(pixels).data(),
            [&](auto g, auto k, auto c_in, auto z, auto y, auto x, double sum) {
                store({g, k, c_in, z, y, x}, sum);
            });
    return result;
}

/// A convolution of which elements of the operands become Inf or NaN, one after the other. run():
/// computes C.
template <class Direction, class A, class B, class C>
class NonFinite
{
public:
    explicit NonFinite(const ConvProblem& p)
        : a(lengths_of(p, Direction::a), strides_of(p, Direction::a), 1),
          b(lengths_of(p, Direction::b), strides_of(p, Direction::b), 2),
          c(lengths_of(p, Direction::c), strides_of(p, Direction::c), 3),
          problem_(p)
    {}

    template <class Run>
    void check(const Run& run)
    {
        check_operand(Direction::a, Direction::a_name, a, run);
        check_operand(Direction::b, Direction::b_name, b, run);
    }

    Small<A> a;
    Small<B> b;
    Small<C> c;
    double factor = 1; ///< factor of the result
    /// Whether Inf in X may make NaN of dW where it is a factor: segments of windows share rows of
    /// X.
    bool segments_of_x = false;
    /// Whether X meets the zeros that extend dY: dY has no padding, so that most kernels skip them.
    bool continues_dy = false;

private:
    /// The first element, the last, and two more.
    template <class T, class Run>
    void check_operand(Role role, const char* name, Small<T>& operand, const Run& run)
    {
        constexpr float inf      = std::numeric_limits<float>::infinity(),
                        nan      = std::numeric_limits<float>::quiet_NaN();
        const long_index_t count = element_count(operand.lengths);
        for(const auto& [number, value] :
            {std::pair{0 * count, nan}, {count - 1, inf}, {count / 3, -inf}, {count * 5 / 8, nan}})
        {
            const TensorLengths e = index_of(number, operand.lengths);
            SCOPED_TRACE(testing::Message()
                         << value << " in " << name << " at " << testing::PrintToString(e));
            const T before = operand[e];
            operand[e]     = type_convert<T>(value);
            operand.send();
            c.memory.fill(0xFF);
            run();
            compare(role, e);
            operand[e] = before;
            operand.send();
        }
    }

    void compare(Role role, const TensorLengths& e)
    {
        const std::vector<double> expected = by_loops<Direction>(problem_, a, b, c);
        c.fetch();
        long_index_t loops_wrong = 0, wrong[3]{};
        for(long_index_t i = 0; i < element_count(c.lengths); ++i)
        {
            const TensorLengths at = index_of(i, c.lengths);
            const Meeting m        = meeting(problem_, role, e, Direction::c, at);
            const double target    = factor * expected[offset_of(at, c.strides)];
            const auto got         = static_cast<double>(type_convert<float>(c[at]));
            const bool same        = got == target || (got != got && target != target);
            const bool beyond_dy =
                m == Meeting::padding && Direction::c == Role::filter && role == Role::input;
            const bool continued_dy = beyond_dy && continues_dy;
            loops_wrong += std::isfinite(target) != (m == Meeting::none || beyond_dy);
            const bool shared = segments_of_x && m != Meeting::none && role == Role::input;
            wrong[static_cast<int>(m)] += !same && !((continued_dy || shared) && got != got);
        }
        EXPECT_EQ(loops_wrong, 0) << "of the CPU's loops";
        EXPECT_EQ(wrong[0], 0) << "that have nothing to do with it";
        EXPECT_EQ(wrong[1], 0) << "where it meets padding";
        EXPECT_EQ(wrong[2], 0) << "of which it is a factor";
    }

    ConvProblem problem_;
};

/// Forward or backward data by one kernel.
template <class Direction, class T, GemmTuning tuning, class Compute = T>
void check(const std::vector<ConvProblem>& problems)
{
    using namespace tensor_operation::device;
    using Operation = ConvOperation<
        Direction,
        ConvTypes<T, T, T, PassThrough, PassThrough, PassThrough, Tuple<>, Compute, Compute>,
        tuning>;
    for(const ConvProblem& p : problems)
    {
        SCOPED_TRACE(text(p));
        NonFinite<Direction, T, T, T> test(p);
        typename Operation::Argument argument{};
        argument.problem = p;
        argument.a       = test.a.pointer();
        argument.b       = test.b.pointer();
        argument.c       = test.c.pointer();
        const Support s  = Operation::supports(argument);
        CK_SKIP_WITHOUT(requirement_of(tuning), s.reason);
        ASSERT_EQ(s.reason, "");
        const PlacedMemory workspace(Operation::workspace_size(argument));
        test.check([&] {
            workspace.fill(0xFF);
            Operation::run(argument, StreamConfig{}, workspace.GetDeviceBuffer());
        });
    }
}

/// Backward weight by one kernel, whole and in three parts.
template <class T, GemmTuning tuning, class Compute = T>
void check_weight(const std::vector<ConvProblem>& problems)
{
    using namespace tensor_operation::device;
    using Operation = BackwardWeightOperation<
        ConvTypes<T, T, float, PassThrough, PassThrough, PassThrough, Tuple<>, Compute, Compute>,
        tuning>;
    for(const ConvProblem& p : problems)
        for(const index_t split_k : {1, 3})
        {
            SCOPED_TRACE(testing::Message() << text(p) << ", split_k " << split_k);
            NonFinite<BackwardWeightDirection, T, T, float> test(p);
            test.segments_of_x = tuning.pipeline == Pipeline::sliding_window;
            test.continues_dy  = tuning.pipeline == Pipeline::halo_tiles ||
                                tuning.pipeline == Pipeline::channel_slices;
            typename Operation::Argument argument{};
            argument.problem = p;
            argument.a       = test.a.pointer();
            argument.b       = test.b.pointer();
            argument.c       = test.c.pointer();
            argument.split_k = split_k;
            Operation::make_plan(argument);
            const Support s = Operation::supports(argument, true);
            CK_SKIP_WITHOUT(requirement_of(tuning), s.reason);
            ASSERT_EQ(s.reason, "");
            const PlacedMemory workspace(Operation::workspace_size(argument));
            test.check([&] {
                workspace.fill(0xFF);
                Operation::run(argument, StreamConfig{}, workspace.GetDeviceBuffer());
            });
        }
}

} // namespace ck::test
