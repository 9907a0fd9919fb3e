// The launch of a separate epilogue on tensors of any strides and addresses, in place and from
// another tensor, against plain loops: integers, so exact.
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/launch_list.hpp"

#include <gtest/gtest.h>

#include "guarded_memory.hpp"
#include "library/tensor_operation_instance/kernel_setup.hpp"
#include "rewrites/separate_epilogue_launches.hpp"
#include <random>

namespace ck::test::separate_epilogue {
namespace {

using element_wise::ConvEpilogue;
using tensor_operation::device::DArgument;

/// Elements at `first` elements from a multiple of 16 bytes; or, where that is below 0, at the end
/// of what may be read.
struct Memory
{
    Memory(const Element& e, long_index_t first, long_index_t count, std::mt19937& random)
        : of(e),
          values(static_cast<std::size_t>(count)),
          bytes(values.size() * of.size),
          memory(bytes.size() + 16 * of.size),
          begin(first < 0 ? memory.size() - bytes.size()
                          : static_cast<std::size_t>(first) * of.size)
    {
        for(std::size_t i = 0; i < values.size(); ++i)
        {
            values[i] = static_cast<double>(random() % 9) - 4;
            of.store(bytes.data() + i * of.size, values[i]);
        }
        HIP_CHECK_ERROR(hipMemcpy(at(), bytes.data(), bytes.size(), hipMemcpyHostToDevice));
    }
    void* at() const { return memory.address() + begin; }
    std::vector<double> read() const
    {
        std::vector<char> now(bytes.size());
        HIP_CHECK_ERROR(hipMemcpy(now.data(), at(), now.size(), hipMemcpyDeviceToHost));
        std::vector<double> r(values.size());
        for(std::size_t i = 0; i < r.size(); ++i)
            r[i] = of.load(now.data() + i * of.size);
        return r;
    }

