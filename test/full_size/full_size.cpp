// Convolutions of the sizes that networks have, all three directions, on the device: against the
// naive references there. On the emulated platforms the same problems with fewer images, pixels and
// channels.
//
// Labels: not sanitized
#include "ck/ck.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/utility/device_memory.hpp"
#include "ck/library/utility/error_bound.hpp"

#include <gtest/gtest.h>

#include "full_size/kernels.hpp"
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace ck::test {
namespace {

struct Network
{
    const char* name;
    long_index_t groups, batch, out_channels, in_channels; // channels of a group
    Spatial filter, input, stride, dilation, pad_low, pad_high;
};

constexpr Spatial one{1, 1, 1}, none{0, 0, 0};

constexpr Network networks[] = {
    {"resnet50_3x3", 1, 256, 64, 64, {1, 3, 3}, {1, 56, 56}, one, one, {0, 1, 1}, {0, 1, 1}},
    {"resnet50_3x3_stride2",
     1,
     256,
     128,
     128,
     {1, 3, 3},
     {1, 56, 56},
     {1, 2, 2},
     one,
     {0, 1, 1},
     {0, 1, 1}},
    {"resnet50_1x1_stride2", 1, 256, 1024, 512, one, {1, 28, 28}, {1, 2, 2}, one, none, none},
    {"resnext101_32_groups_stride2",
     32,
     128,
     32,
     32,
     {1, 3, 3},
     {1, 28, 28},
     {1, 2, 2},
     one,
     {0, 1, 1},
     {0, 1, 1}},
    {"vgg_3x3", 1, 64, 256, 256, {1, 3, 3}, {1, 56, 56}, one, one, {0, 1, 1}, {0, 1, 1}},
    {"deeplab_dilation12",
     1,
     16,
     256,
     2048,
     {1, 3, 3},
     {1, 33, 33},
     one,
     {1, 12, 12},
     {0, 12, 12},
     {0, 12, 12}},
    {"pads_on_one_side_7x7_stride2",
     1,
     64,
     64,
     8,
     {1, 7, 7},
     {1, 224, 224},
     {1, 2, 2},
     one,
     {0, 2, 2},
     {0, 3, 3}},
    {"unet3d_3x3x3", 1, 2, 128, 256, {3, 3, 3}, {32, 32, 32}, one, one, one, one},
    {"unet3d_stride2", 1, 2, 64, 32, {3, 3, 3}, {128, 128, 128}, {2, 2, 2}, one, one, one},
    {"wav2vec_1d_stride2", 1, 16, 512, 512, {1, 1, 3}, {1, 1, 31999}, {1, 1, 2}, one, none, none},
    {"hifigan_1d_dilation5",
     1,
     16,
     128,
     128,
     {1, 1, 11},
     {1, 1, 8192},
     one,
     {1, 1, 5},
     {0, 0, 25},
     {0, 0, 25}},
};

void PrintTo(const Network& n, std::ostream* out) { *out << n.name; }

/// GPUs compute all of it. Emulators keep filter, strides, dilations and pads.
ConvProblem problem_of(const Network& network)
{
    Network n = network;
    if(arch::emulated || std::getenv("EMU_ARCH") != nullptr)
    {
        n.groups       = std::min<long_index_t>(n.groups, 2);
        n.batch        = 2;
        n.in_channels  = std::min<long_index_t>(n.in_channels, 40);
        n.out_channels = std::min<long_index_t>(n.out_channels, 72);
        for(std::size_t d = 0; d < 3; ++d)
            n.input[d] = std::min(
                n.input[d], n.dilation[d] * (n.filter[d] - 1) + 1 + 2 * n.stride[d] - n.pad_low[d]);
    }
    return make_packed_problem(n.groups,
                               n.batch,
                               n.out_channels,
                               n.in_channels,
                               n.filter,
                               n.input,
                               n.stride,
                               n.dilation,
                               n.pad_low,
                               n.pad_high);
}

/// Threads of the kernels below that walk over arrays.
constexpr index_t block_size = 256, grid_size = 256;

template <class Kernel>
void launch(const typename Kernel::Params& params)
{
    HIP_CHECK_ERROR(arch::launch<Kernel>(grid_size, nullptr, params));
}

struct OverAnArray
{
    struct SharedStorage
    {};
    static constexpr index_t block_size            = test::block_size;
    static constexpr index_t min_blocks_per_cu     = 1;
    static constexpr arch::Requirement requirement = arch::Requirement::none;

    CK_DEVICE static long_index_t thread()
    {
        return long_index_t{arch::block_index()} * test::block_size + arch::thread_index();
    }
    static constexpr long_index_t threads = long_index_t{grid_size} * test::block_size;
};

/// What a test's tensors hold.
enum class Data
{
    integers, // integers in [-2, 2]: all sums are exact
    reals,    // numbers in scale * [0.5, 1): a sum is the sum of its magnitudes
};

struct Fill : OverAnArray
{
    struct Params
    {
        half_t* x;
        long_index_t size;
        Data data;
        float scale; // a power of 2
        std::uint64_t seed;
    };
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        for(long_index_t i = thread(); i < p.size; i += threads)
        {
            // splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators,
            // 2014): tensors of equal shapes must not be correlated, or sums overflow.
            std::uint64_t bits =
                (static_cast<std::uint64_t>(i) + (p.seed << 40)) * 0x9E3779B97F4A7C15u;
            bits   = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
            bits   = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
            bits   = (bits ^ bits >> 31) >> 16;
            p.x[i] = type_convert<half_t>(
                p.data == Data::integers
                    ? static_cast<float>(static_cast<index_t>(bits % 5) - 2)
                    : p.scale * static_cast<float>(1024 + bits % 1024) / 2048.f);
        }
    }
};

/// Counts the elements that are too far from the reference.
struct Compare : OverAnArray
{
    struct Params
    {
        const half_t* got;
        const double* expected;
        long_index_t size;
        double relative, absolute; // both 0: must equal the reference rounded to f16
        index_t* wrong;            // [threads]
    };
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        index_t wrong = 0;
        for(long_index_t i = thread(); i < p.size; i += threads)
        {
            const auto got     = type_convert<double>(p.got[i]);
            const double best  = p.expected[i];
            const double error = p.relative == 0
                                     ? got - type_convert<double>(type_convert<half_t>(best))
                                     : got - best;
            const double bound = p.relative * best + p.absolute; // reals are positive
            wrong += !(-bound <= error && error <= bound);       // counts NaN as wrong
        }
        p.wrong[thread()] = wrong;
    }
};

