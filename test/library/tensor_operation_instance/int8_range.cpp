// int8 sums beyond the range in every kernel of PassThrough: the low eight bits, or saturated if
// the argument says so.
#include "library/tensor_operation_instance/complete.hpp"
#include "library/tensor_operation_instance/kernel_setup.hpp"
#include <random>
#include <set>

namespace ck::test::int8_range {
namespace {

/// The sums of a 1x1 convolution of one image: of the products over the channels of X, of Y, or
/// over pixels.
Values
sums(Direction direction, const ConvProblem& p, const Values& x, const Values& w, const Values& y)
{
    const auto count       = [](long_index_t n) { return static_cast<std::size_t>(n); };
    const auto channels_in = count(p.in_channels), channels_out = count(p.out_channels),
               pixels = count(p.input[2]);
    Values r = direction == Direction::forward ? y : direction == Direction::backward_data ? x : w;
    std::fill(r.values.begin(), r.values.end(), 0.);
    for(std::size_t k = 0; k < channels_out; ++k)
        for(std::size_t c = 0; c < channels_in; ++c)
            for(std::size_t i = 0; i < pixels; ++i)
            {
                const std::size_t of_x = c * pixels + i, of_y = k * pixels + i,
                                  of_w = k * channels_in + c;
                if(direction == Direction::forward)
                    r.values[of_y] += x.values[of_x] * w.values[of_w];
                else if(direction == Direction::backward_data)
                    r.values[of_x] += y.values[of_y] * w.values[of_w];
                else
                    r.values[of_w] += x.values[of_x] * y.values[of_y];
            }
    return r;
}

class Int8Range : public testing::TestWithParam<Direction>
{};

TEST_P(Int8Range, IsLeftAsTheArgumentSays)
{
    const Direction direction = GetParam();
    Family family{
        direction, "i8", "i8", "i8", "", "i8", "i8", "PassThrough", "PassThrough", "PassThrough"};
    CK_SKIP_IF_LIBRARY_LACKS(family);
    ConvProblem p;
    p.rank         = 1;
    p.out_channels = 32;
    p.in_channels  = 48;
    p.input[2]     = 64;
    set_packed_strides(p);
    set_layout(p, layouts[1]);
    std::mt19937 random(1);
    const auto values = [&](const TensorLengths& lengths) {
        Values v = Values::integers(lengths, 1);
        for(double& value : v.values)
            value = static_cast<double>(random() % 21) - 10;
        return v;
    };
    const Values x = values(p.input_lengths()), w = values(p.filter_lengths()),
                 y = values(p.output_lengths()), result = sums(direction, p, x, w, y);
    std::size_t beyond = 0;
    for(const double sum : result.values)
        beyond += sum < -128 || sum > 127;
    EXPECT_GT(3 * beyond, result.values.size());
    for(const bool saturates : {false, true})
    {
        KernelSetup setup(family, p, {x, w, y, result}, 2, saturates);
        std::set<std::string> engines;
        for(const ConvKernel* const kernel : kernels_for(family, setup.argument))
            if(setup.supports(*kernel))
            {
                EXPECT_EQ(setup.mistakes(*kernel), 0u) << kernel->name << ' ' << saturates;
                engines.insert(engine_of(*kernel));
            }
#if defined(CK_LIBRARY_IS_COMPLETE) && !defined(__CUDACC__) && !defined(__HIP__)
        for(const char* const engine : {"Xdl", "Wmma", "Dl", "Mma"})
            EXPECT_TRUE(engines.contains(engine)) << engine;
#endif
        EXPECT_EQ(engines.contains("Upcast"), saturates && direction != Direction::backward_weight);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Directions,
    Int8Range,
    testing::Values(Direction::forward, Direction::backward_data, Direction::backward_weight),
    [](const auto& info) {
        return std::string(info.param == Direction::forward         ? "forward"
                           : info.param == Direction::backward_data ? "backward_data"
                                                                    : "backward_weight");
    });

} // namespace
} // namespace ck::test::int8_range
