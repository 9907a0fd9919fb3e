#pragma once
// Operations of each direction, with a D tensor that is added to the result, and their arguments.
#include "ck/ck.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/tensor_operation/gpu/conv/operation/backward_weight_operation.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <gtest/gtest.h>

#include "devices.hpp"
#include <numeric>

namespace ck::test {

namespace device = tensor_operation::device;
using tensor_operation::element_wise::Add;
using tensor_operation::element_wise::PassThrough;

constexpr GemmTuning scalar_loads{.block_tile  = {32, 32, 16},
                                  .wave_m      = 32,
                                  .wave_n      = 32,
                                  .instruction = arch::Matrix::dot_f32_8x4x1_f32,
                                  .a_vector    = 1,
                                  .b_vector    = 1,
                                  .c_vector    = 1};

using Plain = device::ConvTypes<float, float, float, PassThrough, PassThrough, PassThrough>;
using Added = device::ConvTypes<float, float, float, PassThrough, PassThrough, Add, Tuple<float>>;

struct ForwardOp : device::ConvOperation<device::ForwardDirection, Plain, scalar_loads>
{};
struct ForwardAdd : device::ConvOperation<device::ForwardDirection, Added, scalar_loads>
{};
struct BackwardDataOp : device::ConvOperation<device::BackwardDataDirection, Plain, scalar_loads>
{};
struct BackwardDataAdd : device::ConvOperation<device::BackwardDataDirection, Added, scalar_loads>
{};
struct BackwardWeightOp : device::BackwardWeightOperation<Plain, scalar_loads>
{};
struct BackwardWeightAdd : device::BackwardWeightOperation<Added, scalar_loads>
{};

/// Floats on the device.
struct Floats
{
    explicit Floats(std::vector<float> values)
        : count(values.size()),
          memory(values.size() * sizeof(float))
    {
        memory.ToDevice(values.data());
    }
    operator float*() const { return static_cast<float*>(memory.GetDeviceBuffer()); }
    std::vector<float> read() const
    {
        std::vector<float> values(count);
        memory.FromDevice(values.data());
        return values;
    }
    std::size_t count;
    DeviceMem memory;
};

inline std::vector<float> counting(std::size_t count)
{
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.f);
    return values;
}

/// 1x1, G 1, N 1, K 1, C 1, a row of `width` pixels.
inline ConvProblem row_of(long_index_t width)
{
    return make_packed_problem<1>(1, 1, 1, 1, {1}, {width}, {1}, {1}, {0}, {0});
}

/// Pointers in the order of X, W, Y, whatever the direction.
template <class Op>
typename Op::Argument
argument_of(const ConvProblem& p, const float* x, const float* w, const float* y)
{
    typename Op::Argument a{};
    a.problem = p;
    a.valid   = validate(p);
    if constexpr(requires { a.split_k; })
        a.a = y, a.b = x, a.c = const_cast<float*>(w);
    else if constexpr(Op::Direction::a == device::Role::input)
        a.a = x, a.b = w, a.c = const_cast<float*>(y);
    else
        a.a = y, a.b = w, a.c = const_cast<float*>(x);
    if constexpr(requires { a.split_k; })
        Op::make_plan(a);
    return a;
}

template <class Op>
Support supports(const typename Op::Argument& a)
{
    if constexpr(requires { a.split_k; })
        return Op::supports(a, true);
    else
        return Op::supports(a);
}

/// Runs the operation with the workspace that it asks for.
template <class Op>
void run(const typename Op::Argument& a)
{
    DeviceMem workspace(std::max<std::size_t>(Op::workspace_size(a), 16));
    Op::run(a, StreamConfig{}, workspace.GetDeviceBuffer());
    HIP_CHECK_ERROR(hipDeviceSynchronize());
}

inline void expect_refused(const Support& s, const std::vector<std::string>& words)
{
    EXPECT_FALSE(s) << "not refused, though " << words.front();
    for(const std::string& word : words)
        EXPECT_NE(s.reason.find(word), std::string::npos) << '"' << word << "\" in: " << s.reason;
}

} // namespace ck::test
