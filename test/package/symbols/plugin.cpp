// A shared object with hidden symbols that links the static libraries: ck::plan and the factory.
#include "plugin.hpp"

#include "ck/ck.hpp"
#include "ck/conv.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"

#include <vector>

using namespace ck::tensor_operation::device::instance;
using Op = ck::tensor_operation::device::
    DeviceConvBwdData<2, NHWC, KYXC, NHWK, F32, F32, F32, PassThrough, PassThrough, PassThrough>;

float plugin_element()
{
    const ck::ConvSpec spec{
        .type = ck::DataType::f32, .n = 1, .k = 8, .c = 8, .input = {4, 4}, .filter = {3, 3}};
    const ck::ConvPlan plan = ck::plan(spec);
    const std::vector<float> x(8 * 4 * 4, 1.f), w(8 * 8 * 3 * 3, 1.f);
    std::vector<float> y(8 * 2 * 2);
    std::vector<std::byte> workspace(plan.workspace_size());
    plan.run({.x = x.data(), .w = w.data(), .y = y.data(), .workspace = workspace.data()});
    return y[0];
}

std::size_t plugin_plans() { return ck::plan_cache_size(); }

std::size_t plugin_instances()
{
    return ck::tensor_operation::device::instance::DeviceOperationInstanceFactory<
               Op>::GetInstances()
        .size();
}

const void* plugin_address_of_plan()
{
    return reinterpret_cast<const void*>(
        static_cast<ck::ConvPlan (*)(const ck::ConvSpec&, const ck::PlanOptions&)>(&ck::plan));
}
