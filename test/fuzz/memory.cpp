// Memory of the exact size.
#include "fuzz/memory.hpp"

#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include "fuzz/judge.hpp"
#include <algorithm>

namespace ck::fuzz {

Memory::Memory(const Call& call, std::size_t element_bytes)
{
    for(const TensorArgument& t : call.tensors)
    {
        if(t.at == tensor_count)
            continue;
        long_index_t end = 0;
        for_each_element(
            t, [&](std::size_t, long_index_t offset) { end = std::max(end, offset + 1); });
        end          = t.offset + end * static_cast<long_index_t>(element_bytes);
        sizes_[t.at] = std::max(sizes_[t.at], static_cast<std::size_t>(end));
    }
    for(std::size_t i = 0; i < tensor_count; ++i)
    {
        bytes_[i].reset(static_cast<std::byte*>(std::malloc(sizes_[i])));
        std::fill_n(bytes_[i].get(), sizes_[i], std::byte{0xFF});
    }
    if(element_bytes == sizeof(float))
        fill<float>(call);
    else
        fill<half_t>(call);
}

Memory::Memory(const Memory& other) : sizes_(other.sizes_)
{
    for(std::size_t i = 0; i < tensor_count; ++i)
    {
        bytes_[i].reset(static_cast<std::byte*>(std::malloc(sizes_[i])));
        std::copy_n(other.bytes_[i].get(), sizes_[i], bytes_[i].get());
    }
}

bool Memory::operator==(const Memory& other) const
{
    for(std::size_t i = 0; i < tensor_count; ++i)
        if(!std::equal(bytes_[i].get(), bytes_[i].get() + sizes_[i], other.bytes_[i].get()))
            return false;
    return true;
}

template <class T>
void Memory::fill(const Call& call)
{
    for(std::size_t i = 0; i < tensor_count; ++i)
        if(const TensorArgument& t = call.tensors[i];
           t.at != tensor_count && i != result_of(call.direction))
            for_each_element(t, [&](std::size_t, long_index_t offset) {
                const auto at = static_cast<std::uint32_t>(offset + 1) * (i + 2) + call.seed;
                write(t, offset, type_convert<T>(static_cast<float>((at * 40503u >> 7) % 3) - 1));
            });
}

} // namespace ck::fuzz
