// From bytes to a call: first a sound one of a few bytes each, then mistakes of three bytes each.
#include "fuzz/call.hpp"
#include <algorithm>
#include <limits>
#include <utility>

namespace ck::fuzz {
namespace {

/// Zeros follow the last byte.
class Bytes
{
public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    bool empty() const { return at_ == end_; }
    unsigned next() { return empty() ? 0u : *at_++; }
    template <class T, std::size_t n>
    T one_of(const T (&values)[n])
    {
        return values[next() % n];
    }

private:
    const std::uint8_t* at_;
    const std::uint8_t* end_;
};

/// Dimensions from the slowest to the fastest.
using Order = std::array<std::size_t, 6>;

Order order_of(unsigned byte)
{
    constexpr Order inside{1, 3, 4, 5, 0, 2}, first{0, 1, 3, 4, 5, 2}; // NHWGC, GNHWC
    constexpr Order usual[] = {
        first, inside, first, inside, {0, 1, 2, 3, 4, 5}, {1, 0, 2, 3, 4, 5}};
    if(byte < 240)
        return usual[byte % std::size(usual)];
    Order order = usual[4];
    for(std::size_t i = 6, left = byte * 2654435761u; i > 1; left /= i, --i)
        std::swap(order[i - 1], order[left % i]);
    return order;
}

/// The product's last 64 bits.
long_index_t wrapped(long_index_t x, long_index_t y)
{
    return static_cast<long_index_t>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
}

/// Strides of that order, with something between the elements of one dimension.
void lay_out(TensorArgument& t, unsigned order_byte, unsigned gap_byte)
{
    constexpr std::uint64_t gaps[] = {1, 8, 2, 64, 16, 3, 24};
    const Order order              = order_of(order_byte);
    long_index_t next              = 1;
    for(std::size_t i = 6; i-- > 0;)
    {
        if(gap_byte >= 208 && gap_byte % 6 == i)
            next = static_cast<long_index_t>(static_cast<std::uint64_t>(next) +
                                             gaps[gap_byte / 6 % std::size(gaps)]);
        t.strides[order[i]] = next;
        next                = wrapped(next, std::max<long_index_t>(t.lengths[order[i]], 1));
    }
}

long_index_t wild(unsigned byte)
{
    using L                        = std::numeric_limits<long_index_t>;
    constexpr long_index_t edges[] = {0,
                                      -1,
                                      2147483647,
                                      -2147483648,
                                      2147483648,
                                      L::max(),
                                      L::min(),
                                      L::max() - 1,
                                      65535,
                                      65536,
                                      46341,
                                      4294967296,
                                      -2147483647,
                                      1073741824,
                                      536870911,
                                      long_index_t{1} << 60,
                                      (long_index_t{1} << 60) - 1,
                                      long_index_t{1} << 62,
                                      -4294967296,
                                      16777216,
                                      4096,
                                      256,
                                      -7,
                                      32768};
    if(byte < 64)
        return edges[byte % std::size(edges)];
    return byte < 160 ? static_cast<long_index_t>(byte - 64) - 16
                      : long_index_t{1} << (byte - 160) % 63;
}

/// long_vectors: channels that kernels load together.
void decode_sizes(Call& call, Bytes& bytes, bool long_vectors)
{
    constexpr long_index_t groups[]   = {1, 1, 2, 1, 3, 1, 4, 8, 1, 16};
    constexpr long_index_t channels[] = {1, 8, 2, 8, 16, 3, 4, 32, 8, 64, 5, 24};
    constexpr long_index_t strides[]  = {1, 1, 2, 1, 3, 2, 4, 7, 1, 16};
    constexpr long_index_t pads[]     = {0, 1, 0, 2, -1, 3, 0, -2, 1, 5, -4};
    constexpr long_index_t longest[]  = {40, 12, 6};

    auto& [x, w, y, d0, d1] = call.tensors;
    x.lengths[0] = w.lengths[0] = y.lengths[0] = bytes.one_of(groups);
    x.lengths[1] = y.lengths[1] = bytes.next() % 4 + 1;
    if(const unsigned k = bytes.next(); k < 240)
    {
        w.lengths[1] = y.lengths[2] =
            long_vectors ? k % 8 * 8 + 8 : channels[k % std::size(channels)];
        x.lengths[2] = w.lengths[2] =
            long_vectors ? bytes.next() % 8 * 8 + 8 : bytes.one_of(channels);
    }
    else // depthwise
        x.lengths[0] = w.lengths[0] = y.lengths[0] = bytes.next() % 20 + 1;
    for(std::size_t i = 3 - call.rank; i < 3; ++i)
    {
        const unsigned tap_byte = bytes.next();
        w.lengths[3 + i]        = tap_byte < 240 ? tap_byte % 4 + 1 : tap_byte - 239;
        x.lengths[3 + i]        = bytes.next() % longest[call.rank - 1] + 1;
        call.stride[i]          = bytes.one_of(strides);
        call.dilation[i]        = bytes.next() % 16 < 10 ? 1 : 2 + bytes.next() % 3;
        call.pad_low[i]         = bytes.one_of(pads);
        call.pad_high[i]        = bytes.one_of(pads);
        y.lengths[3 + i]        = static_cast<long_index_t>(full_output_length(call, i));
    }
}

/// A D tensor: of the result's lengths, a bias, of any lengths that repeat, or the result itself.
void decode_d(Call& call, Tensor d, Bytes& bytes)
{
    TensorArgument& t      = call.tensors[d];
    const unsigned kind    = bytes.next();
    const unsigned repeats = kind < 96 ? 0u : kind < 144 ? 0x3Bu : kind;
    t.lengths              = call.result().lengths;
    t.at                   = d;
    for(std::size_t i = 0; i < 6; ++i)
        if(repeats >> i & 1)
            t.lengths[i] = 1;
    if(kind >= 80 && kind < 96)
    {
        t.strides = call.result().strides;
        t.at      = result_of(call.direction);
        return;
    }
    const unsigned order = bytes.next();
    lay_out(t, order, bytes.next());
}

void make_mistake(Call& call, Bytes& bytes)
{
    const unsigned what = bytes.next(), where = bytes.next(), value = bytes.next();
    TensorArgument& t   = call.tensors[where % tensor_count];
    const std::size_t i = where / tensor_count % 6, j = where % 3;
    switch(what % 16)
    {
    case 0:
        t.lengths[i] = wild(value);
        break;
    case 1:
    case 2:
        t.strides[i] = wild(value);
        break;
    case 3: // in all tensors that have it
        for(Tensor other : {tensor_x, tensor_w, tensor_y})
            if(i == 0 || (i == 1 && other != tensor_w))
                call.tensors[other].lengths[i] = wild(value);
        if(i == 2)
            call.tensors[tensor_x].lengths[2] = call.tensors[tensor_w].lengths[2] = wild(value);
        if(i == 3)
            call.tensors[tensor_w].lengths[1] = call.tensors[tensor_y].lengths[2] = wild(value);
        break;
    case 4:
        std::array{&call.stride, &call.dilation, &call.pad_low, &call.pad_high}[where / 3 % 4]->at(
            j) = wild(value);
        [[fallthrough]];
    case 5: // lengths that follow again
        for(std::size_t k = 0; k < 3; ++k)
            call.tensors[tensor_y].lengths[3 + k] =
                static_cast<long_index_t>(full_output_length(call, k));
        break;
    case 6:
        call.tensors[tensor_y].lengths[3 + j] = static_cast<long_index_t>(
            full_output_length(call, j) + static_cast<int>(value % 8) - 6);
        break;
    case 7:
        t.null = true;
        break;
    case 8: // off by bytes, or by elements
        t.offset += value % 16 == 0 ? 1 + value / 16 : 2 * (value % 16);
        break;
    case 9: // into another's memory
        t.at     = static_cast<Tensor>(value % tensor_count);
        t.offset = 2 * (where / tensor_count) * (value / tensor_count % 16);
        break;
    case 10:
        call.split_k = wild(value);
        break;
    case 11:
        call.workspace = value % 2 == 0 ? Workspace::none : Workspace::misaligned;
        break;
    case 12:
        std::swap(t.strides[i], t.strides[value % 6]);
        break;
    case 13:
        t.strides[i] = wrapped(t.strides[i], -1);
        break;
    case 14: // packed again, for the lengths of now
        lay_out(t, where / tensor_count, value);
        break;
    case 15:
        (value % 2 == 0 ? call.longer : call.shorter) = where % 7;
        break;
    }
}

} // namespace

Call decode(Direction direction, const std::uint8_t* data, std::size_t size)
{
    constexpr long_index_t splits[] = {1, -1, 2, 3, 0, -1, 4, 5, 1, 1000};
    Bytes bytes(data, size);
    Call call;
    call.direction       = direction;
    call.rank            = bytes.next() % 3 + 1;
    call.run_by          = bytes.next();
    call.split_k         = bytes.one_of(splits);
    call.seed            = bytes.next();
    const unsigned style = bytes.next();
    const bool packed    = style % 2 == 0; // channels last
    decode_sizes(call, bytes, style / 2 % 2 == 0);
    for(Tensor t : {tensor_x, tensor_w, tensor_y})
    {
        const unsigned order = bytes.next(), gap = bytes.next();
        lay_out(call.tensors[t], packed ? order % 4 : order, packed ? 0 : gap);
        call.tensors[t].at = t;
    }
    decode_d(call, tensor_d0, bytes);
    decode_d(call, tensor_d1, bytes);
    for(int i = 0; i < 6 && !bytes.empty(); ++i)
        make_mistake(call, bytes);
    return call;
}

} // namespace ck::fuzz
