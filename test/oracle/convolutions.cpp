// Random convolutions of integers: the library's kernels and the CPU references, each compared
// exactly with oneDNN. Images too small for the filter are left to other tests: oneDNN has no
// convolution without output pixels.
#include "ck/arch/target.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"

#include "library/tensor_operation_instance/kernel_setup.hpp"
#include "oracle/onednn.hpp"
#include <algorithm>
#include <iostream>
#include <limits>
#include <random>
#include <set>

namespace ck::test {
namespace {

using element_wise::PassThrough;
using Longs = std::vector<long_index_t>;

constexpr int problem_count = 360; // problems for each direction

class Random
{
public:
    explicit Random(unsigned seed) : bits_(seed) {}

    long_index_t operator()(long_index_t least, long_index_t most)
    {
        return least + static_cast<long_index_t>(bits_() % static_cast<unsigned>(most - least + 1));
    }

    template <std::size_t n>
    long_index_t one_of(const long_index_t (&values)[n])
    {
        return values[(*this)(0, n - 1)];
    }

private:
    std::mt19937 bits_;
};

/// Few channels, and multiples of what vectors hold; any stride, dilation and pads, in any of the
/// layouts.
ConvProblem random_problem(Random& random)
{
    ConvProblem p;
    do
    {
        p               = {};
        p.rank          = static_cast<index_t>(random(1, 3));
        p.groups        = random.one_of({1, 1, 2, 3, 4, 8});
        p.batch         = random(1, 3);
        const bool wide = random(0, 1) == 1;
        for(long_index_t* channels : {&p.in_channels, &p.out_channels})
            *channels =
                wide ? random.one_of({8, 16, 16, 24, 32}) : random.one_of({1, 2, 3, 4, 5, 7, 10});
        const long_index_t most = p.rank == 3 ? 5 : p.rank == 2 ? 9 : 24;
        for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
        {
            p.input[i]    = random(1, most);
            p.filter[i]   = random(1, p.rank == 3 ? 3 : 4);
            p.stride[i]   = random(1, 3);
            p.dilation[i] = random(1, 3);
            p.pad_low[i]  = random(0, 3);
            p.pad_high[i] = random(0, 3);
        }
    } while(element_count({1, 1, 1, p.output()[0], p.output()[1], p.output()[2]}) == 0);
    set_layout(p, layouts[random(0, std::size(layouts) - 1)]);
    return p;
}

std::string text(const ConvProblem& p)
{
    std::ostringstream out;
    out << p.rank << "D, G N K C " << p.groups << ' ' << p.batch << ' ' << p.out_channels << ' '
        << p.in_channels;
    const auto add = [&](const char* what, const Spatial& values) {
        out << ", " << what;
        for(std::size_t i = 3 - static_cast<std::size_t>(p.rank); i < 3; ++i)
            out << ' ' << values[i];
    };
    add("input", p.input);
    add("filter", p.filter);
    add("stride", p.stride);
    add("dilation", p.dilation);
    add("pads", p.pad_low);
    add("and", p.pad_high);
    out << ", strides of X, W";
    for(const TensorStrides& strides : {p.input_strides, p.filter_strides})
        for(const long_index_t stride : strides)
            out << ' ' << stride;
    return out.str();
}

/// A tensor of the references: g, n or k, channel and the last `rank` spatial dimensions.
class HostTensor
{
public:
    HostTensor(const Values& values, const TensorStrides& strides, index_t rank)
        : lengths_(values.lengths),
          strides_(strides),
          tensor(HostTensorDescriptor(of_rank(values.lengths, rank), of_rank(strides, rank)))
    {
        values.for_each_offset(strides, [&](std::size_t i, std::size_t offset) {
            tensor.mData[offset] = static_cast<float>(values.values[i]);
        });
    }

    std::vector<double> values() const
    {
        std::vector<double> all(static_cast<std::size_t>(element_count(lengths_)));
        Values{lengths_, all}.for_each_offset(strides_, [&](std::size_t i, std::size_t offset) {
            all[i] = static_cast<double>(tensor.mData[offset]);
        });
        return all;
    }

private:
    static Longs of_rank(const std::array<long_index_t, 6>& all, index_t rank)
    {
        Longs some(all.begin(), all.begin() + 3);
        some.insert(some.end(), all.end() - rank, all.end());
        return some;
    }

