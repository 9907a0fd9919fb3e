// What the operation refuses, with which explanation, and what it guarantees about runs.
//
// Labels: not emulated, compiled alone
#include <gtest/gtest.h>

#include "convolution/lattice/instance_of.hpp"

namespace ck::test {
namespace {

using Special = device::ConvolutionBackwardDataSpecialization;

// The engine that every device has.
constexpr GemmTuning tuning{.block_tile  = {32, 32, 32},
                            .wave_m      = 16,
                            .wave_n      = 16,
                            .instruction = arch::Matrix::dot_f32_8x4x2_f16,
                            .a_vector    = 8,
                            .b_vector    = 2,
                            .c_vector    = 4};
using Op = Operation<2, half_t, tuning>;

struct Sizes
{
    index_t n = 1, k = 8, c = 4;
    std::vector<index_t> input{5, 6}, filter{3, 2}, output{5, 5}, stride{1, 1}, dilation{1, 1},
        pad_low{1, 0}, pad_high{1, 0};
    void* dx       = nullptr;
    const void* w  = nullptr;
    const void* dy = nullptr;
};

template <class O = Op>
auto argument_of(const Sizes& s)
{
    return O{}.MakeArgumentPointer(s.dx,
                                   s.w,
                                   s.dy,
                                   s.n,
                                   s.k,
                                   s.c,
                                   s.input,
                                   s.filter,
                                   s.output,
                                   s.stride,
                                   s.dilation,
                                   s.pad_low,
                                   s.pad_high,
                                   {},
                                   {},
                                   {});
}

template <class O = Op>
std::string refusal(const Sizes& s)
{
    O op;
    const auto argument      = argument_of<O>(s);
    const std::string reason = op.WhyNotSupported(argument.get());
    EXPECT_EQ(op.IsSupportedArgument(argument.get()), reason.empty());
    if(!reason.empty())
    {
        try
        {
            op.MakeInvokerPointer()->Run(argument.get());
            ADD_FAILURE() << "ran what it refuses: " << reason;
        }
        catch(const std::runtime_error& error)
        {
            EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(op.GetTypeString()), std::string::npos);
        }
    }
    return reason;
}

/// `mend` makes the one mistake; every part must be in the reason.
template <class Mistake>
void expect_refusal(Mistake&& mistake, const std::vector<std::string>& parts)
{
    Sizes s;
    mistake(s);
    const std::string reason = refusal(s);
    EXPECT_FALSE(reason.empty()) << "not refused, though " << parts.front();
    for(const std::string& part : parts)
        EXPECT_NE(reason.find(part), std::string::npos) << '"' << part << "\" in: " << reason;
}

TEST(BackwardDataRefusals, NoneForASoundProblemWithNullPointers) { EXPECT_EQ(refusal({}), ""); }

TEST(BackwardDataRefusals, ListsOfTheWrongLength)
{
    expect_refusal([](Sizes& s) { s.input = {5}; }, {"1 input lengths", "2D"});
    expect_refusal([](Sizes& s) { s.filter = {3, 2, 1}; }, {"3 filter lengths", "2D"});
    expect_refusal([](Sizes& s) { s.output = {}; }, {"0 output lengths"});
    expect_refusal([](Sizes& s) { s.stride = {1}; }, {"1 strides"});
    expect_refusal([](Sizes& s) { s.dilation = {1, 1, 1}; }, {"3 dilations"});
    expect_refusal([](Sizes& s) { s.pad_low = {}; }, {"0 left pads"});
    expect_refusal([](Sizes& s) { s.pad_high = {1}; }, {"1 right pads"});
}

TEST(BackwardDataRefusals, OutputLengthsThatDoNotFollow)
{
    expect_refusal(
        [](Sizes& s) {
            s.output = {5, 6};
        },
        {"output length in W of a 2D convolution is 6", "make it 5"});
    expect_refusal(
        [](Sizes& s) {
            s.output = {-1, 5};
        },
        {"output length in H of a 2D convolution is -1", "make it 5"});
}

TEST(BackwardDataRefusals, NoneForACroppedOutput)
{
    Sizes s;
    s.output = {4, 5};
    EXPECT_EQ(refusal(s), "");
    s.pad_low = {0, -1}, s.output = {4, 3};
    EXPECT_EQ(refusal(s), "");
}

TEST(BackwardDataRefusals, SizesThatMakeNoSense)
{
    expect_refusal([](Sizes& s) { s.n = -1; }, {"batch N is -1", "at least 0"});
    expect_refusal([](Sizes& s) { s.k = 0; }, {"K is 0", "at least 1"});
    expect_refusal([](Sizes& s) { s.c = -4; }, {"C is -4", "at least 1"});
    expect_refusal([](Sizes& s) { s.input[1] = 0; }, {"input length", "W", "is 0"});
    expect_refusal([](Sizes& s) { s.filter[0] = 0; }, {"filter length", "H", "is 0"});
    expect_refusal([](Sizes& s) { s.stride[0] = 0; }, {"stride", "H", "is 0"});
    expect_refusal([](Sizes& s) { s.dilation[1] = -2; }, {"dilation", "W", "is -2"});
    constexpr index_t least = std::numeric_limits<index_t>::min();
    expect_refusal([](Sizes& s) { s.pad_low[0] = least; }, {"left pad", "H", "is -2147483648"});
    expect_refusal([](Sizes& s) { s.pad_high[1] = least; }, {"right pad", "W", "is -2147483648"});
}

TEST(BackwardDataRefusals, ChannelsThatVectorsDoNotDivide)
{
    expect_refusal([](Sizes& s) { s.k = 12; }, {"K is 12", "multiple of 8", "dY"});
    expect_refusal([](Sizes& s) { s.c = 5; }, {"C is 5", "multiple of 2", "W"});
    expect_refusal([](Sizes& s) { s.c = 6; }, {"C is 6", "multiple of 4", "dX"});
}

TEST(BackwardDataRefusals, UnalignedPointers)
{
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
    expect_refusal([&](Sizes& s) { s.dy = at(4096 + 8); }, {"address of dY", "16 bytes"});
    expect_refusal([&](Sizes& s) { s.w = at(4096 + 2); }, {"address of W", "4 bytes"});
    expect_refusal([&](Sizes& s) { s.dx = at(4096 + 2); }, {"address of dX", "8 bytes"});
    Sizes aligned;
    aligned.dy = at(0x100000 + 16), aligned.w = at(0x200000 + 4), aligned.dx = at(0x300000 + 8);
    EXPECT_TRUE(Op{}.IsSupportedArgument(argument_of(aligned).get()));
}

TEST(BackwardDataRefusals, TensorsThatShareMemory)
{
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<void*>(address); };
    expect_refusal([&](Sizes& s) { s.dy = s.dx = at(0x100000); }, {"dX", "shares memory with dY"});
    expect_refusal([&](Sizes& s) { s.dx = at(0x100000), s.w = at(0x100010); },
                   {"dX", "shares memory with W"});
}

