// A block's threads copy slices of an operand to LDS: every element of the view, and zeros where it
// has none, also with an operation that does not map zero to zero.
#include "ck/tensor_operation/gpu/thread/operand_copy.hpp"

#include "ck/arch/index.hpp"
#include "ck/arch/kernel.hpp"
#include "ck/arch/sync.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/tensor_operation/gpu/block/lds_layout.hpp"
#include "ck/tensor_operation/gpu/block/reduction_cursor.hpp"
#include "ck/tensor_operation/operator_transform/backward_data.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::thread {
namespace {

using block::Contiguous;
using block::LdsLayout;
using block::OperandShape;
using tensor_operation::element_wise::PassThrough;

struct PlusOne
{
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        y = type_convert<Y>(type_convert<float>(x) + 1.f);
    }
};

struct Third // rounds
{
    template <class Y, class X>
    CK_HOST_DEVICE constexpr void operator()(Y& y, const X& x) const
    {
        y = type_convert<Y>(type_convert<float>(x) * (1.f / 3.f));
    }
};

constexpr LdsLayout layout_of(const OperandShape& s)
{
    return {s.rows, s.k / s.pack(), s.pack(), s.piece_rows(), s.piece_rows() > 1 ? 1 : 0, 3};
}

/// Copies all slices of rows first_row ... of one phase's A (dY) or B (W) and writes each, [row,
/// k], to `result`.
template <bool is_a,
          OperandShape shape,
          class Source,
          class Element,
          class Operation,
          class Compute>
struct CopySlices
{
    using View = std::conditional_t<is_a, BackwardData::Phase::A, BackwardData::Phase::B>;
    static constexpr LdsLayout layout = layout_of(shape);

    static constexpr index_t block_size            = shape.threads;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;
    struct Params
    {
        View view;
        const Source* base;
        Element* result;
        Operation operation;
        index_t first_row;
    };
    struct SharedStorage
    {
        alignas(16) Element slice[layout.size()];
        PlaceEntry<View> rows[shape.rows];
    };
    CK_DEVICE static void run(const Params& p, SharedStorage& shared)
    {
        const index_t t = arch::thread_index();
        for(index_t r = t; r < shape.rows; r += block_size)
            shared.rows[r] =
                place_entry<View>(p.view.template part<0>(p.first_row + r), sizeof(Source));
        arch::block_sync();
        OperandCopy<shape, layout, View, Source, Element, Operation, Compute> copy(
            p.view, shared.rows, p.base, p.operation, t);
        const index_t taps = p.view.template extent<1>(), length = p.view.template extent<2>();
        block::ReductionCursor<shape.k> cursor{.length = length};
        const index_t slices = block::ReductionCursor<shape.k>::slices(taps, length);
        copy.select_tap(0); // g++ 12 does not see that the first slice begins a tap
        for(index_t s = 0; s < slices; ++s)
        {
            cursor.advance([&](index_t tap) { copy.select_tap(tap); },
                           [&] { copy.move_k(shape.k); },
                           [&](index_t left) { copy.limit_k(left); });
            copy.fetch();
            copy.stage(shared.slice);
            arch::block_sync();
            constexpr auto placed = layout; // device code must not name members in memory
            for(index_t i = t; i < shape.rows * shape.k; i += block_size)
                p.result[s * shape.rows * shape.k + i] =
                    shared.slice[placed.element(i / shape.k, i % shape.k)];
            arch::block_sync();
        }
    }
};

template <class T>
struct Device
{
    explicit Device(const std::vector<T>& values) : size(values.size() * sizeof(T))
    {
        HIP_CHECK_ERROR(hipMalloc(&data, size));
        HIP_CHECK_ERROR(hipMemcpy(data, values.data(), size, hipMemcpyHostToDevice));
    }
    ~Device() { static_cast<void>(hipFree(data)); }
    Device(const Device&)            = delete;
    Device& operator=(const Device&) = delete;
    T* data                          = nullptr;
    std::size_t size;
};

template <bool is_a,
          OperandShape shape,
          class Source,
          class Element,
          class Compute = void,
          class Operation>