    TensorLengths lengths_;
    TensorStrides strides_;

public:
    Tensor<float> tensor;
};

/// The result of the CPU reference of a direction.
template <index_t rank>
std::vector<double> reference(Direction direction,
                              const ConvProblem& p,
                              const Values& x_values,
                              const Values& w_values,
                              const Values& y_values)
{
    using tensor_operation::host::ReferenceConvBwdData;
    using tensor_operation::host::ReferenceConvBwdWeight;
    using tensor_operation::host::ReferenceConvFwd;
    using PT = PassThrough;
    using F  = float;

    HostTensor x(x_values, p.input_strides, rank), w(w_values, p.filter_strides, rank),
        y(y_values, p.output_strides, rank);
    const auto compute = [&]<class Reference>(Reference*, HostTensor& result) {
        const auto last = [](const Spatial& all) { return Longs(all.end() - rank, all.end()); };
        std::fill(result.tensor.begin(), result.tensor.end(), std::numeric_limits<F>::quiet_NaN());
        Reference::MakeInvoker().Run(Reference::MakeArgument(x.tensor,
                                                             w.tensor,
                                                             y.tensor,
                                                             last(p.stride),
                                                             last(p.dilation),
                                                             last(p.pad_low),
                                                             last(p.pad_high),
                                                             PT{},
                                                             PT{},
                                                             PT{}));
        return result.values();
    };
    switch(direction)
    {
    case Direction::forward:
        return compute(static_cast<ReferenceConvFwd<rank, F, F, F, PT, PT, PT>*>(nullptr), y);
    case Direction::backward_data:
        return compute(static_cast<ReferenceConvBwdData<rank, F, F, F, PT, PT, PT>*>(nullptr), x);
    default:
        return compute(static_cast<ReferenceConvBwdWeight<rank, F, F, F, PT, PT, PT>*>(nullptr), w);
    }
}

/// A kernel, and how often it has run.
struct Candidate
{
    const ConvKernel* kernel;
    std::string engine;
    int runs = 0;
};

/// A family without further operations, and its kernels.
struct Candidates
{
    Family family;
    std::vector<Candidate> kernels;

    static std::vector<Candidates> of(Direction direction)
    {
        std::vector<Candidates> all;
        for(const Family& family : families())
            if(family.direction == direction && family.operation_c == "PassThrough")
            {
                all.push_back({family, {}});
                for(const ConvKernel& kernel : kernels_of(family))
                    all.back().kernels.push_back({&kernel, engine_of(kernel)});
            }
        return all;
    }

    std::set<std::string> engines() const
    {
        std::set<std::string> names;
        for(const Candidate& candidate : kernels)
            names.insert(candidate.engine);
        return names;
    }
    std::string types() const { return family.a + ", " + family.b + ", " + family.c; }
};

class Oracle : public testing::TestWithParam<Direction>
{
protected:
    /// The sums, of elements of a kernel's type if oneDNN has such a convolution, else of floats.
    Values sums(const Family& family,
                const ConvProblem& p,
                const Values& x,
                const Values& w,
                const Values& y)
    {
        const Direction direction = GetParam();
        const auto xs             = packed(x, OneDnn::image_order);
        const auto ws             = packed(w, OneDnn::filter_order);
        const auto ys             = packed(y, OneDnn::image_order);

        OneDnn::Type type = OneDnn::Type::f32;
        if(family.a == "bf16" && family.b == "bf16")
            type = OneDnn::Type::bf16;
        else if(family.a == "i8" && direction == Direction::forward)
            type = OneDnn::Type::i8;
        auto sums = onednn_.sums(direction, type, p, xs, ws, ys);
        ++computed_[sums && type != OneDnn::Type::f32 ? family.a : "f32"];
        if(!sums)
            sums = onednn_.sums(direction, OneDnn::Type::f32, p, xs, ws, ys);

        Values result = direction == Direction::forward         ? y
                        : direction == Direction::backward_data ? x
                                                                : w;
        const auto& order =
            direction == Direction::backward_weight ? OneDnn::filter_order : OneDnn::image_order;
        const auto strides = ck::detail::packed_strides(result.lengths, order);
        Values(result).for_each_offset(strides, [&](std::size_t i, std::size_t offset) {
            result.values[i] = static_cast<double>(sums.value()[offset]);
        });
        return result;
    }

