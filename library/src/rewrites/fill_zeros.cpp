// Writes zeros with the element-wise kernel: in all types they are bytes of 0.
#include "rewrites/fill_zeros.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"

#include <cstdint>

namespace ck::tensor_operation::device::instance {

namespace {

/// A word of this many bytes.
template <index_t bytes>
struct alignas(bytes) Word
{
    std::uint8_t of[bytes];
};

/// y = 0
struct Zero
{
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& y) const
    {
        y = T{};
    }
};

/// Whether the tensor has no gaps.
bool is_packed(const FilledTensor& t)
{
    const long_index_t count = element_count(t.lengths);
    long_index_t last        = 0;
    for(std::size_t i = 0; i < t.lengths.size(); ++i)
        last += (t.lengths[i] - 1) * t.strides[i];
    return count > 0 && last + 1 == count;
}

/// Calls f(Launch, its argument) for the tensor; a tensor without gaps is written in the widest
/// words that divide it.
template <class F>
auto with_launch(const FilledTensor& t, void* address, const F& f)
{
    FilledTensor words = t;
    if(is_packed(t))
    {
        const long_index_t bytes = element_count(t.lengths) * t.element_bytes;
        const auto all =
            static_cast<std::uintptr_t>(bytes) | reinterpret_cast<std::uintptr_t>(address);
        while(words.element_bytes < 16 &&
              all % (2 * static_cast<std::uintptr_t>(words.element_bytes)) == 0)
            words.element_bytes *= 2;
        words.lengths = {1, 1, 1, 1, 1, bytes / words.element_bytes};
        words.strides = {0, 0, 0, 0, 0, 1};
    }
    const ElementwiseArguments<Zero> a{
        {}, words.lengths, {}, {{"the result", address, address, words.strides}}, {}};
    const auto launch = [&]<index_t bytes>(Number<bytes>) {
        return f(ElementwiseLaunch<Tuple<>, Tuple<Word<bytes>>, Zero>{}, a);
    };
    return words.element_bytes == 1   ? launch(Number<1>{})
           : words.element_bytes == 2 ? launch(Number<2>{})
           : words.element_bytes == 4 ? launch(Number<4>{})
           : words.element_bytes == 8 ? launch(Number<8>{})
                                      : launch(Number<16>{});
}

} // namespace

Support check_fill(const FilledTensor& tensor, const void* address)
{
    return with_launch(tensor, const_cast<void*>(address), [](auto launch, const auto& a) {
        return launch.supports(a);
    });
}

void fill_zeros(const FilledTensor& tensor, void* address, LaunchList& list)
{
    return with_launch(
        tensor, address, [&](auto launch, const auto& a) { return launch.add(list, a); });
}

double predicted_fill(const FilledTensor& tensor)
{
    // Single elements are assumed to be written at a quarter of the speed, as in copies.
    return predicted_transposition((is_packed(tensor) ? 1 : 4) *
                                   static_cast<double>(element_count(tensor.lengths)) *
                                   tensor.element_bytes);
}

} // namespace ck::tensor_operation::device::instance
