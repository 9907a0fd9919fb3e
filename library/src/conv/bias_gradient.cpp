// The two launches of a bias gradient, for each pair of types.
#include "conv/bias_gradient.hpp"

#include "ck/host_utility/launch_list.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_channel_sums.hpp"
#include "ck/utility/data_type.hpp"

#include <algorithm>
#include <string>

namespace ck::conv {

namespace {

using Channels = FlatIndex<6, 2>;
using Rows     = FlatIndex<6, 1>;

/// partial sums: of this launch; the input's rows and channels have these indices.
template <class In, class Out>
void add(LaunchList& list,
         const void* in,
         void* out,
         const Channels& channels,
         const Rows& rows,
         long_index_t row_count,
         index_t partial_sums,
         index_t channel_lanes)
{
    using Kernel = grid::GridwiseChannelSums<In, Out>;
    typename Kernel::Params p{static_cast<const In*>(in),
                              static_cast<Out*>(out),
                              channels,
                              rows,
                              row_count,
                              (row_count + partial_sums - 1) / partial_sums,
                              partial_sums,
                              channel_lanes};
    list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(p)), p);
}

/// The kernels for a pair of types: elements to partial sums, and partial sums to sums.
struct Pair
{
    DataType in, out;
    decltype(&add<float, float>) to_partial_sums, to_sums;
    std::size_t partial_bytes;
};
constexpr Pair pairs[]{
    {DataType::f64, DataType::f64, add<double, double>, add<double, double>, sizeof(double)},
    {DataType::f32, DataType::f32, add<float, float>, add<float, float>, sizeof(float)},
    {DataType::f16, DataType::f16, add<half_t, float>, add<float, half_t>, sizeof(float)},
    {DataType::f16, DataType::f32, add<half_t, float>, add<float, float>, sizeof(float)},
    {DataType::bf16, DataType::bf16, add<bhalf_t, float>, add<float, bhalf_t>, sizeof(float)},
    {DataType::bf16, DataType::f32, add<bhalf_t, float>, add<float, float>, sizeof(float)}};

const Pair& pair_of(DataType in, DataType out)
{
    for(const Pair& pair : pairs)
        if(pair.in == in && pair.out == out)
            return pair;
    throw Refused(std::string("ck::ConvSpec: bias_gradient is set, with dY of ") + name(in) +
                  " and dW of " + name(out) +
                  ", but is computed of f64, f32, f16 and bf16, in the same type, or of f16 and "
                  "bf16 in f32");
}

/// The smallest power of two that is not less than n; at least 1.
index_t power_of_two_from(long_index_t n)
{
    index_t power = 1;
    while(power < n)
        power *= 2;
    return power;
}

} // namespace

BiasGradient BiasGradient::make(DataType in,
                                DataType out,
                                const TensorLengths& lengths,
                                const TensorStrides& strides)
{
    BiasGradient b{in, out, lengths, strides, 1, 1, 0};
    const Pair& pair             = pair_of(in, out);
    const auto channels          = static_cast<long_index_t>(b.channels());
    const long_index_t rows      = lengths[1] * lengths[3] * lengths[4] * lengths[5];
    bool channels_are_neighbours = true;
    for(const std::size_t d : {1, 3, 4, 5})
        channels_are_neighbours =
            channels_are_neighbours && (lengths[d] == 1 || strides[d] > strides[2]);
    constexpr index_t threads = 256;
    if(channels_are_neighbours)
        b.channel_lanes = power_of_two_from(std::min<long_index_t>(channels, 64));
    // Enough blocks to fill a large device, each with work for its threads. Independent of the
    // device, and so are the sums.
    const long_index_t tiles = (channels + b.channel_lanes - 1) / b.channel_lanes,
                       most  = rows * b.channel_lanes / (threads * 8);
    b.partial_sums           = static_cast<index_t>(
        std::clamp<long_index_t>(most, 1, std::max<long_index_t>(1024 / tiles, 1)));
    b.workspace = static_cast<std::size_t>(b.partial_sums) * b.channels() * pair.partial_bytes;
    return b;
}

void BiasGradient::add(LaunchList& list, const void* dy, void* sums, void* workspace_at) const
{
    const Pair& pair = pair_of(in, out);
    // An index needs lengths of at least 1; the number of rows says whether there are any.
    TensorLengths of_channels{lengths[0], 1, lengths[2], 1, 1, 1}, of_rows = lengths;
    of_rows[0] = of_rows[2] = 1;
    const long_index_t rows = element_count(of_rows);
    for(long_index_t& length : of_rows)
        length = std::max<long_index_t>(length, 1);
    // Threads take channels in dY's order in memory, which may differ from that of their numbers.
    const TensorStrides numbers{lengths[2], 0, 1, 0, 0, 0};
    pair.to_partial_sums(list,
                         dy,
                         workspace_at,
                         Channels::make(of_channels, std::array{strides, numbers}),
                         Rows::make(of_rows, std::array<TensorStrides, 1>{strides}),
                         rows,
                         partial_sums,
                         channel_lanes);
    using One        = std::array<long_index_t, 1>;
    const auto count = static_cast<long_index_t>(channels());
    pair.to_sums(list,
                 workspace_at,
                 sums,
                 Channels::make(One{count}, std::array{One{1}, One{1}}),
                 Rows::make(One{partial_sums}, std::array<One, 1>{One{count}}),
                 partial_sums,
                 1,
                 power_of_two_from(std::min<long_index_t>(count, 64)));
}

void BiasGradient::run(const void* dy,
                       void* sums,
                       void* workspace_at,
                       const StreamConfig& config) const
{
    LaunchList list;
    add(list, dy, sums, workspace_at);
    list.run(config);
}

} // namespace ck::conv
