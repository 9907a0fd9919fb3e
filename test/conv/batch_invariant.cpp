// PlanOptions::batch_invariant: an image has the same bits in any batch, and alone.
#include "ck/conv.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/library/utility/device_memory.hpp"

#include <gtest/gtest.h>

#include "conv/convolution.hpp"
#include "conv/prepared.hpp"
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ck::conv_test {
namespace {

using Bytes = std::vector<char>;

/// Numbers whose sums depend on the order in which they are added.
Bytes random_numbers(DataType type, std::size_t bytes, unsigned seed)
{
    const Element& of = element(name(type));
    std::mt19937 engine(seed);
    std::normal_distribution<double> number;
    Bytes values(bytes);
    for(std::size_t at = 0; at + of.size <= bytes; at += of.size)
        of.store(values.data() + at, of.saturated(number(engine)));
    return values;
}

/// The tensors of a batch, in host memory. The result is the one that the direction writes.
struct Batch
{
    Bytes x, w, y, bias;

    explicit Batch(const ConvSpec& s)
        : x(random_numbers(s.type, s.x_bytes(), 1)),
          w(random_numbers(s.type, s.w_bytes(), 2)),
          y(random_numbers(s.type, s.y_bytes(), 3)),
          bias(random_numbers(s.type,
                              static_cast<std::size_t>(s.groups * std::max(s.k, s.c)) *
                                  element(name(s.type)).size,
                              4))
    {}
    /// Image i of this batch of n.
    Batch image(std::size_t i, std::size_t n) const
    {
        const auto part = [&](const Bytes& all) {
            const auto size = static_cast<std::ptrdiff_t>(all.size() / n);
            const auto at   = all.begin() + static_cast<std::ptrdiff_t>(i) * size;
            return Bytes(at, at + size);
        };
        Batch one(*this);
        one.x = part(x);
        one.y = part(y);
        return one;
    }
};

Bytes result_of(const ConvPlan& plan, const Batch& batch)
{
    const auto on_device = [](const Bytes& bytes) {
        auto memory = std::make_unique<DeviceMem>(bytes.size());
        memory->ToDevice(bytes.data());
        return memory;
    };
    const auto x = on_device(batch.x), w = on_device(batch.w), y = on_device(batch.y),
               bias = on_device(batch.bias);
    DeviceMem workspace(plan.workspace_size());
    plan.run({.x         = x->GetDeviceBuffer(),
              .w         = w->GetDeviceBuffer(),
              .y         = y->GetDeviceBuffer(),
              .bias      = plan.spec().epilogue.bias ? bias->GetDeviceBuffer() : nullptr,
              .workspace = workspace.GetDeviceBuffer()});
    const bool forward = plan.spec().direction == Direction::forward;
    Bytes result(forward ? batch.y.size() : batch.x.size());
    (forward ? y : x)->FromDevice(result.data());
    return result;
}

/// Compares a batch with its images alone, by one kernel.
void expect_same_bits(const ConvSpec& spec, const PlanOptions& options, const std::string& kernel)
{
    SCOPED_TRACE(to_string(spec) + ' ' + kernel);
    ConvSpec of_one = spec;
    of_one.n        = 1;
    const ConvPlan all(conv::prepare_quietly(spec, options, kernel)),
        one(conv::prepare_quietly(of_one, options, kernel));
    const Batch batch(spec);
    const Bytes together = result_of(all, batch);
    const auto n         = static_cast<std::size_t>(spec.n);
    for(std::size_t i = 0; i < n; ++i)
    {
        const Bytes alone = result_of(one, batch.image(i, n));
        ASSERT_EQ(alone.size() * n, together.size());
        EXPECT_EQ(std::memcmp(alone.data(), together.data() + i * alone.size(), alone.size()), 0)
            << "image " << i;
    }
}

ConvSpec square(Direction direction,
                DataType type,
                Layout layout,
                long_index_t groups,
                long_index_t k,
                long_index_t c,
                long_index_t side,
                long_index_t filter,
                long_index_t stride,
                bool bias)
{
    const long_index_t pad = filter / 2;
    return {.direction = direction,
            .type      = type,
            .layout    = layout,
            .groups    = groups,
            .n         = 2,
            .k         = k,
            .c         = c,
            .input     = {side, side},
            .filter    = {filter, filter},
            .strides   = {stride, stride},
            .pads      = {{pad, pad}, {pad, pad}},
            .epilogue  = {.bias = bias, .activation = bias ? Activation::relu : Activation::none}};
}

std::vector<ConvSpec> specs()
{
    std::vector<ConvSpec> all;
    for(const Direction direction : {Direction::forward, Direction::backward_data})
        for(const Layout layout : {Layout::channels_last, Layout::channels_first})
        {
            const bool forward = direction == Direction::forward;
            const DataType type =
                forward == (layout == Layout::channels_last) ? DataType::f16 : DataType::f32;
            all.push_back(square(direction, type, layout, 1, 24, 40, 5, 3, 1, forward));
            all.push_back(square(direction, type, layout, 1, 40, 24, 5, 1, 1, false));
            all.push_back(square(direction, type, layout, 1, 12, 6, 8, 4, 2, false));
            all.push_back(square(direction, type, layout, 16, 1, 1, 7, 3, 1, forward));
            all.push_back(square(direction, type, layout, 2, 8, 8, 5, 3, 1, false));
        }
    return all;
}

} // namespace

TEST(BatchInvariant, EveryKindOfKernelHasTheBitsOfOneImage)
{
    const AssumedComputeUnits few(3); // so that batches fill rounds, which images do not
    const PlanOptions options{.batch_invariant = true};
    std::set<std::string> kinds;
    for(const ConvSpec& spec : specs())
    {
        if(!has_kernels(spec))
            continue;
        std::set<std::string> of_spec;
        ConvSpec of_one = spec;
        of_one.n        = 1;
        const auto ones = conv::candidates_of(conv::resolve(of_one), of_one, options);
        for(const Candidate& c : conv::candidates_of(conv::resolve(spec), spec, options))
        {
            const auto one = std::find_if(ones.begin(), ones.end(), [&](const Candidate& other) {
                return other.kernel == c.kernel;
            });
            std::string kind; // the name without its numbers
            std::copy_if(c.kernel.begin(), c.kernel.end(), std::back_inserter(kind), [](char x) {
                return x < '0' || x > '9';
            });
            if(!c.why_not.empty() || one == ones.end() || !one->why_not.empty() ||
               !of_spec.insert(kind).second)
                continue;
            expect_same_bits(spec, options, c.kernel);
            kinds.insert(kind);
        }
    }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(kinds.size(), 30u);
#else
    if(kinds.empty())
        GTEST_SKIP() << no_kernels;
#endif
}

TEST(BatchInvariant, AllBatchesHaveOneKernel)
{
    std::size_t planned = 0;
    for(const ConvSpec& spec : specs())
    {
        if(!has_kernels(spec))
            continue;
        std::set<std::string> kernels;
        ConvSpec s = spec;
        for(const long_index_t n : {1, 2, 7, 32, 64, 500})
        {
            s.n = n;
            kernels.insert(plan(s, {.batch_invariant = true}).kernel());
        }
        s.n = 0; // any kernel: there are no bits
        plan(s, {.batch_invariant = true});
        EXPECT_EQ(kernels.size(), 1u) << to_string(spec);
        ++planned;
    }
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_EQ(planned, specs().size());
#else
    if(planned == 0)
        GTEST_SKIP() << no_kernels;
#endif
}

TEST(BatchInvariant, IsInTheTextOfAPlanAndItsExplanation)
{
    const ConvSpec spec = spec_of_rank(2);
    if(!has_kernels(spec))
        GTEST_SKIP() << no_kernels;
    const ConvPlan p = plan(spec, {.batch_invariant = true});
    EXPECT_NE(p.explain().find("batch invariant"), std::string::npos);
    const std::string text = p.serialize();
    EXPECT_NE(text.find(" batch_invariant=1 "), std::string::npos) << text;
    EXPECT_EQ(deserialize(text).serialize(), text);
    std::string wrong = text;
    wrong.replace(wrong.find("batch_invariant=1"), 17, "batch_invariant=2");
    EXPECT_THROW(deserialize(wrong), Refused);
}

TEST(BatchInvariant, IsRefusedWhereSumsRunOverImages)
{
    ConvSpec spec  = spec_of_rank(2);
    spec.direction = Direction::backward_weight;
    try
    {
        plan(spec, {.batch_invariant = true});
        FAIL() << "planned";
    }
    catch(const Refused& refused)
    {
        EXPECT_NE(std::string(refused.what()).find("sums over images"), std::string::npos)
            << refused.what();
    }
}

} // namespace ck::conv_test
