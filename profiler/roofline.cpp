#include "roofline.hpp"

#include <algorithm>

namespace ck::profiler {

namespace {

/// Dense TFLOP/s, 0 where there is no such instruction: f64 and f32 by matrix instructions where
/// they keep all bits (f64 of all but RDNA, f32 of CDNA), else by vectors.
struct Device
{
    const char* name; ///< part of the device's; the first row that fits counts
    double f64, f32, tf32, f16, bf16, i8, fp8;
    bool fp8_is_ocp; ///< else FNUZ
    double gbytes;
    const char* source;
};

// clang-format off
constexpr Device devices[] = {
    // name             f64    f32    tf32   f16     bf16    i8      fp8     OCP    GB/s
    {"H200 NVL",         60,    60,    417.5, 835.5,  835.5,  1670.5, 1670.5, true,  4800,   "NVIDIA H200 datasheet"},
    {"H200",             67,    67,    494.7, 989.5,  989.5,  1979,   1979,   true,  4800,   "NVIDIA H200 datasheet, SXM"},
    {"H100 NVL",         60,    60,    417.5, 835.5,  835.5,  1670.5, 1670.5, true,  3900,   "NVIDIA H100 datasheet, NVL"},
    {"H100 PCIe",        51.2,  51.2,  378,   756,    756,    1513,   1513,   true,  2039,   "NVIDIA H100 datasheet, PCIe"},
    {"H100",             67,    67,    494.7, 989.5,  989.5,  1979,   1979,   true,  3350,   "NVIDIA H100 datasheet, SXM"},
    {"A100-PCIE-40GB",   19.5,  19.5,  156,   312,    312,    624,    0,      true,  1555,   "NVIDIA A100 datasheet, 40 GB"},
    {"A100-SXM4-40GB",   19.5,  19.5,  156,   312,    312,    624,    0,      true,  1555,   "NVIDIA A100 datasheet, 40 GB"},
    {"A100 80GB PCIe",   19.5,  19.5,  156,   312,    312,    624,    0,      true,  1935,   "NVIDIA A100 datasheet, 80 GB PCIe"},
    {"A100",             19.5,  19.5,  156,   312,    312,    624,    0,      true,  2039,   "NVIDIA A100 datasheet, 80 GB SXM"},
    {"MI100",            11.5,  46.1,  0,     184.6,  92.3,   184.6,  0,      false, 1228.8, "AMD Instinct MI100 brochure"},
    {"MI210",            45.3,  45.3,  0,     181,    181,    181,    0,      false, 1638.4, "AMD Instinct MI210 brochure"},
    // One of the two dies, each of which is a device.
    {"MI250X",           47.9,  47.9,  0,     191.5,  191.5,  191.5,  0,      false, 1638.4, "AMD Instinct MI250X data sheet, half of it"},
    {"MI250",            45.3,  45.3,  0,     181,    181,    181,    0,      false, 1638.4, "AMD Instinct MI250 data sheet, half of it"},
    {"MI300A",           122.6, 122.6, 490.3, 980.6,  980.6,  1961.2, 1961.2, false, 5300,   "AMD Instinct MI300A data sheet"},
    {"MI300X",           163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, false, 5300,   "AMD Instinct MI300X data sheet"},
    {"MI325X",           163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, false, 6000,   "AMD Instinct MI325X data sheet"},
    {"7900 XTX",         1.9,   61.4,  0,     122.8,  122.8,  122.8,  0,      true,  960,    "AMD Radeon RX 7900 XTX specifications"},
    {"7900 XT",          1.6,   51.5,  0,     103,    103,    103,    0,      true,  800,    "AMD Radeon RX 7900 XT specifications"},
    {"9070 XT",          0.76,  48.7,  0,     195,    195,    389,    389,    true,  640,    "AMD Radeon RX 9070 XT specifications"},
    {"9070",             0.56,  36.1,  0,     145,    145,    289,    289,    true,  640,    "AMD Radeon RX 9070 specifications"},
};

/// What was measured on a device, docs/measurements.md.
constexpr struct
{
    const char* name;
    double tf32, f16, eight_bits, gbytes;
} sustained[] = {{"H200", 380, 790, 1580, 4300}};
// clang-format on

const Device* find_device(const std::string& name)
{
    for(const Device& d : devices)
        if(name.find(d.name) != std::string::npos)
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
        return d.fp8_is_ocp || d.fp8 == 0 ? d.bf16 : d.fp8;
    if(type == "f8_ocp" || type == "bf8_ocp")
        return d.fp8_is_ocp && d.fp8 > 0 ? d.fp8 : d.bf16;
    return 0;
}

} // namespace

std::optional<Roofline> find_roofline(const std::string& device, const std::string& type)
{
    const Device* const d = find_device(device);
    if(d == nullptr || peak(*d, type) == 0)
        return std::nullopt;
    Roofline r{peak(*d, type), d->gbytes, 0, 0, d->source};
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