    std::map<std::string, int> computed_; // computed by oneDNN; key: type

private:
    static std::vector<float> packed(const Values& from, const OneDnn::Order& order)
    {
        std::vector<float> to(from.values.size());
        from.for_each_offset(ck::detail::packed_strides(from.lengths, order),
                             [&](std::size_t i, std::size_t offset) {
                                 to[offset] = static_cast<float>(from.values[i]);
                             });
        return to;
    }

    OneDnn onednn_;
};

TEST_P(Oracle, AgreesWithReferencesAndKernels)
{
    const Direction direction   = GetParam();
    std::vector<Candidates> all = Candidates::of(direction);
    ASSERT_FALSE(all.empty());
    Random random(20 + static_cast<unsigned>(direction));
    int runs = 0;
    for(int i = 0; i < problem_count; ++i)
    {
        const ConvProblem p = random_problem(random);
        SCOPED_TRACE(text(p));
        const auto seed = static_cast<unsigned>(3 * i);
        const Values x  = Values::integers(p.input_lengths(), seed),
                     w  = Values::integers(p.filter_lengths(), seed + 1),
                     y  = Values::integers(p.output_lengths(), seed + 2);

        Candidates& candidates = all[static_cast<std::size_t>(i) % all.size()];
        const Values expected  = sums(candidates.family, p, x, w, y);
        const auto on_cpu      = p.rank == 1   ? reference<1>(direction, p, x, w, y)
                                 : p.rank == 2 ? reference<2>(direction, p, x, w, y)
                                               : reference<3>(direction, p, x, w, y);
        EXPECT_EQ(on_cpu, expected.values) << "the CPU reference";

        KernelSetup setup(candidates.family,
                          p,
                          {x, w, y, expected},
                          static_cast<index_t>(random.one_of({1, 2, 3, -1})));
        const int runs_before = runs;
        for(const std::string& engine : candidates.engines())
        {
            // Of those that take the problem, the one that ran least.
            Candidate* chosen = nullptr;
            for(Candidate& candidate : candidates.kernels)
                if(candidate.engine == engine &&
                   (chosen == nullptr || candidate.runs < chosen->runs) &&
                   setup.supports(*candidate.kernel))
                    chosen = &candidate;
            if(chosen == nullptr)
                continue;
            ++chosen->runs;
            ++runs;
            EXPECT_TRUE(setup.supports(*chosen->kernel));
            EXPECT_EQ(setup.mistakes(*chosen->kernel), 0u)
                << candidates.types() << ": " << chosen->kernel->name;
        }
        EXPECT_GT(runs, runs_before) << "no kernel of " << candidates.types() << " takes it";
    }
    for(const Candidates& candidates : all)
        for(const Candidate& candidate : candidates.kernels)
            if(candidate.runs == 0)
            {
                const std::string what =
                    "never ran: " + candidates.types() + ": " + candidate.kernel->name;
                if(arch::emulated) // a GPU has not all instructions, and more kernels
                    ADD_FAILURE() << what;
                else
                    std::cout << what << '\n';
            }
    std::cout << name(direction) << ": " << problem_count << " problems by oneDNN (";
    for(const auto& [type, count] : computed_)
        std::cout << ' ' << type << ' ' << count;
    std::cout << " ), " << runs << " runs of kernels\n";
}

INSTANTIATE_TEST_SUITE_P(Directions,
                         Oracle,
                         testing::Values(Direction::forward,
                                         Direction::backward_data,
                                         Direction::backward_weight),
                         [](const auto& info) {
                             std::string text = name(info.param);
                             std::replace(text.begin(), text.end(), ' ', '_');
                             return text;
                         });

} // namespace
} // namespace ck::test
