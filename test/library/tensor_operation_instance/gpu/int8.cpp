// int8 sums beyond the range, through Composable Kernel's device interface: each instance of each
// factory stores their low eight bits, so that 378 becomes 122.
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_data.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_backward_weight.hpp"
#include "ck/library/tensor_operation_instance/gpu/grouped_convolution_forward.hpp"

#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/gpu/instances.hpp"
#include <cstdint>

namespace ck::test::int8 {
namespace {

using namespace tensor_operation::device::instance;
using i8 = std::int8_t;

const ConvParam problem{1, 1, 1, 32, 16, {1}, {8}, {1}, {1}, {0}, {0}};

/// X, W and Y. One operand holds 126 three times in each sum, the other 1 or -1 by the result's
/// channel: sums are 378 and -378.
struct Beyond : ProblemTensors<NWGC, GKXC, NWGK, i8, i8, i8>
{
    explicit Beyond(Direction direction) : ProblemTensors(problem)
    {
        const auto most  = [](bool first) { return static_cast<i8>(first ? 126 : 0); };
        const auto signs = [](std::size_t channel) {
            return static_cast<i8>(channel % 2 == 0 ? 1 : -1);
        };
        using enum Direction;
        x.host.ForEach([&](auto& t, const auto& at) {
            t(at) = direction == forward ? most(at[2] < 3) : signs(at[2]);
        });
        w.host.ForEach(
            [&](auto& t, const auto& at) { t(at) = signs(at[direction == forward ? 1 : 2]); });
        y.host.ForEach([&](auto& t, const auto& at) {
            t(at) = most(at[direction == backward_data ? 2 : 3] < 3);
        });
        for(auto* const t : {&x, &w, &y})
            t->device.ToDevice(t->host.mData.data());
    }

    /// The low eight bits of the sums. dimension: of the result's channel that has a sign.
    static Tensor<i8> low_bits(const Tensor<i8>& result, std::size_t dimension)
    {
        Tensor<i8> r(result);
        r.ForEach([&](auto& t, const auto& at) {
            t(at) = static_cast<i8>(at[dimension] % 2 == 0 ? 122 : -122);
        });
        return r;
    }
};

TEST(Int8Instances, ForwardKeepsLowBits)
{
    using Op = tensor_operation::device::DeviceGroupedConvFwdMultipleABD<1,
                                                                         NWGC,
                                                                         GKXC,
                                                                         Empty_Tuple,
                                                                         NWGK,
                                                                         i8,
                                                                         i8,
                                                                         Empty_Tuple,
                                                                         i8,
                                                                         PassThrough,
                                                                         PassThrough,
                                                                         PassThrough>;
    CK_SKIP_IF_LIBRARY_LACKS(InstanceOf<Op>::Family::key());
    Beyond t(Direction::forward);
    const Ran ran = run_all<Op>(t.y, Beyond::low_bits(t.y.host, 2), [&](Op& op) {
        return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      {},
                                      t.y.device.GetDeviceBuffer(),
                                      lengths<1>(t.x),
                                      strides<1>(t.x),
                                      lengths<1>(t.w),
                                      strides<1>(t.w),
                                      {},
                                      {},
                                      lengths<1>(t.y),
                                      strides<1>(t.y),
                                      {1},
                                      {1},
                                      {0},
                                      {0},
                                      {},
                                      {},
                                      {});
    });
    EXPECT_GE(ran.right, 4);
}

TEST(Int8Instances, BackwardDataKeepsLowBits)
{
    using Op = tensor_operation::device::DeviceGroupedConvBwdDataMultipleD<1,
                                                                           NWGK,
                                                                           GKXC,
                                                                           Empty_Tuple,
                                                                           NWGC,
                                                                           i8,
                                                                           i8,
                                                                           Empty_Tuple,
                                                                           i8,
                                                                           PassThrough,
                                                                           PassThrough,
                                                                           PassThrough>;
    CK_SKIP_IF_LIBRARY_LACKS(InstanceOf<Op>::Family::key());
    Beyond t(Direction::backward_data);
    const Ran ran = run_all<Op>(t.x, Beyond::low_bits(t.x.host, 2), [&](Op& op) {
        return op.MakeArgumentPointer(t.y.device.GetDeviceBuffer(),
                                      t.w.device.GetDeviceBuffer(),
                                      {},
                                      t.x.device.GetDeviceBuffer(),
                                      lengths<1>(t.y),
                                      strides<1>(t.y),
                                      lengths<1>(t.w),
                                      strides<1>(t.w),
                                      {},
                                      {},
                                      lengths<1>(t.x),
                                      strides<1>(t.x),
                                      {1},
                                      {1},
                                      {0},
                                      {0},
                                      {},
                                      {},
                                      {});
    });
    EXPECT_GE(ran.right, 4);
}

TEST(Int8Instances, BackwardWeightKeepsLowBits)
{
    using Op = tensor_operation::device::DeviceGroupedConvBwdWeight<1,
                                                                    NWGC,
                                                                    GKXC,
                                                                    NWGK,
                                                                    i8,
                                                                    i8,
                                                                    i8,
                                                                    PassThrough,
                                                                    PassThrough,
                                                                    PassThrough>;
    CK_SKIP_IF_LIBRARY_LACKS(InstanceOf<Op>::Family::key());
    Beyond t(Direction::backward_weight);
    for(const index_t split_k : {1, 2})
    {
        const Ran ran = run_all<Op>(t.w, Beyond::low_bits(t.w.host, 2), [&](Op& op) {
            return op.MakeArgumentPointer(t.x.device.GetDeviceBuffer(),
                                          t.w.device.GetDeviceBuffer(),
                                          t.y.device.GetDeviceBuffer(),
                                          lengths<1>(t.x),
                                          strides<1>(t.x),
                                          lengths<1>(t.w),
                                          strides<1>(t.w),
                                          lengths<1>(t.y),
                                          strides<1>(t.y),
                                          {1},
                                          {1},
                                          {0},
                                          {0},
                                          {},
                                          {},
                                          {},
                                          split_k);
        });
        EXPECT_GE(ran.right, 4);
    }
}

} // namespace
} // namespace ck::test::int8
