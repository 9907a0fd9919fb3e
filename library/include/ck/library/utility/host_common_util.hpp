#pragma once
// Writes host memory to files.
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ck::host_common {

/// Writes `dataNumItems` elements from `data` to a file, in their binary form. The file is
/// overwritten. Throws std::runtime_error if that fails.
template <typename T>
void dumpBufferToFile(const char* fileName, const T* data, std::size_t dataNumItems)
{
    static_assert(std::is_trivially_copyable_v<T>, "elements are written as bytes");
    std::ofstream file(fileName, std::ios::binary);
    file.write(reinterpret_cast<const char*>(data),
               static_cast<std::streamsize>(dataNumItems * sizeof(T)));
    if(!file.flush())
        throw std::runtime_error("dumpBufferToFile: cannot write " + std::string(fileName));
}

} // namespace ck::host_common
