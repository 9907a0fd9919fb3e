#pragma once
// The tensors of a small call, in memory that ends where they end: AddressSanitizer sees a step
// outside.
#include "fuzz/call.hpp"
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ck::fuzz {

class Memory
{
public:
    /// Numbers are -1, 0 or 1; what is not read has all bits set.
    Memory(const Call& call, std::size_t element_bytes);
    Memory(const Memory&);
    Memory& operator=(const Memory&) = delete;

    /// Returns the address of the first element.
    std::byte* address(const TensorArgument& t) const { return bytes_[t.at].get() + t.offset; }
    template <class T>
    T read(const TensorArgument& t, long_index_t offset) const
    {
        T value;
        std::memcpy(&value, address(t) + offset * static_cast<long_index_t>(sizeof(T)), sizeof(T));
        return value;
    }
    template <class T>
    void write(const TensorArgument& t, long_index_t offset, T value)
    {
        std::memcpy(address(t) + offset * static_cast<long_index_t>(sizeof(T)), &value, sizeof(T));
    }
    bool operator==(const Memory& other) const;

private:
    struct Free
    {
        void operator()(std::byte* p) const { std::free(p); }
    };
    template <class T>
    void fill(const Call& call);

    std::array<std::unique_ptr<std::byte[], Free>, tensor_count> bytes_{};
    std::array<std::size_t, tensor_count> sizes_{};
};

} // namespace ck::fuzz
