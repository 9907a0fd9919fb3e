// Kernels with their arguments.
#include "conv_launch.hpp"

#include "ck/host_utility/hip_check_error.hpp"

namespace ck::profiler {

using namespace tensor_operation::device::instance;

void Workspace::require(std::size_t bytes)
{
    if(bytes > memory_.GetBufferSize())
        memory_.Realloc(bytes);
}

void Workspace::spoil() const
{
    if(memory_.GetBufferSize() > 0)
        HIP_CHECK_ERROR(hipMemset(get(), 0xff, memory_.GetBufferSize()));
}

ConvLaunch::ConvLaunch(const ConvKernel& kernel,
                       Direction direction,
                       const ConvArgument& argument,
                       const Buffers& buffers,
                       Workspace& workspace)
    : kernel_(kernel),
      direction_(direction),
      argument_(argument),
      buffers_(buffers),
      workspace_(workspace),
      workspace_bytes_(kernel.workspace_size(argument_))
{
    workspace_.require(workspace_bytes_);
    argument_.workspace = workspace_bytes_ > 0 ? workspace_.get() : nullptr;
}

Support ConvLaunch::supports() const { return kernel_.supports(argument_); }

double ConvLaunch::predicted_cycles() const { return kernel_.predict(argument_); }

void ConvLaunch::run_once()
{
    workspace_.spoil();
    run(0, nullptr);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
}

void ConvLaunch::run(int number, hipStream_t stream)
{
    const ConvTensors t = buffers_.set(number);
    switch(direction_)
    {
    case Direction::forward:
        argument_.a = {t.x}, argument_.b = {t.w}, argument_.c = t.y;
        break;
    case Direction::backward_data:
        argument_.a = {t.y}, argument_.b = {t.w}, argument_.c = t.x;
        break;
    case Direction::backward_weight:
        argument_.a = {t.y}, argument_.b = {t.x}, argument_.c = t.w;
        break;
    }
    if(workspace_bytes_ > 0) // other launches may have made it larger
        argument_.workspace = workspace_.get();
    kernel_.run(argument_, StreamConfig{stream});
}

} // namespace ck::profiler
