#pragma once
// The sizes of a family's element types, by name.
#include "ck/utility/data_type.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ck::tensor_operation::device::instance {

namespace detail {

template <class T>
inline constexpr std::pair<std::string_view, index_t> named_size{type_name<T>, sizeof(T)};

} // namespace detail

/// Bytes of an element of a type such as "f16"; 0 for unknown types.
inline index_t bytes_of_type(std::string_view type)
{
    constexpr std::array all{detail::named_size<double>,
                             detail::named_size<float>,
                             detail::named_size<half_t>,
                             detail::named_size<bhalf_t>,
                             detail::named_size<f8_t>,
                             detail::named_size<bf8_t>,
                             detail::named_size<f8_ocp_t>,
                             detail::named_size<bf8_ocp_t>,
                             detail::named_size<std::int8_t>,
                             detail::named_size<std::int32_t>,
                             std::pair<std::string_view, index_t>{"u8", 1}};
    for(const auto& [name, bytes] : all)
        if(name == type)
            return bytes;
    return 0;
}

/// The same for several types, such as "f16 f32".
inline std::vector<index_t> element_bytes(std::string_view types)
{
    std::vector<index_t> r;
    while(!types.empty())
    {
        const std::size_t end = std::min(types.find(' '), types.size());
        r.push_back(bytes_of_type(types.substr(0, end)));
        types.remove_prefix(std::min(end + 1, types.size()));
    }
    return r;
}

} // namespace ck::tensor_operation::device::instance
