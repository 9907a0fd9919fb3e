// Random convolutions of integers: the library's kernels and the CPU references, each compared
// exactly with oneDNN. Images too small for the filter are left to other tests: oneDNN has no
// convolution without output pixels.
#include "ck/arch/target.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_weight.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_conv_fwd.hpp"

#include "oracle/onednn.hpp"
#include <algorithm>
#include <iostream>
#include <limits>
#include <random>

namespace ck::test {
namespace {

using element_wise::PassThrough;
using Longs = std::vector<long_index_t>;

constexpr int problem_count = 360; // of each direction

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

/// The kernels of the families without further operations, and how often each has run.
struct Candidates
{
    struct Kernel
    {
        const ConvKernel* kernel;
        int runs = 0;
    };
    using Engines = std::map<std::string, std::vector<Kernel>>;

    explicit Candidates(Direction direction)
    {
        for(const Family& family : tensor_operation::device::instance::families())
            if(family.direction == direction && family.operation_c == "PassThrough")
            {
                Engines engines;
                for(const ConvKernel& kernel : kernels_of(family))
                    engines[engine_of(kernel)].push_back({&kernel});
                families.emplace_back(family, std::move(engines));
            }
    }

    std::vector<std::pair<Family, Engines>> families;
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
        using Type      = OneDnn::DataType;
        const Type type = family.a == "bf16" && family.b == "bf16"               ? Type::bf16
                          : family.a == "i8" && GetParam() == Direction::forward ? Type::s8
                                                                                 : Type::f32;
        if(type != Type::f32)
            try
            {
                const Values result = onednn_.sums(GetParam(), type, p, x, w, y);
                ++computed_[family.a];
                return result;
            }
            catch(const dnnl::error& e)
            {
                if(e.status != dnnl_unimplemented)
                    throw;
            }
        ++computed_["f32"];
        return onednn_.sums(GetParam(), Type::f32, p, x, w, y);
    }

    std::map<std::string, int> computed_; // by oneDNN, with each type

private:
    OneDnn onednn_;
};

TEST_P(Oracle, AgreesWithReferencesAndKernels)
{
    const Direction direction = GetParam();
    Candidates candidates(direction);
    ASSERT_FALSE(candidates.families.empty());
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

        auto& [family, engines] = candidates.families[i % candidates.families.size()];
        const Values expected   = sums(family, p, x, w, y);
        const auto on_cpu       = p.rank == 1   ? reference<1>(direction, p, x, w, y)
                                  : p.rank == 2 ? reference<2>(direction, p, x, w, y)
                                                : reference<3>(direction, p, x, w, y);
        EXPECT_EQ(on_cpu, expected.values) << "the CPU reference";

        KernelSetup setup(
            family, p, {x, w, y, expected}, static_cast<index_t>(random.one_of({1, 2, 3, -1})));
        const int runs_before = runs;
        for(auto& [engine, kernels] : engines)
        {
            // Of those that take the problem, the one that ran least.
            Candidates::Kernel* chosen = nullptr;
            for(Candidates::Kernel& kernel : kernels)
                if((chosen == nullptr || kernel.runs < chosen->runs) &&
                   setup.supports(*kernel.kernel))
                    chosen = &kernel;
            if(chosen == nullptr)
                continue;
            ++chosen->runs;
            ++runs;
            EXPECT_TRUE(setup.supports(*chosen->kernel));
            EXPECT_EQ(setup.mistakes(*chosen->kernel), 0u)
                << family.a << ' ' << family.b << ' ' << family.c << ": " << chosen->kernel->name;
        }
        EXPECT_GT(runs, runs_before)
            << "no kernel of " << family.a << ' ' << family.b << ' ' << family.c << " takes it";
    }
    for(const auto& [family, engines] : candidates.families)
        for(const auto& [engine, kernels] : engines)
            for(const Candidates::Kernel& kernel : kernels)
                if(kernel.runs == 0)
                {
                    const std::string what = "never ran: " + family.a + ' ' + family.b + ' ' +
                                             family.c + ": " + kernel.kernel->name;
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
