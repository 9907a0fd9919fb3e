// The launches that copy tensors. Contiguous pixels get more channels; planes are transposed
// through registers; other tensors are transposed in tiles through LDS, like blocked layouts whose
// blocks are the channels of a pixel. If those do not fill a vector, or if there are more
// dimensions than in a blocked layout, elements are copied one by one.
#include "rewrites/channel_copy.hpp"

#include "ck/tensor_operation/gpu/conv/model/predicted_time.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_blocked_copy.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_layout_conversion.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_pad_channels.hpp"

#include <optional>
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// Fewer workgroups and words at a time than in conversions of blocked layouts: registers would
/// spill (sm_90a; on gfx90a, scalar registers with clang 15).
constexpr grid::BlockedCopyTuning tile_tuning{.min_blocks_per_cu = 3, .words = 4};

/// y = x
struct Copy
{
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& y, const T& x) const
    {
        y = x;
    }
};

long_index_t rounded_up(long_index_t n, long_index_t to) { return (n + to - 1) / to * to; }

/// The copy of a tensor whose pixels, or taps, have the same order as in the copy.
std::optional<grid::PadChannels> padded(const ChannelCopy& c)
{
    const auto& [g, n, channels, d, h, w] = c.lengths;
    if(g != 1 || (channels > 1 && c.original[2] != 1) || element_count(c.lengths) == 0 ||
       c.pitch * c.element_bytes % 16 != 0 || c.rows * d * h * w >= long_index_t{1} << 31)
        return std::nullopt;
    long_index_t pixels = 1;
    for(const std::size_t i : {5, 4, 3, 1}) // w, h, d, n
    {
        if(c.lengths[i] > 1 &&
           (c.original[i] != pixels * channels || c.copy[i] != pixels * c.pitch))
            return std::nullopt;
        pixels *= c.lengths[i];
    }
    return grid::PadChannels{
        pixels, pixels / n * c.rows, static_cast<index_t>(channels), static_cast<index_t>(c.pitch)};
}

/// The copy of a tensor whose channels are planes.
std::optional<grid::ChannelsFirstTensor> channels_first(const ChannelCopy& c)
{
    const auto& [g, n, channels, d, h, w] = c.lengths;
    if(element_count(c.lengths) == 0 || c.pitch * c.element_bytes % 16 != 0)
        return std::nullopt;
    long_index_t pixels = 1;
    for(const std::size_t i : {5, 4, 3}) // w, h, d
    {
        if(c.lengths[i] > 1 && (c.original[i] != pixels || c.copy[i] != pixels * c.pitch))
            return std::nullopt;
        pixels *= c.lengths[i];
    }
    const bool joins           = c.joins_groups && g > 1; // an image has the channels of all groups
    const long_index_t repeats = joins ? 1 : g;           // groups that are additional images
    const long_index_t all     = joins ? g * channels : channels;
    if((n > 1 || c.rows > 1) && c.copy[1] != pixels * c.pitch)
        return std::nullopt;
    if(repeats > 1 && (c.rows != n || c.copy[0] != n * pixels * c.pitch ||
                       (n > 1 && c.original[0] != n * c.original[1])))
        return std::nullopt;
    const grid::ChannelsFirstTensor r{.images   = repeats * n,
                                      .copied   = repeats * c.rows,
                                      .pixels   = pixels,
                                      .channels = all,
                                      .pitch    = c.pitch,
                                      .image    = n > 1   ? c.original[1]
                                                  : g > 1 ? c.original[0]
                                                          : 0,
                                      .plane    = all == 1        ? 0
                                                  : channels == 1 ? c.original[0]
                                                                  : c.original[2]};
    if(r.copied * pixels * (c.pitch * c.element_bytes / 16) >
       DeviceLayoutConversion<true>::most_vectors)
        return std::nullopt;
    return r;
}

/// The largest part of the pitch that is whole granules and at most 128 bytes.
index_t block_of(const ChannelCopy& c)
{
    const index_t granule = channel_granule(c.element_bytes);
    index_t block         = 128 / c.element_bytes;
    while(c.pitch % block != 0)
        block -= granule;
    return block;
}

/// The copy as a blocked layout, and the strides of the tensor.
struct Blocked
{
    BlockedLayout blocked;
    PackedStrides packed;
};
std::optional<Blocked> blocked(const ChannelCopy& c)
{
    const auto& [g, n, channels, d, h, w] = c.lengths;
    if(c.pitch % channel_granule(c.element_bytes) != 0)
        return std::nullopt;
    struct Dimension
    {
        long_index_t length, original, copy;
    };
    std::array<Dimension, 4> outer;
    for(std::size_t i = 0; i < 4; ++i) // n, d, h, w
    {
        const std::size_t of = i == 0 ? 1 : i + 2;
        outer[i]             = {c.lengths[of], c.original[of], c.copy[of]};
    }
    if(!c.joins_groups && g > 1)
    {
        if(c.original[0] == n * c.original[1] && c.copy[0] == n * c.copy[1])
            outer[0].length = g * n;
        else if(d == 1)
            outer[1] = {g, c.original[0], c.copy[0]};
        else
            return std::nullopt;
    }
    const long_index_t of_pixel = c.joins_groups ? g * channels : channels;
    const index_t block         = block_of(c);
    Blocked r{{block, of_pixel, {}, outer[0].length + c.rows - n, {}, block},
              {{}, c.original[channels == 1 && c.joins_groups ? 0 : 2]}};
    for(std::size_t i = 0; i < 4; ++i)
    {
        r.blocked.lengths[i] = outer[i].length;
        r.blocked.strides[i] = outer[i].copy;
        r.packed.outer[i]    = outer[i].original;
    }
    return r;
}

