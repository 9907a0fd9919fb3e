#pragma once
// Grouped GEMMs of any element type and layouts with one interface.
#include "ck/convolution/support.hpp"
#include "ck/stream_config.hpp"
#include "ck/tensor_operation/gpu/device/device_grouped_gemm.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ck::profiler {

/// E = A * B for each GEMM, of one element type; E is row major. Device memory, one pointer each.
struct GemmList
{
    std::vector<const void*> a, b;
    std::vector<void*> e;
    std::vector<tensor_operation::device::GemmDesc> gemms;
};

class GroupedGemmInstance
{
public:
    virtual ~GroupedGemmInstance()                      = default;
    virtual std::string name() const                    = 0;
    virtual Support supports(GemmList& list)            = 0;
    virtual std::size_t workspace_bytes(GemmList& list) = 0;
    /// Milliseconds if the configuration asks for timing, otherwise 0.
    virtual float run(GemmList& list, void* workspace, const StreamConfig& config) = 0;
};

using GroupedGemms = std::vector<std::unique_ptr<GroupedGemmInstance>>;

/// The instances of a type with A and B row major or not; empty if there are none.
GroupedGemms grouped_gemms_f32(bool a_row_major, bool b_row_major);
GroupedGemms grouped_gemms_f16(bool a_row_major, bool b_row_major);
GroupedGemms grouped_gemms_bf16(bool a_row_major, bool b_row_major);
GroupedGemms grouped_gemms_i8(bool a_row_major, bool b_row_major);

} // namespace ck::profiler
