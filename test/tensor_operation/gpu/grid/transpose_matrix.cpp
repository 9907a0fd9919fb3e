// A matrix transposed from memory to memory, by its definition: runs and lines at their places,
// zeros in what a run has beyond the last row, nothing written between.
#include "ck/tensor_operation/gpu/grid/transpose_matrix.hpp"

#include "ck/arch/kernel.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ck::grid::transpose_matrix {
namespace {

/// Pitches with `gap` elements between rows and between lines. by_runs: the runs of all lines
/// follow each other, as those of backward weight do; else those of a line.
template <class Matrix>
void expect_right(index_t rows, index_t taps, index_t channels, index_t gap, bool by_runs)
{
    using T = typename Matrix::T;
    SCOPED_TRACE(testing::Message() << sizeof(T) << " bytes, rows " << rows << " taps " << taps
                                    << " channels " << channels << " by runs " << by_runs);
    const index_t run = Matrix::run_length, columns = taps * channels,
                  runs = math::integer_divide_ceil(rows, run);
    typename Matrix::Params p{};
    p.rows            = rows;
    p.columns         = columns;
    p.from_pitch      = columns + gap;
    p.line_pitch      = by_runs ? run + gap : runs * run + gap;
    p.run_pitch       = by_runs ? columns * (run + gap) : run;
    p.taps            = taps;
    p.channels        = make_divisor(channels);
    const T untouched = 77;
    std::vector<T> from(static_cast<std::size_t>(rows * p.from_pitch)),
        to(static_cast<std::size_t>(columns * runs * (run + gap)), untouched);
    for(std::size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<T>(i * 2654435761u >> 5);
    auto expected = to;
    for(long_index_t row = 0; row < runs * run; ++row)
        for(index_t column = 0; column < columns; ++column)
        {
            const index_t line = column % channels * taps + column / channels;
            expected[static_cast<std::size_t>(line * p.line_pitch + row / run * p.run_pitch +
                                              row % run)] =
                row < rows ? from[static_cast<std::size_t>(row * p.from_pitch + column)] : T{0};
        }
    const DeviceMem from_on_device(sizeof(T) * from.size()), to_on_device(sizeof(T) * to.size());
    from_on_device.ToDevice(from.data());
    to_on_device.ToDevice(to.data());
    p.from               = from_on_device.GetDeviceBuffer();
    p.to                 = to_on_device.GetDeviceBuffer();
    const index_t blocks = Matrix::grid_size(p);
    HIP_CHECK_ERROR(arch::launch<Matrix>(blocks, nullptr, p));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    to_on_device.FromDevice(to.data());
    EXPECT_EQ(to, expected);
}

template <class Matrix>
void expect_right_shapes()
{
    const index_t pack = Matrix::pack, run = Matrix::run_length;
    for(const bool by_runs : {false, true})
        for(const index_t rows : {1, run - 1, run, 4 * run, 4 * run + 3})
        {
            expect_right<Matrix>(rows, 1, pack, 0, by_runs);
            expect_right<Matrix>(rows, 1, 11 * pack, run, by_runs);
            expect_right<Matrix>(rows, 6, 3 * pack, run, by_runs);
        }
}

TEST(TransposeMatrix, FollowsTheDefinition)
{
    expect_right_shapes<TransposeMatrix<1>>();
    expect_right_shapes<TransposeMatrix<4>>();
}

} // namespace
} // namespace ck::grid::transpose_matrix
