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

/// Bytes of an element of a type such as "f16"; 0 for unknown types.
inline index_t bytes_of_type(std::string_view type)
{
    using Named        = std::pair<std::string_view, index_t>;
    constexpr auto all = []<class... T>(TypeList<T...>) {
        return std::array{
            Named{type_name<T>, sizeof(T)}..., Named{type_name<std::int32_t>, 4}, Named{"u8", 1}};
    }(TensorElementTypes{});
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