TEST(BackwardDataRefusals, ImagesOfTwoGigabytes)
{
    const auto image = [](Sizes& s, index_t height) { // 2^12 wide, C = 4: 2^15 bytes per row of dX
        s.input   = {height, 1 << 12};
        s.filter  = {1, 1};
        s.stride  = {1, 1 << 12};
        s.pad_low = s.pad_high = {0, 0};
        s.output               = {height, 1};
    };
    expect_refusal([&](Sizes& s) { image(s, 1 << 16); }, {"dX spans 2147483648 bytes", "2^31"});
    Sizes below;
    image(below, (1 << 16) - 1);
    EXPECT_EQ(refusal(below), "");
    below.n = 100; // any number of images: 200 GiB in sub-batches
    EXPECT_EQ(refusal(below), "");
}

TEST(BackwardDataRefusals, LaunchesOfTooManyBlocks)
{
    Sizes s;
    s.c      = 64 << 7;
    s.input  = {1, 1 << 16};
    s.filter = {1, 1};
    s.stride = {1, 1}, s.pad_low = s.pad_high = {0, 0};
    s.output                 = s.input;
    s.n                      = (1 << 14) + 1;
    const std::string reason = refusal(s);
    // 2^11 row tiles x 2^8 column tiles x (2^14 + 1) images
    EXPECT_NE(reason.find(std::to_string((long_index_t{1} << 19) * ((1 << 14) + 1))),
              std::string::npos)
        << reason;
}

