#pragma once
// Prints vectors and arrays, for programs that write `std::cout << lengths`. In the global
// namespace, where Composable Kernel's clients expect it.
#include <array>
#include <cstddef>
#include <ostream>
#include <vector>

namespace ck::detail {

template <class Range>
std::ostream& print_elements(std::ostream& os, const Range& range)
{
    const char* space = "";
    for(const auto& element : range)
    {
        os << space << element;
        space = " ";
    }
    return os;
}

} // namespace ck::detail

/// Prints the elements, separated by spaces.
template <class T>
std::ostream& operator<<(std::ostream& os, const std::vector<T>& v)
{
    return ck::detail::print_elements(os, v);
}
template <class T, std::size_t n>
std::ostream& operator<<(std::ostream& os, const std::array<T, n>& v)
{
    return ck::detail::print_elements(os, v);
}