void check(const ConvProblem& p, Operation operation)
{
    using Kernel = CopySlices<is_a, shape, Source, Element, Operation, Compute>;
    static_assert(why_not(shape) == nullptr);
    const BackwardData transform = BackwardData::make(p, static_cast<index_t>(p.batch));
    std::vector<Source> tensor(
        static_cast<std::size_t>(element_count(is_a ? p.output_lengths() : p.filter_lengths())));
    for(std::size_t i = 0; i < tensor.size(); ++i)
        tensor[i] = type_convert<Source>(static_cast<float>(i % 120 + 1)); // never 0
    const Device<Source> source(tensor);
    for(index_t number = 0; number < transform.phase_count(); ++number)
    {
        const auto phase           = transform.make_phase(number, static_cast<index_t>(p.batch));
        typename Kernel::View view = [&] {
            if constexpr(is_a)
                return phase.a;
            else
                return phase.b;
        }();
        const index_t length = view.template extent<2>();
        const index_t slices =
            block::ReductionCursor<shape.k>::slices(view.template extent<1>(), length);
        if(slices == 0)
            continue;
        for(index_t first_row = 0; first_row < view.template extent<0>(); first_row += shape.rows)
        {
            std::vector<Element> result(static_cast<std::size_t>(slices * shape.rows * shape.k),
                                        type_convert<Element>(-5.f));
            const Device<Element> out(result);
            HIP_CHECK_ERROR(arch::launch<Kernel>(
                1, nullptr, {view, source.data, out.data, operation, first_row}));
            HIP_CHECK_ERROR(hipDeviceSynchronize());
            HIP_CHECK_ERROR(hipMemcpy(result.data(), out.data, out.size, hipMemcpyDeviceToHost));
            index_t wrong = 0;
            for(index_t i = 0; i < static_cast<index_t>(result.size()); ++i)
            {
                const index_t in_slice = i % (shape.rows * shape.k), s = i / (shape.rows * shape.k);
                const index_t in_tap = math::integer_divide_ceil(length, shape.k);
                const index_t row    = in_slice / shape.k,
                              k      = s % in_tap * shape.k + in_slice % shape.k;
                const Place place    = view(first_row + row, s / in_tap, k);
                float expected       = 0;
                if(place.valid)
                {
                    std::conditional_t<std::is_void_v<Compute>, float, Compute> rounded;
                    operation(rounded, tensor[static_cast<std::size_t>(place.offset)]);
                    expected = type_convert<float>(rounded);
                }
                const float got = type_convert<float>(result[static_cast<std::size_t>(i)]);
                if(!(got == expected) && ++wrong <= 3)
                    ADD_FAILURE() << "phase " << number << " row " << first_row + row << " tap "
                                  << s / in_tap << " k " << k << " is " << got << ", not "
                                  << expected;
            }
            EXPECT_EQ(wrong, 0);
        }
    }
}

ConvProblem problem(long_index_t k, long_index_t c)
{
    return make_packed_problem<2>(1, 2, k, c, {3, 2}, {9, 7}, {2, 1}, {1, 2}, {2, 0}, {1, 3});
}

constexpr OperandShape
shape(Contiguous contiguous, index_t rows, index_t k, index_t v, index_t bytes)
{
    return {contiguous, rows, k, 64, v, bytes};
}

TEST(OperandCopy, BringsTheOperandThatIsContiguousAlongTheReduction)
{
    using enum Contiguous;
    check<true, shape(reduction, 64, 32, 8, 2), half_t, half_t>(problem(40, 4), PassThrough{});
    check<true, shape(reduction, 32, 16, 1, 2), bhalf_t, bhalf_t>(problem(19, 4), PassThrough{});
    check<true, shape(reduction, 32, 16, 2, 2), half_t, half_t>(problem(34, 4), PlusOne{});
    check<true, shape(reduction, 64, 16, 4, 4), float, float>(problem(20, 4), PassThrough{});
    check<true, shape(reduction, 32, 8, 1, 4), float, float>(problem(5, 4), PlusOne{});
}

TEST(OperandCopy, TransposesTheOperandThatIsContiguousAlongItsRows)
{
    using enum Contiguous;
    check<false, shape(row, 64, 32, 8, 2), half_t, half_t>(problem(40, 72), PassThrough{});
    check<false, shape(row, 64, 32, 4, 2), bhalf_t, bhalf_t>(problem(37, 68), PassThrough{});
    check<false, shape(row, 32, 16, 1, 2), half_t, half_t>(problem(17, 35), PlusOne{});
    check<false, shape(row, 32, 16, 2, 2), bhalf_t, bhalf_t>(problem(16, 34), PlusOne{});
    check<false, shape(row, 64, 16, 4, 4), float, float>(problem(20, 68), PassThrough{});
    check<false, shape(row, 32, 8, 2, 4), float, float>(problem(9, 34), PlusOne{});
}

TEST(OperandCopy, ConvertsOnTheWay)
{
    using enum Contiguous;
    check<true, shape(reduction, 32, 16, 4, 2), float, half_t>(problem(20, 4), PassThrough{});
    check<false, shape(row, 32, 16, 4, 2), float, bhalf_t>(problem(20, 36), PassThrough{});
}

TEST(OperandCopy, RoundsToTheComputeType)
{
    using enum Contiguous;
    check<true, shape(reduction, 32, 16, 4, 4), float, float, bhalf_t>(problem(20, 4), Third{});
    check<false, shape(row, 32, 16, 4, 4), float, float, half_t>(problem(20, 36), Third{});
    check<true, shape(reduction, 32, 16, 4, 2), half_t, half_t, bhalf_t>(problem(20, 4), Third{});
    check<true, shape(reduction, 32, 16, 4, 2), half_t, half_t, half_t>(problem(20, 4), Third{});
}

} // namespace
} // namespace ck::thread