// The operation as a default: nvcc cannot spell its type in a call.
template <class Special1x1 = Operation<2,
                                       half_t,
                                       tuning,
                                       PassThrough,
                                       PassThrough,
                                       PassThrough,
                                       Special::Filter1x1Stride1Pad0>>
void expect_1x1_only()
{
    EXPECT_NE(refusal<Special1x1>({}).find("Filter1x1Stride1Pad0"), std::string::npos);
    Sizes s;
    s.filter = {1, 1}, s.pad_low = s.pad_high = {0, 0}, s.output = s.input;
    EXPECT_EQ(refusal<Special1x1>(s), "");
    s.stride = {1, 2}, s.output = {5, 3};
    EXPECT_NE(refusal<Special1x1>(s), "");
    EXPECT_NE(Special1x1{}.GetTypeString(), Op{}.GetTypeString());
}

TEST(BackwardDataRefusals, SpecialisationThatTheProblemBreaks) { expect_1x1_only(); }

TEST(BackwardDataRefusals, EachInstanceHasANameOfItsOwn)
{
    std::vector<std::string> names;
    for(const auto& instance : all_instances())
        names.push_back(instance->name());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// Op as a default: nvcc cannot spell it in a call.
template <class O = Op>
auto argument_for(const ConvProblem& p, const Tensors& t)
{
    return make_argument<O>(p, t.input(), t.filter(), t.output());
}

TEST(BackwardDataRun, ReturnsTimeOnlyWhenAsked)
{
    const ConvProblem p =
        make_packed_problem<2>(1, 1, 8, 4, {3, 2}, {5, 6}, {1, 1}, {1, 1}, {1, 0}, {1, 0});
    const Tensors tensors(Direction::backward_data, p, Type::f16, Data::integers);
    const auto argument = argument_for(p, tensors);
    const auto invoker  = Op{}.MakeInvokerPointer();
    EXPECT_EQ(invoker->Run(argument.get()), 0.f);
    EXPECT_EQ(invoker->Run(argument.get(), StreamConfig{nullptr, false}), 0.f);
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    EXPECT_EQ(tensors.mistakes(false), "");
    EXPECT_GT(invoker->Run(argument.get(), StreamConfig{nullptr, true, 0, 1, 3}), 0.f);
    EXPECT_EQ(tensors.mistakes(false), "") << "after several runs";
}

TEST(BackwardDataRun, WorkspaceIsNotNeeded)
{
    EXPECT_EQ(Op{}.GetWorkSpaceSize(argument_of({}).get()), 0u);
}

TEST(BackwardDataRefusals, RunRefusesTensorsAtNull)
{
    Op op;
    const auto argument = argument_of({});
    ASSERT_TRUE(op.IsSupportedArgument(argument.get())) << "asking needs no tensors";
    const auto invoker = op.MakeInvokerPointer();
    try
    {
        invoker->Run(argument.get(), StreamConfig{});
        FAIL() << "it ran";
    }
    catch(const std::runtime_error& e)
    {
        EXPECT_NE(std::string(e.what()).find("is null"), std::string::npos) << e.what();
    }
}

TEST(BackwardDataRefusals, WorkspacesAreAtMultiplesOf16)
{
    Op op;
    const auto argument = argument_of({});
    alignas(16) char memory[32];
    op.SetWorkSpacePointer(argument.get(), memory + 4);
    EXPECT_NE(op.WhyNotSupported(argument.get()).find("multiple of 16"), std::string::npos);
    op.SetWorkSpacePointer(argument.get(), memory);
    EXPECT_TRUE(op.IsSupportedArgument(argument.get()));
}

} // namespace
} // namespace ck::test