ElementwiseArguments<Copy>
one_by_one(const ChannelCopy& c, const void* from, void* to, bool to_tensor)
{
    return {{},
            c.lengths,
            {{to_tensor ? "its copy" : c.name, from, nullptr, to_tensor ? c.copy : c.original}},
            {{to_tensor ? c.name : "its copy", to, to, to_tensor ? c.original : c.copy}},
            {}};
}

/// Calls f(type) with a type that has the size of an element.
template <class F>
auto with_type(index_t element_bytes, const F& f)
{
    return element_bytes == 1   ? f(std::uint8_t{})
           : element_bytes == 2 ? f(std::uint16_t{})
                                : f(std::uint32_t{});
}

template <bool to_blocks>
void add(const ChannelCopy& c, const void* from, void* to, LaunchList& list)
{
    if(const auto pixels = padded(c))
        return DevicePadChannels<to_blocks>::add(list, {*pixels, c.element_bytes, from, to});
    if(const auto tensor = channels_first(c))
    {
        // Single elements are written faster with tiles: backward data with 512 channels of 31999
        // pixels takes 1.16 ms on an H200, and 1.45 with planes.
        using Conversion = DeviceLayoutConversion<to_blocks>;
        const typename Conversion::Argument a{*tensor, c.element_bytes, from, to};
        if(to_blocks || Conversion::has_runs(a) || !blocked(c))
            return Conversion::add(list, a);
    }
    return with_type(c.element_bytes, [&]<class T>(T) {
        if(const auto b = blocked(c))
            return DeviceBlockedCopy<T, to_blocks, tile_tuning>::add(
                list, {b->blocked, b->packed, from, to});
        if(element_count(c.lengths) == 0)
            return;
        return ElementwiseLaunch<Tuple<T>, Tuple<T>, Copy>::add(
            list, one_by_one(c, from, to, !to_blocks));
    });
}

} // namespace

ChannelCopy ChannelCopy::of_image(std::string name,
                                  const TensorLengths& lengths,
                                  const TensorStrides& original,
                                  index_t element_bytes,
                                  long_index_t channels)
{
    const auto& [g, n, c, d, h, w] = lengths;
    ChannelCopy r{std::move(name), lengths, original, {}, element_bytes, n, 0, true};
    r.joins_groups = g == 1 || c == 1 || original[0] == c * original[2];
    // Without groups, callers choose between contiguous pixels and more channels.
    const index_t granule   = g == 1 ? 1 : channel_granule(element_bytes);
    r.pitch                 = rounded_up(r.joins_groups ? g * channels : channels, granule);
    const long_index_t line = w * r.pitch;
    r.copy                  = {
                         r.joins_groups ? channels : n * d * h * line, d * h * line, 1, h * line, line, r.pitch};
    return r;
}

ChannelCopy ChannelCopy::of_filters(std::string name,
                                    const TensorLengths& lengths,
                                    const TensorStrides& original,
                                    index_t element_bytes,
                                    long_index_t rows,
                                    long_index_t channels)
{
    const auto& [g, k, c, z, y, x] = lengths;
    ChannelCopy r{std::move(name), lengths, original, {}, element_bytes, rows, channels, g == 1};
    const long_index_t line = x * channels, filter = z * y * line;
    r.copy = {rows * filter, filter, 1, y * line, line, channels};
    return r;
}

std::size_t ChannelCopy::bytes() const
{
    const auto& [g, n, c, d, h, w] = lengths;
    return static_cast<std::size_t>((joins_groups ? 1 : g) * rows * d * h * w * pitch *
                                    element_bytes);
}

Support check_copy(const ChannelCopy& c, const void* tensor)
{
    if(c.element_bytes != 1 && c.element_bytes != 2 && c.element_bytes != 4)
        return refused("an element of " + c.name + " has " + std::to_string(c.element_bytes) +
                       " bytes, but elements of 1, 2 or 4 bytes are copied");
    if(const auto pixels = padded(c))
        return DevicePadChannels<true>::supports({*pixels, c.element_bytes, tensor, nullptr});
    if(const auto tensor_of = channels_first(c))
        return DeviceLayoutConversion<true>::supports(
            {*tensor_of, c.element_bytes, tensor, nullptr});
    return with_type(c.element_bytes, [&]<class T>(T) {
        if(const auto b = blocked(c))
            return DeviceBlockedCopy<T, true>::supports({b->blocked, b->packed, tensor, nullptr});
        return ElementwiseLaunch<Tuple<T>, Tuple<T>, Copy>::supports(
            one_by_one(c, tensor, nullptr, false));
    });
}

void copy_channels_last(const ChannelCopy& c, const void* tensor, void* copy, LaunchList& list)
{
    add<true>(c, tensor, copy, list);
}

void copy_back(const ChannelCopy& c, const void* copy, void* tensor, LaunchList& list)
{
    add<false>(c, copy, tensor, list);
}

double predicted_copy(const ChannelCopy& c)
{
    // Assumed for element-by-element copies. For transposed pixels that do not start at vectors, it
    // was fitted to 33, 66 and 100 channels, and to first layers with 3, on an H200.
    constexpr double slow_factor = 4;
    const long_index_t granule   = channel_granule(c.element_bytes);
    const bool whole   = (c.lengths[2] % granule == 0 || c.original[2] != 1) && blocked(c);
    const double bytes = static_cast<double>(element_count(c.lengths)) * c.element_bytes +
                         static_cast<double>(c.bytes());
    return predicted_transposition(bytes *
                                   (padded(c) || channels_first(c) || whole ? 1 : slow_factor));
}

} // namespace ck::tensor_operation::device::instance