struct Dot : OverAnArray
{
    struct Params
    {
        const double* a;
        const half_t* b;
        long_index_t size;
        double* sums; // [threads]
    };
    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        double sum = 0;
        for(long_index_t i = thread(); i < p.size; i += threads)
            sum += p.a[i] * type_convert<double>(p.b[i]);
        p.sums[thread()] = sum;
    }
};

struct Array
{
    explicit Array(const TensorLengths& lengths)
        : size(element_count(lengths)),
          memory(static_cast<std::size_t>(size) * sizeof(half_t))
    {}
    half_t* data() const { return static_cast<half_t*>(memory.GetDeviceBuffer()); }
    void fill(Data data, float scale, std::uint64_t seed) const
    {
        launch<Fill>({this->data(), size, data, scale, seed});
    }
    void fill_with_nan() const { HIP_CHECK_ERROR(hipMemset(data(), 0xFF, memory.GetBufferSize())); }
    long_index_t size;
    DeviceMem memory;
};

/// The sum of one value a thread.
template <class Kernel, class T>
double sum_over_threads(typename Kernel::Params params, T* Kernel::Params::*values)
{
    const DeviceMem memory(OverAnArray::threads * sizeof(T));
    params.*values = static_cast<T*>(memory.GetDeviceBuffer());
    launch<Kernel>(params);
    std::vector<T> sums(OverAnArray::threads);
    memory.FromDevice(sums.data());
    return std::accumulate(sums.begin(), sums.end(), 0.);
}

class FullSize : public testing::TestWithParam<Network>
{
protected:
    void SetUp() override
    {
        const TensorLengths all[] = {
            problem.input_lengths(), problem.filter_lengths(), problem.output_lengths()};
        std::size_t needed = std::size_t{1} << 30; // workspaces
        for(const TensorLengths& lengths : all)
            needed += static_cast<std::size_t>(element_count(lengths)) * (2 + 2 + 8);
        std::size_t free = 0, total = 0;
        HIP_CHECK_ERROR(hipMemGetInfo(&free, &total));
        if(!arch::emulated && std::getenv("EMU_ARCH") == nullptr && free < needed)
            GTEST_SKIP() << "needs " << needed << " bytes of device memory, " << free
                         << " are free";
    }

