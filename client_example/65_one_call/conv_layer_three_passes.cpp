// A 3x3 layer of a network from 64 to 128 channels in three passes: y from x and w, dx from dy and
// w, dw from x and dy. All inputs are ones, so the results are known.
#include "ck/conv.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/utility/half.hpp"

#include <cstdio>
#include <exception>
#include <vector>

namespace {

using ck::half_t;

void run(ck::ConvSpec spec, ck::Direction direction, const void* x, const void* w, const void* y)
{
    spec.direction          = direction;
    const ck::ConvPlan plan = ck::plan(spec); // from a cache, from the second time on
    const DeviceMem workspace(plan.workspace_size());
    plan.run({.x = x, .w = w, .y = y, .workspace = workspace.GetDeviceBuffer()});
    std::printf("%s: %s\n", ck::name(direction), plan.kernel().c_str());
}

/// Whether the first element, in a corner, has the expected value.
bool begins_with(const DeviceMem& tensor, float expected)
{
    std::vector<half_t> values(tensor.GetBufferSize() / sizeof(half_t));
    tensor.FromDevice(values.data());
    return static_cast<float>(values[0]) == expected;
}

} // namespace

int main()
try
{
    const ck::ConvSpec spec{.type   = ck::DataType::f16,
                            .n      = 2,
                            .k      = 128,
                            .c      = 64,
                            .input  = {14, 14},
                            .filter = {3, 3},
                            .pads   = {{1, 1}, {1, 1}}};
    DeviceMem x(spec.x_bytes()), w(spec.w_bytes()), y(spec.y_bytes());
    DeviceMem dx(spec.x_bytes()), dw(spec.w_bytes()), dy(spec.y_bytes());
    for(DeviceMem* const tensor : {&x, &w, &dy})
        tensor->SetValue(half_t(1));
    const auto at = [](const DeviceMem& memory) { return memory.GetDeviceBuffer(); };
    run(spec, ck::Direction::forward, at(x), at(w), at(y));
    run(spec, ck::Direction::backward_data, at(dx), at(w), at(dy));
    run(spec, ck::Direction::backward_weight, at(x), at(dw), at(dy));
    const bool right = begins_with(y, 4 * 64) && begins_with(dx, 4 * 128) && // two by two taps
                       begins_with(dw, 2 * 13 * 13);
    std::printf("%s\n", right ? "the results are right" : "the results are wrong");
    return right ? 0 : 1;
}
catch(const std::exception& error) // no GPU, for example; ck::Refused says why
{
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
