// Peaks of devices, one row each.
#include "roofline.hpp"

#include <algorithm>
#include <regex>

namespace ck::profiler {

namespace {

enum class Fp8
{
    ocp,
    fnuz,
};

/// Dense TFLOP/s, 0 if there is no such instruction. f64 and f32 use matrix instructions if these
/// keep all bits (f64 except on RDNA, f32 on CDNA), otherwise vector instructions.
struct Device
{
    const char* name; ///< words of the device's name; the first match counts
    double f64, f32, tf32, f16, bf16, i8, fp8;
    Fp8 format;
    double gbytes;
    const char* vendor;
    int of_card; ///< devices that a card of the datasheet is: the figures are of one of them
};

constexpr Device devices[] = {
    {"H200 NVL", 60, 60, 417.5, 835.5, 835.5, 1670.5, 1670.5, Fp8::ocp, 4800, "NVIDIA", 1},
    {"H200", 67, 67, 494.7, 989.5, 989.5, 1979, 1979, Fp8::ocp, 4800, "NVIDIA", 1},
    {"H100 NVL", 60, 60, 417.5, 835.5, 835.5, 1670.5, 1670.5, Fp8::ocp, 3900, "NVIDIA", 1},
    {"H100 PCIe", 51.2, 51.2, 378, 756, 756, 1513, 1513, Fp8::ocp, 2039, "NVIDIA", 1},
    {"H100 80GB HBM3", 67, 67, 494.7, 989.5, 989.5, 1979, 1979, Fp8::ocp, 3350, "NVIDIA", 1},
    {"A100-PCIE-40GB", 19.5, 19.5, 156, 312, 312, 624, 0, Fp8::ocp, 1555, "NVIDIA", 1},
    {"A100-SXM4-40GB", 19.5, 19.5, 156, 312, 312, 624, 0, Fp8::ocp, 1555, "NVIDIA", 1},
    {"A100 80GB PCIe", 19.5, 19.5, 156, 312, 312, 624, 0, Fp8::ocp, 1935, "NVIDIA", 1},
    {"A100-SXM4-80GB", 19.5, 19.5, 156, 312, 312, 624, 0, Fp8::ocp, 2039, "NVIDIA", 1},
    {"MI100", 11.5, 46.1, 0, 184.6, 92.3, 184.6, 0, Fp8::fnuz, 1228.8, "AMD", 1},
    {"MI210", 45.3, 45.3, 0, 181, 181, 181, 0, Fp8::fnuz, 1638.4, "AMD", 1},
    {"MI250X", 47.9, 47.9, 0, 191.5, 191.5, 191.5, 0, Fp8::fnuz, 1638.4, "AMD", 2},
    {"MI250", 45.3, 45.3, 0, 181, 181, 181, 0, Fp8::fnuz, 1638.4, "AMD", 2},
    {"MI300A", 122.6, 122.6, 490.3, 980.6, 980.6, 1961.2, 1961.2, Fp8::fnuz, 5300, "AMD", 1},
    {"MI300X", 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, Fp8::fnuz, 5300, "AMD", 1},
    {"MI325X", 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, Fp8::fnuz, 6000, "AMD", 1},
    {"7900 XTX", 1.9, 61.4, 0, 122.8, 122.8, 122.8, 0, Fp8::ocp, 960, "AMD", 1},
    {"7900 XT", 1.6, 51.5, 0, 103, 103, 103, 0, Fp8::ocp, 800, "AMD", 1},
    {"9070 XT", 0.76, 48.7, 0, 195, 195, 389, 389, Fp8::ocp, 640, "AMD", 1},
};

/// Measured on a device: docs/notes/number_types.md.
constexpr struct
{
    const char* name;
    double tf32, f16, eight_bits, gbytes;
} sustained[] = {{"H200", 380, 790, 1580, 4300}};

/// Finds the row of a device; null for a part of one (MIG), and for a GH200, which is not an H200.
const Device* find_device(const std::string& name)
{
    if(name.find(" MIG ") != std::string::npos)
        return nullptr;
    for(const Device& d : devices)
        if(std::regex_search(name, std::regex("\\b" + std::string(d.name) + "\\b")))
            return &d;
    return nullptr;
}

double peak(const Device& d, const std::string& type)
{
    if(type == "f64")
        return d.f64;
    if(type == "f32")
        return d.f32;
    if(type == "tf32")
        return d.tf32;
    if(type == "f16")
        return d.f16;
    if(type == "bf16")
        return d.bf16;
    if(type == "i8")
        return d.i8;
    if(type == "f8" || type == "bf8")
        return d.format == Fp8::fnuz && d.fp8 != 0 ? d.fp8 : d.bf16;
    if(type == "f8_ocp" || type == "bf8_ocp")
        return d.format == Fp8::ocp && d.fp8 != 0 ? d.fp8 : d.bf16;
    return 0;
}

} // namespace

std::optional<Roofline> find_roofline(const std::string& device, const std::string& type)
{
    const Device* const d = find_device(device);
    if(d == nullptr || peak(*d, type) == 0)
        return std::nullopt;
    Roofline r{peak(*d, type),
               d->gbytes,
               0,
               0,
               std::string(d->vendor) + "'s datasheet of the " + d->name +
                   (d->of_card > 1 ? ", half of it: a device is one of the two dies" : "")};
    for(const auto& s : sustained)
        if(std::string(d->name) == s.name)
        {
            r.sustained_gbytes = s.gbytes;
            r.sustained_tflops = type == "tf32"       ? s.tf32
                                 : r.tflops == d->f16 ? s.f16
                                 : r.tflops == d->i8  ? s.eight_bits
                                                      : 0;
        }
    return r;
}

std::string why_no_roofline(const std::string& device, const std::string& type)
{
    if(find_device(device) == nullptr)
        return "no roofline: the peaks of '" + device + "' are not in the table";
    return "no roofline: " + device + " has no instruction that multiplies " + type;
}

double least_ms(const Roofline& r, double flops, double bytes)
{
    return std::max(flops / r.tflops / 1e9, bytes / r.gbytes / 1e6);
}

double share_of_roofline(const Roofline& r, double flops, double bytes, double ms)
{
    return least_ms(r, flops, bytes) / ms;
}

} // namespace ck::profiler
