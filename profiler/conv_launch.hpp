#pragma once
// A kernel of the library with the argument of a problem, ready to launch.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include "buffers.hpp"
#include <cstddef>

namespace ck::profiler {

/// Device memory that consecutive launches on a stream share: as large as the largest
/// request.
class Workspace
{
public:
    void require(std::size_t bytes);
    void* get() const { return memory_.GetDeviceBuffer(); }
    /// Sets every byte to 0xff, which is NaN for all floats.
    void spoil() const;

private:
    DeviceMem memory_;
};

class ConvLaunch
{
public:
    /// Has no addresses yet. The caller owns buffers and workspace; launches that share a workspace
    /// must run one after another.
    ConvLaunch(const tensor_operation::device::instance::ConvKernel& kernel,
               Direction direction,
               const tensor_operation::device::instance::ConvArgument& argument,
               const Buffers& buffers,
               Workspace& workspace);

    /// Whether the kernel computes the problem with the workspace that it needs.
    Support supports() const;
    std::size_t workspace_bytes() const { return workspace_bytes_; }
    double predicted_cycles() const;
    const tensor_operation::device::instance::ConvKernel& kernel() const { return kernel_; }

    /// Runs once on the first set of buffers, with a spoiled workspace.
    void run_once();
    /// Starts launch `number`.
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
