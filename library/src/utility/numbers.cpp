// The types.
#include "utility/numbers.hpp"

#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/error_bound.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

namespace ck::measure {

namespace {

template <class T>
constexpr NumberType number_type_of()
{
    return {type_name<T>,
            sizeof(T),
            std::is_integral_v<T> && !std::is_same_v<T, bhalf_t>,
            utils::unit_roundoff<T>,
            [](const double* from, std::size_t count, void* to) {
                for(std::size_t i = 0; i < count; ++i)
                    if constexpr(std::is_same_v<T, double>)
                        static_cast<T*>(to)[i] = from[i];
                    else
                        static_cast<T*>(to)[i] = saturated<T>(static_cast<float>(from[i]));
            },
            [](const void* from, std::size_t count, double* to) {
                for(std::size_t i = 0; i < count; ++i)
                    if constexpr(std::is_same_v<T, double>)
                        to[i] = static_cast<const T*>(from)[i];
                    else
                        to[i] = type_convert<float>(static_cast<const T*>(from)[i]);
            }};
}

constexpr auto types = []<class... T>(TypeList<T...>) {
    return std::array{number_type_of<T>()...};
}(TensorElementTypes{});

} // namespace

const NumberType& number_type(const std::string& name)
{
    for(const NumberType& type : types)
        if(name == type.name)
            return type;
    throw std::logic_error("no number type '" + name + "'");
}

void fill_memory(const DeviceMem& memory,
                 long_index_t elements,
                 const std::vector<double>& block,
                 const NumberType& type)
{
    std::vector<unsigned char> encoded(block.size() * type.bytes);
    type.encode(block.data(), block.size(), encoded.data());
    auto* const at = static_cast<unsigned char*>(memory.GetDeviceBuffer());
    for(std::size_t done = 0, all = static_cast<std::size_t>(elements) * type.bytes; done < all;
        done += encoded.size())
        HIP_CHECK_ERROR(hipMemcpy(at + done,
                                  encoded.data(),
                                  std::min(encoded.size(), all - done),
                                  hipMemcpyHostToDevice));
}

} // namespace ck::measure