    const Element& of;
    std::vector<double> values;
    std::vector<char> bytes; ///< what they were
    GuardedMemory memory;
    std::size_t begin;
};

/// Strides in a random order, or channels last or first; with gaps, or without.
TensorStrides strides_in_memory(const TensorLengths& lengths, std::mt19937& random)
{
    std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5}; // slowest first
    switch(random() % 3)
    {
    case 0:
        order = {1, 3, 4, 5, 0, 2};
        break;
    case 1:
        order = {1, 0, 2, 3, 4, 5};
        break;
    default:
        std::shuffle(order.begin(), order.end(), random);
    }
    TensorStrides strides{};
    long_index_t next = 1;
    for(std::size_t i = order.size(); i-- > 0;)
    {
        strides[order[i]] = next;
        next *= lengths[order[i]];
        if(random() % 12 == 0)
            next += static_cast<long_index_t>(1 + random() % 8);
    }
    return strides;
}

long_index_t span(const TensorLengths& lengths, const TensorStrides& strides)
{
    long_index_t last = 0;
    for(std::size_t i = 0; i < lengths.size(); ++i)
        last += (lengths[i] - 1) * strides[i];
    return last + 1;
}

/// Channels' numbers, or a tensor like the result, or of its own strides.
TensorStrides
strides_of_d(const TensorLengths& lengths, const TensorStrides& result, std::mt19937& random)
{
    const auto which = random() % 4;
    return which < 2    ? TensorStrides{lengths[2], 0, 1, 0, 0, 0}
           : which == 2 ? result
                        : strides_in_memory(lengths, random);
}

void expect_right(const std::string& type, std::mt19937& random)
{
    using Place      = ConvEpilogue::Place;
    const Element& e = element(type);
    const auto pick  = [&](std::initializer_list<long_index_t> from) {
        return *(from.begin() + random() % from.size());
    };
    const auto first = [&] { return pick({-1, -1, 0, 0, 1, 2, 3, 4, 8}); };
    EpilogueLaunch how{};
    how.type            = type;
    how.lengths         = {pick({1, 1, 2, 3}),
                           pick({1, 2, 5}),
                           pick({1, 3, 7, 8, 16, 17, 64}),
                           1,
                           pick({1, 4, 7}),
                           pick({1, 7, 8, 49})};
    how.result          = strides_in_memory(how.lengths, random);
    const bool in_place = random() % 2 == 0;
    how.sum             = in_place ? how.result : strides_in_memory(how.lengths, random);
    how.factor       = {static_cast<float>(1 + random() % 2), static_cast<float>(1 + random() % 2)};
    ConvEpilogue& op = how.operation;
    op.scale         = static_cast<float>(1 + random() % 3);
    op.place1        = static_cast<Place>(random() % 3);
    op.place2        = static_cast<Place>(random() % 3);
    if(random() % 2 == 0)
        op.activation = ConvEpilogue::Activation::clamp, op.least = -3, op.most = 9;
    const Memory result(e, first(), span(how.lengths, how.result), random);
    const Memory other(e, first(), span(how.lengths, how.sum), random);
    const Memory& sums = in_place ? result : other;
    std::vector<Memory> d;
    d.reserve(2);
    for(auto& argument : how.d)
    {
        argument.strides = strides_of_d(how.lengths, how.result, random);
        d.emplace_back(e, first(), span(how.lengths, argument.strides), random);
        argument.pointer = d.back().at();
    }
    std::vector<double> right = result.values;
    const auto& l             = how.lengths;
    for(long_index_t i = 0; i < element_count(l); ++i)
    {
        long_index_t rest = i, at = 0, at_sum = 0, at_d[2]{};
        for(std::size_t dim = l.size(); dim-- > 0; rest /= l[dim])
        {
            const long_index_t digit = rest % l[dim];
            at += digit * how.result[dim];
            at_sum += digit * how.sum[dim];
            for(std::size_t j = 0; j < 2; ++j)
                at_d[j] += digit * how.d[j].strides[dim];
        }
        const auto added = [&](Place place) {
            double sum = 0;
            for(std::size_t j = 0; j < 2; ++j)
                if((j == 0 ? op.place1 : op.place2) == place)
                    sum += how.factor[j] * d[j].values[static_cast<std::size_t>(at_d[j])];
            return sum;
        };
        double v = op.scale * sums.values[static_cast<std::size_t>(at_sum)] + added(Place::before);
        if(op.activation == ConvEpilogue::Activation::clamp)
            v = std::clamp(v, -3., 9.);
        right[static_cast<std::size_t>(at)] = v + added(Place::after);
    }
    LaunchList list;
    apply_epilogue(how, sums.at(), result.at(), list);
    list.run(StreamConfig{});
    EXPECT_EQ(result.read(), right) << type << ", lengths " << l[0] << ' ' << l[1] << ' ' << l[2]
                                    << ' ' << l[4] << ' ' << l[5] << (in_place ? ", in place" : "");
}

} // namespace

TEST(SeparateEpilogueLaunch, IsRightOfAnyStridesAndAddresses)
{
    std::mt19937 random(5);
    for(const char* const type : {"f64", "f32", "f16", "bf16"})
        for(int i = 0; i < 250; ++i)
            expect_right(type, random);
}

// A bias beside packed tensors of both layouts is read once for each vector, or in vectors.
TEST(SeparateEpilogueLaunch, TakesVectorsOfPackedTensors)
{
    for(const long_index_t channels : {96, 65})
        for(const bool last : {true, false})
        {
            EpilogueLaunch how{};
            how.type    = "bf16";
            how.lengths = {1, 8, channels, 1, 7, 7};
            how.result  = last ? TensorStrides{0, 49 * channels, 1, 0, 7 * channels, channels}
                               : TensorStrides{0, 49 * channels, 49, 0, 7, 1};
            how.sum     = how.result;
            how.d[0]    = {nullptr, {channels, 0, 1, 0, 0, 0}};
            how.operation.place1 = ConvEpilogue::Place::before;
            const auto aligned   = reinterpret_cast<void*>(std::uintptr_t{32}),
                       odd       = reinterpret_cast<void*>(std::uintptr_t{34});
            EXPECT_LT(predicted_epilogue(how, aligned, aligned), predicted_epilogue(how, odd, odd));
        }
}

} // namespace ck::test::separate_epilogue
