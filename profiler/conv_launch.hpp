#pragma once
// A kernel of the library with the argument of a problem, ready to be launched.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "buffers.hpp"
#include <cstddef>

namespace ck::profiler {

/// Device memory that launches share, one after the other on a stream: as large as the greatest
/// that was asked for.
class Workspace
{
public:
    void require(std::size_t bytes);
    void* get() const { return memory_.GetDeviceBuffer(); }
    /// Every byte becomes 0xff: NaN of all floats.
    void spoil() const;

private:
    DeviceMem memory_;
};

class ConvLaunch
{
public:
    /// Without addresses. Buffers and workspace are the caller's; all launches of a workspace run
    /// one after the other.
    ConvLaunch(const tensor_operation::device::instance::ConvKernel& kernel,
               Direction direction,
               const tensor_operation::device::instance::ConvArgument& argument,
               const Buffers& buffers,
               Workspace& workspace);

    /// Whether the kernel computes the problem with the workspace that it wants.
    Support supports() const;
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    double predicted_cycles() const;
    const tensor_operation::device::instance::ConvKernel& kernel() const { return kernel_; }

    /// Runs once on the first set of buffers, with a spoilt workspace.
    void run_once();
    /// Starts the number-th launch.
    void run(int number, hipStream_t stream);

private:
    const tensor_operation::device::instance::ConvKernel& kernel_;
    Direction direction_;
    tensor_operation::device::instance::ConvArgument argument_;
    const Buffers& buffers_;
    Workspace& workspace_;
    std::size_t workspace_bytes_ = 0;
};

} // namespace ck::profiler
