// ConvArgument::whole_sums: kernels for Hopper, which split the sums of the last tiles to keep the
// whole GPU busy, leave them whole.
//
// Labels: not sanitized
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "tables/wgmma.hpp"
#include "tensor_operation_instance/conv_kernels.hpp"

namespace ck::test {
namespace {

using namespace ck::tensor_operation::device;
using tensor_operation::element_wise::PassThrough;

/// Bytes of workspace that the first row wants, with and without whole sums.
template <Direction direction>
std::size_t workspace(index_t images, bool whole_sums)
{
    using Types = ConvTypes<half_t,
                            half_t,
                            half_t,
                            PassThrough,
                            PassThrough,
                            PassThrough,
                            Tuple<>,
                            half_t,
                            half_t>;
    using Functions =
        instance::FunctionsOf<direction, Types, tables::wgmma<direction, tables::wgmma_f16>[0]>;
    static const PassThrough pass_through;
    instance::ConvArgument argument;
    argument.problem = make_packed_problem<2>(
        1, images, 256, 512, {3, 3}, {16, 16}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
    argument.a           = {nullptr};
    argument.b           = {nullptr};
    argument.operation_a = argument.operation_b = argument.operation_c = &pass_through;
    argument.whole_sums                                                = whole_sums;
    return Functions::workspace_size(argument);
}

TEST(WholeSums, NeedNoWorkspaceForPartialSums)
{
    const AssumedComputeUnits h200(132);
    // 75 images have 150 tiles of 128 rows, of which 132 are computed at once
    EXPECT_GT(workspace<Direction::forward>(75, false), 0u);
    EXPECT_EQ(workspace<Direction::forward>(75, true), 0u);
    EXPECT_GT(workspace<Direction::backward_data>(40, false), 0u);
    EXPECT_EQ(workspace<Direction::backward_data>(40, true), 0u);
}

} // namespace
} // namespace ck::test
