// The gradient of a bias together with dW, in one call.
#include "conv/bias_gradient.hpp"

#include "conv/convolution.hpp"

namespace ck::conv_test {
namespace {

ConvSpec weight_spec(std::size_t rank, DataType type = DataType::f32)
{
    ConvSpec spec      = spec_of_rank(rank);
    spec.direction     = Direction::backward_weight;
    spec.type          = type;
    spec.bias_gradient = true;
    return spec;
}

/// Threads of a row of channels, of dY of 32 channels in one group.
index_t channel_lanes(const TensorLengths& lengths, const TensorStrides& strides)
{
    return conv::BiasGradient::make(DataType::f32, DataType::f32, lengths, strides).channel_lanes;
}

} // namespace

// Neighbours among threads read neighbours in memory. Another choice is right, too, but slow.
TEST(BiasGradient, ThreadsHaveNeighbouringChannelsWhereTheseAreTheFastest)
{
    constexpr TensorStrides last{32, 9600, 1, 3200, 640, 32}, // channels
        first{9600, 9600, 300, 100, 20, 1};
    const TensorLengths several{1, 4, 32, 3, 5, 20}; // g n k d h w
    EXPECT_EQ(channel_lanes(several, last), 32);
    EXPECT_EQ(channel_lanes(several, first), 1);
    for(const std::size_t d : {1, 3, 4, 5})
    {
        TensorLengths lengths = several;
        TensorStrides strides = last;
        strides[d]            = 1; // as close as channels
        EXPECT_EQ(channel_lanes(lengths, strides), 1) << d;
        lengths[d] = 1; // whatever the stride
        EXPECT_EQ(channel_lanes(lengths, strides), 32) << d;
    }
}

TEST(BiasGradient, IsRightBesideTheFilters)
{
    int ran = 0;
    for(const DataType type : {DataType::f64, DataType::f32, DataType::f16, DataType::bf16})
        for(const bool as_f32 : {false, true})
            for(std::size_t rank = 1; rank <= 3; ++rank)
                for(const Layout layout : {Layout::channels_last, Layout::channels_first})
                    for(const bool transposed : {false, true})
                        for(const long_index_t k : {3, 16, 200})
                        {
                            if(k == 200 && rank > 1) // takes long
                                continue;
                            const bool half = type == DataType::f16 || type == DataType::bf16;
                            if(as_f32 && !half) // the same as without
                                continue;
                            ConvSpec spec   = weight_spec(rank, type);
                            spec.layout     = layout;
                            spec.transposed = transposed;
                            spec.k          = k;
                            if(as_f32)
                                spec.w_type = DataType::f32;
                            if(!has_kernels(spec))
                                continue;
                            const ConvPlan p = plan(spec);
                            EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << to_string(spec);
                            ++ran;
                        }
    EXPECT_GE(ran, 18);
}

TEST(BiasGradient, IsRightInManyPartsAndOfNoImages)
{
    ConvSpec spec = weight_spec(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const std::size_t few = plan(spec).workspace_size();
    spec.n                = 0;
    EXPECT_EQ(Convolution(spec).mistakes(plan(spec)), 0u);
    spec.n     = 20;
    spec.input = {30, 31}; // if pixels are adjacent, 256 threads share them
    for(const Layout layout : {Layout::channels_last, Layout::channels_first})
    {
        spec.layout      = layout;
        const ConvPlan p = plan(spec);
        EXPECT_GT(p.workspace_size(), few);
        EXPECT_EQ(Convolution(spec).mistakes(p), 0u);
    }
}

TEST(BiasGradient, HasTheSameBitsInEveryRun)
{
    ConvSpec spec = weight_spec(2);
    spec.n        = 4;
    spec.input    = {24, 24};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec);
    Convolution c(spec);
    for(std::size_t i = 0; i < c.y.values.values.size(); ++i)
        c.y.values.values[i] = static_cast<double>(i * 7 % 31) / 3 - 5;
    c.y.write();
    std::vector<std::vector<char>> bits;
    for(int run = 0; run < 3; ++run)
    {
        p.run(c.tensors(p));
        c.bias.read();
        bits.push_back(c.bias.bytes);
    }
    EXPECT_EQ(bits[0], bits[1]);
    EXPECT_EQ(bits[0], bits[2]);
}

// dY of two groups of two channels, in memory group fastest: 1 2 4 8.
TEST(BiasGradient, IsInTheOrderOfChannelsWhateverTheirOrderInMemory)
{
    ConvSpec spec{.direction     = Direction::backward_weight,
                  .layout        = Layout::strided,
                  .groups        = 2,
                  .k             = 2,
                  .input         = {1},
                  .filter        = {1},
                  .x_strides     = {1, 2, 2, 2},
                  .w_strides     = {2, 1, 1, 1},
                  .y_strides     = {1, 4, 2, 4},
                  .bias_gradient = true};
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec);
    Convolution c(spec);
    const float in_memory[]{1, 2, 4, 8}, right[]{1, 4, 2, 8};
    c.y.memory.ToDevice(in_memory, sizeof in_memory);
    p.run(c.tensors(p));
    float sums[4]{};
    c.bias.memory.FromDevice(sums, sizeof sums);
    for(std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(sums[i], right[i]) << "of channel " << i;
}

// The limit is for both, the kernel's workspace and that of the sums.
TEST(BiasGradient, TakesExactlyTheWorkspaceLimit)
{
    for(const Layout layout : {Layout::channels_last, Layout::channels_first})
    {
        ConvSpec spec = weight_spec(2);
        spec.layout   = layout;
        if(!has_kernels(spec))
            GTEST_SKIP() << no_kernels;
        const ConvPlan p         = plan(spec);
        const std::size_t enough = p.workspace_size();
        EXPECT_EQ(plan(spec, {.workspace_limit = enough}).kernel(), p.kernel());
        EXPECT_EQ(plan(spec, {.workspace_limit = enough}).workspace_size(), enough);
        std::string text;
        try
        {
            const ConvPlan less = plan(spec, {.workspace_limit = enough - 1});
            text                = less.explain();
            EXPECT_LT(less.workspace_size(), enough);
            EXPECT_EQ(Convolution(spec).mistakes(less), 0u) << text;
            if(less.kernel() == p.kernel()) // it also runs with less
                continue;
        }
        catch(const Refused& why)
        {
            text = why.what();
        }
        EXPECT_NE(text.find(" bias_gradient "), text.npos) << text;
        EXPECT_NE(text.find("workspace_limit is " + std::to_string(enough - 1)), text.npos) << text;
    }
}

TEST(BiasGradient, IsRefusedWhereItIsNotComputed)
{
    const auto why = [](const ConvSpec& spec, const PlanOptions& options = {}) -> std::string {
        try
        {
            plan(spec, options);
        }
        catch(const Refused& refused)
        {
            return refused.what();
        }
        return "";
    };
    EXPECT_NE(why(weight_spec(2, DataType::i8)).find("bias_gradient is set, with dY of i8"),
              std::string::npos);
    ConvSpec spec  = weight_spec(2);
    spec.direction = Direction::forward;
    EXPECT_NE(why(spec).find("only backward weight has one"), std::string::npos);
    spec = weight_spec(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    EXPECT_NE(
        why(spec, {.workspace_limit = 3}).find("workspace_limit is 3, but bias_gradient wants"),
        std::string::npos)
        << why(spec, {.workspace_limit = 3});
    const ConvPlan p = plan(spec);
    Convolution c(spec);
    for(const void* const bias :
        {static_cast<const void*>(nullptr), c.tensors(p).y, c.tensors(p).w})
    {
        ConvTensors t = c.tensors(p);
        t.bias        = bias;
        EXPECT_THROW(p.run(t), Refused);
    }
}

} // namespace ck::conv_test
