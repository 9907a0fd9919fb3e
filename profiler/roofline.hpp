#pragma once
// The most that a device can do, by its datasheet, and what share of that a result is.
#include <optional>
#include <string>

namespace ck::profiler {

/// What one device can do with operands of one type.
struct Roofline
{
    double tflops; ///< dense peak
    double gbytes; ///< memory, GB in a second
    /// What this project measured that the device sustains for seconds; 0: not measured.
    double sustained_tflops, sustained_gbytes;
    std::string source; ///< of the peaks: "NVIDIA's datasheet of the H200"
};

/// device: as hipGetDeviceProperties names it. type: as in a family of the library (f64, f32, tf32,
/// f16, bf16, i8, f8, bf8, f8_ocp, bf8_ocp). None for a device that the table does not know, the
/// CPU among them, and for types without instructions of their own; eight-bit floats without are
/// multiplied as bf16.
std::optional<Roofline> find_roofline(const std::string& device, const std::string& type);

/// One sentence: why find_roofline() has none.
std::string why_no_roofline(const std::string& device, const std::string& type);

/// Milliseconds that no launch takes less than, by the peaks. bytes: each element touched once.
double least_ms(const Roofline& roofline, double flops, double bytes);

/// The share of least_ms() in `ms`: at most 1, else the measurement, or what was counted, is wrong.
double share_of_roofline(const Roofline& roofline, double flops, double bytes, double ms);

} // namespace ck::profiler
