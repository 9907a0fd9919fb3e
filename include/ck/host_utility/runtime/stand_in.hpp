#pragma once
// The device that the host stands in for: with CK_HOST_TARGET=gfx1100 in the environment it reports
// the name and the supported operations of a gfx1100. Kernels run as usual.
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ck::host_runtime {

inline constexpr std::string_view targets[] = {
    "host",    "gfx908",  "gfx90a",  "gfx940",  "gfx941",  "gfx942",  "gfx950",  "gfx1010",
    "gfx1030", "gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152",
    "gfx1153", "gfx1200", "gfx1201", "gfx1250", "sm_80",   "sm_86",   "sm_87",   "sm_89",
    "sm_90",   "sm_100",  "sm_103",  "sm_110",  "sm_120",  "sm_121"};

/// The device's name for a value of CK_HOST_TARGET; "host" for null or empty, and "sm_90" for
/// sm_90a, as devices report it. Throws std::invalid_argument if the name is not in `targets`.
inline std::string device_name_for(const char* wanted)
{
    if(wanted == nullptr || *wanted == '\0')
        return "host";
    const std::string_view name = std::string_view(wanted) == "sm_90a" ? "sm_90" : wanted;
    std::string known;
    for(const std::string_view target : targets)
    {
        if(target == name)
            return std::string(name);
        known += ' ';
        known += target;
    }
    throw std::invalid_argument("CK_HOST_TARGET=" + std::string(wanted) +
                                " names no device that the host stands in for; these are:" + known +
                                " sm_90a");
}

/// The environment is read once.
inline const std::string& device_name()
{
    static const std::string name = device_name_for(std::getenv("CK_HOST_TARGET"));
    return name;
}

} // namespace ck::host_runtime
