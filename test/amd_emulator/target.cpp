// The AMD target that is emulated, by its name.
#include "target.hpp"

#include <cctype>
#include <cstdlib>

namespace emu {

Target target;

namespace {

/// Compute units of the devices that the names stand for; they decide nothing but what the host is
/// told.
int compute_units(const Target& t)
{
    if(t.name == "gfx1100")
        return 48;
    if(t.name == "gfx1030")
        return 36;
    return t.gfx908        ? 120
           : t.gfx90a      ? 104
           : t.gfx950      ? 256
           : t.gfx940      ? 304
           : t.major == 12 ? 16
           : t.major >= 10 ? 30
                           : 60;
}

} // namespace

bool target_from_name(const std::string& name, Target& found)
{
    const std::string base = name.substr(0, name.find(':'));
    if(!base.starts_with("gfx") || base.size() < 6)
        return false;
    const auto hexadecimal = [](char c) {
        return isdigit(static_cast<unsigned char>(c)) ? c - '0' : c - 'a' + 10;
    };
    found            = Target();
    found.name       = base;
    found.step       = hexadecimal(base.back());
    found.minor      = hexadecimal(base[base.size() - 2]);
    found.major      = atoi(base.substr(3, base.size() - 5).c_str());
    found.generation = static_cast<Generation>(found.major);
    found.gfx908     = base == "gfx908";
    found.gfx90a     = base == "gfx90a";
    found.gfx950     = base == "gfx950";
    found.gfx940     = base == "gfx940" || base == "gfx941" || base == "gfx942" || found.gfx950;
    found.wave       = found.major >= 10 ? 32 : 64;
    found.packed_tid = found.gfx90a || found.gfx940 || found.major >= 11;
    found.sramecc    = found.gfx908 || found.gfx90a || found.gfx940;
    found.fp8_ocp    = found.gfx950 || found.major >= 12;
    found.lds        = found.gfx950 ? 163840 : 65536;
    found.cus        = compute_units(found);
    return true;
}

} // namespace emu
