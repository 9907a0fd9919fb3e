#pragma once
// Finds the addresses among the parameters of a kernel.
#include <tuple>
#include <type_traits>

namespace ck {

/// Calls f with each address in a part of the parameters. A part is an address, an array of parts,
/// or has addresses(), which ties its parts that are or contain addresses.
template <class Part, class F>
void each_address(const Part& part, const F& f)
{
    if constexpr(requires { part.addresses(); })
        std::apply([&](const auto&... parts) { (each_address(parts, f), ...); }, part.addresses());
    else if constexpr(std::is_array_v<Part>)
        for(const auto& element : part)
            each_address(element, f);
    else
    {
        static_assert(std::is_scalar_v<Part>);
        f(part);
    }
}

} // namespace ck