    /// Elements of the reduction, padding included.
    long_index_t reduction(Direction d) const
    {
        const Spatial f = problem.filter, o = problem.output();
        const long_index_t taps = f[0] * f[1] * f[2];
        return d == Direction::forward         ? taps * problem.in_channels
               : d == Direction::backward_data ? taps * problem.out_channels
                                               : problem.batch * o[0] * o[1] * o[2];
    }

    /// All directions with every engine that the device has.
    void expect_right(Data data)
    {
        const Array x(problem.input_lengths()), w(problem.filter_lengths()),
            y(problem.output_lengths());
        // Sums stay below 256 and far from f16's denormal numbers.
        const auto scale = [&](long_index_t length) {
            return static_cast<float>(std::exp2(8 - std::ceil(std::log2(length))));
        };
        x.fill(data, 1, 1);
        w.fill(data,
               scale(std::max(reduction(Direction::forward), reduction(Direction::backward_data))),
               2);
        y.fill(data, scale(reduction(Direction::backward_weight)), 3);

        const std::vector<Kernel> kernels = all_kernels();
        std::vector<double> forms;
        for(const Direction direction :
            {Direction::forward, Direction::backward_data, Direction::backward_weight})
        {
            const Array& like = direction == Direction::forward         ? y
                                : direction == Direction::backward_data ? x
                                                                        : w;
            const DeviceMem memory(static_cast<std::size_t>(like.size) * sizeof(double));
            auto* const reference = static_cast<double*>(memory.GetDeviceBuffer());
            if(direction == Direction::forward)
                ref::naive_conv_fwd(problem, x.data(), w.data(), reference);
            else if(direction == Direction::backward_data)
                ref::naive_conv_bwd_data(problem, reference, w.data(), y.data());
            else
                ref::naive_conv_bwd_weight(problem, x.data(), reference, y.data());
            forms.push_back(sum_over_threads<Dot, double>(
                {reference, like.data(), like.size, nullptr}, &Dot::Params::sums));

            const auto length = static_cast<double>(reduction(direction));
            const double bound =
                data == Data::integers ? 0 : utils::error_bound<half_t, half_t, half_t>(length, 1);
            int ran = 0;
            for(const Kernel& kernel : kernels)
            {
                if(kernel.direction != direction ||
                   !arch::meets(current_target(), kernel.requirement))
                    continue;
                SCOPED_TRACE(std::string(name(direction)) + ", " + kernel.engine);
                const Array result(direction == Direction::forward ? problem.output_lengths()
                                   : direction == Direction::backward_data
                                       ? problem.input_lengths()
                                       : problem.filter_lengths());
                result.fill_with_nan();
                half_t* const out = result.data();
                EXPECT_EQ(kernel.run(problem,
                                     direction == Direction::backward_data ? out : x.data(),
                                     direction == Direction::backward_weight ? out : w.data(),
                                     direction == Direction::forward ? out : y.data()),
                          "");
                EXPECT_EQ((sum_over_threads<Compare, index_t>(
                              {out,
                               reference,
                               result.size,
                               bound,
                               data == Data::integers ? 0 : utils::denormal_roundoff<half_t>,
                               nullptr},
                              &Compare::Params::wrong)),
                          0.);
                ++ran;
            }
            EXPECT_GE(ran, 1) << name(direction) << ": no engine ran";
        }
        if(data == Data::integers) // <conv(x, w), dy> = <x, dx> = <w, dw>, all exact
        {
            EXPECT_EQ(forms[0], forms[1]);
            EXPECT_EQ(forms[0], forms[2]);
            EXPECT_NE(forms[0], 0.);
        }
    }

    const ConvProblem problem = problem_of(GetParam());
};

TEST_P(FullSize, IntegersExactlyAndAdjoint) { expect_right(Data::integers); }
TEST_P(FullSize, RealsWithinTheBound) { expect_right(Data::reals); }

INSTANTIATE_TEST_SUITE_P(Networks, FullSize, testing::ValuesIn(networks), [](const auto& info) {
    return std::string(info.param.name);
});

} // namespace
} // namespace ck::test
