#pragma once
// The peak of a device by its datasheet, and the fraction of it that a result reaches.
#include <optional>
#include <string>

namespace ck::profiler {

/// The peak of one device for operands of one type.
struct Roofline
{
    double tflops; ///< dense peak
    double gbytes; ///< memory, GB in a second
    /// What the device sustained for seconds in our measurements; 0: not measured.
    double sustained_tflops, sustained_gbytes;
    std::string source; ///< source of the peaks: "NVIDIA's datasheet of the H200"
};

/// device: the name from hipGetDeviceProperties. type: as in a family of the library (f64, f32,
/// tf32, f16, bf16, i8, f8, bf8, f8_ocp, bf8_ocp). Empty for unknown devices, for the CPU, and
/// for types without their own instructions; eight-bit floats without them are multiplied as
/// bf16.
std::optional<Roofline> find_roofline(const std::string& device, const std::string& type);

/// One sentence: why find_roofline() returns nothing.
std::string why_no_roofline(const std::string& device, const std::string& type);

/// The least milliseconds of any launch, by the peaks. bytes: each element counted once.
double least_ms(const Roofline& roofline, double flops, double bytes);

/// least_ms() / ms: at most 1, otherwise the measurement, or the counted work, is wrong.
double share_of_roofline(const Roofline& roofline, double flops, double bytes, double ms);

} // namespace ck::profiler
