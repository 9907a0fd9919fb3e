// What operations on blocked tensors refuse, and what they say.
//
// Labels: emulated on one target
#include "convolution/blocked/blocked.hpp"
#include <cstring>

namespace ck::test {
namespace {

constexpr GemmTuning tuning_of(index_t k, index_t a, index_t b, index_t c_vector)
{
    return {.block_tile  = {64, 64, k},
            .wave_m      = 32,
            .wave_n      = 32,
            .instruction = arch::Matrix::mfma_f32_32x32x8_f16,
            .a_vector    = a,
            .b_vector    = b,
            .c_vector    = c_vector};
}

constexpr GemmTuning async_copies{.block_tile  = {64, 64, 32},
                                  .wave_m      = 32,
                                  .wave_n      = 32,
                                  .instruction = arch::Matrix::mma_f32_16x8x16_f16,
                                  .a_vector    = 8,
                                  .b_vector    = 8,
                                  .c_vector    = 8,
                                  .pipeline    = Pipeline::async_copies};
constexpr GemmTuning wide_vectors = tuning_of(32, 8, 8, 8), short_slices = tuning_of(16, 4, 4, 8);

alignas(64) char memory[3][1 << 16];

template <GemmTuning tuning, int x_block = 16, int y_block = 16>
using CaseOf = BlockedCase<2,
                           half_t,
                           half_t,
                           c::NC1HWC0<x_block>,
                           c::FRACTAL_Z<16>,
                           c::NC1HWC0<y_block>,
                           tuning>;
// Types of their own: nvcc cannot spell those of tunings.
struct Good : CaseOf<wide_vectors>
{};
struct Short : CaseOf<short_slices, 32>
{};
struct OfFour : CaseOf<wide_vectors, 16, 4>
{};
struct Async : CaseOf<async_copies>
{};
struct Turned : BlockedCase<2,
                            half_t,
                            half_t,
                            c::FRACTAL_Z<16>,
                            c::FRACTAL_Z<16>,
                            c::NC1HWC0<16>,
                            wide_vectors>
{};

template <class Case, device::Role result>
std::string why_not(const ConvProblem& p, void* x, void* w, void* y)
{
    using Op = typename Case::template Of<result>;
    return Op{}.WhyNotSupported(Case::template argument<Op, result>(p, x, w, y).get());
}

/// Returns why backward weight refuses a split_k.
template <class Case>
std::string why_no_split(index_t split_k)
{
    using Op = typename Case::BackwardWeight;
    typename Op::Argument a{};
    a.split_k = split_k;
    Op::Operation::make_plan(a);
    return a.valid.reason;
}

/// Why the operation with this result refuses a problem of C channels, or "". change(p): of its
/// strides, which are those of blocks of 16. shift: of X's address, bytes.
template <class Case, device::Role result, class Change>
std::string refusal(long_index_t channels, const Change& change, std::size_t shift = 0)
{
    ConvProblem p =
        make_packed_problem<2>(1, 1, 16, channels, {1, 1}, {3, 5}, {1, 1}, {1, 1}, {}, {});
    p.input_strides  = ndc1hwc0(p.input_lengths(), 16).strides;
    p.filter_strides = fractal_z_3d(p.filter_lengths(), 16).strides;
    p.output_strides = ndc1hwc0(p.output_lengths(), 16).strides;
    change(p);
    return why_not<Case, result>(p, memory[0] + shift, memory[1], memory[2]);
}
const auto nothing = [](ConvProblem&) {};
const auto of_32   = [](ConvProblem& p) {
    p.input_strides = ndc1hwc0(p.input_lengths(), 32).strides;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(BlockedRefusals, OfStridesAndVectors)
{
    CK_SKIP_WITHOUT(arch::Requirement::mfma, (refusal<Good, out>(16, nothing)));
    EXPECT_EQ((refusal<Good, out>(35, nothing)), "");
    EXPECT_EQ((refusal<Good, out>(35, nothing, 2)),
              "the address of X, NC1HWC0 with C0 of 16, is not a multiple of the 16 bytes of this "
              "kernel's vectors");
    EXPECT_EQ((refusal<Good, out>(35, [](ConvProblem& p) { p.input_strides[4] = 5; })),
              "the stride of H of X, NC1HWC0 with C0 of 16, is 5, but that layout makes it 80");
    EXPECT_EQ((refusal<Short, out>(35, of_32)),
              "slices of 16 channels are no whole number of blocks of X, NC1HWC0 with C0 of 32");
    EXPECT_EQ((refusal<Short, in>(35, of_32)), "") << "it reduces K";
    EXPECT_EQ((refusal<Short, filter>(35, of_32)), "") << "it reduces pixels";
    const auto four = [](ConvProblem& p) {
        p.output_strides = ndc1hwc0(p.output_lengths(), 4).strides;
    };
    EXPECT_TRUE(has(refusal<OfFour, out>(35, four),
                    "accesses Y, NC1HWC0 with C0 of 4, in vectors of 8 elements, which must divide "
                    "C0"));
    const auto turned = [](ConvProblem& p) {
        p.input_strides = fractal_z_3d(p.input_lengths(), 16).strides;
    };
    EXPECT_TRUE(has(refusal<Turned, out>(16, turned), "that layout is for filters"));
}

TEST(BlockedRefusals, OfSharedMemory)
{
    CK_SKIP_WITHOUT(arch::Requirement::mfma, (refusal<Good, out>(16, nothing)));
    // dX has 15 pixels of 16 lanes; the last padding lanes count.
    const auto why = [](std::size_t shift) {
        ConvProblem p = make_packed_problem<2>(1, 1, 3, 3, {1, 1}, {3, 5}, {1, 1}, {1, 1}, {}, {});
        p.input_strides = p.output_strides = ndc1hwc0(p.input_lengths(), 16).strides;
        p.filter_strides                   = fractal_z_3d(p.filter_lengths(), 16).strides;
        return why_not<Good, out>(p, memory[0], memory[1], memory[0] + shift);
    };
    EXPECT_TRUE(has(why(464), "shares memory with X")) << why(464);
    EXPECT_EQ(why(480), "");
}

TEST(BlockedRefusals, OfSplits)
{
    CK_SKIP_WITHOUT(arch::Requirement::mfma, (refusal<Good, out>(16, nothing)));
    EXPECT_TRUE(has(why_no_split<Good>(-2), "split_k is -2, but must be at least 1"));
    EXPECT_EQ(why_no_split<Good>(2), "");
    EXPECT_EQ(why_no_split<Good>(1), "");
    EXPECT_EQ(why_no_split<Good>(0), "") << "one sum, as 1";
    EXPECT_EQ(why_no_split<Good>(-1), "");
}

TEST(BlockedRefusals, OfAsynchronousCopiesOfRaggedChannels)
{
    CK_SKIP_WITHOUT(arch::Requirement::mma_sync, (refusal<Async, out>(16, nothing)));
    EXPECT_TRUE(has(refusal<Async, out>(35, nothing),
                    "asynchronous copies cannot leave out padding: 35 channels of X"));
    EXPECT_EQ((refusal<Async, out>(40, nothing)), "");
    EXPECT_EQ((refusal<Async, in>(35, nothing)), "") << "the reduction is K";
}

} // namespace
} // namespace ck::test
