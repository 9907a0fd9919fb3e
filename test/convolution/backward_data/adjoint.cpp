// Backward data against two more oracles: the forward convolution, to which it is adjoint, and the
// library's ReferenceConvBwdData.
//
// Labels: not emulated
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"

#include <gtest/gtest.h>

#include "convolution/lattice/instance_of.hpp"

namespace ck::test {
namespace {

constexpr Fit no_vectors{1, 1, 32, 32, 16};

/// <conv(x, w), dy>, with a forward convolution that gathers: the other way round from the
/// definition in for_each_tap().
double forward_product(const ConvProblem& p,
                       const std::vector<double>& x,
                       const std::vector<double>& w,
                       const std::vector<double>& dy)
{
    const Spatial out = p.output();
    double sum        = 0;
    std::size_t at    = 0; // place in dY, packed n d h w k
    for(long_index_t n = 0; n < p.batch; ++n)
        for(long_index_t od = 0; od < out[0]; ++od)
            for(long_index_t oh = 0; oh < out[1]; ++oh)
                for(long_index_t ow = 0; ow < out[2]; ++ow)
                    for(long_index_t k = 0; k < p.out_channels; ++k)
                    {
                        double y = 0;
                        std::size_t tap =
                            static_cast<std::size_t>(k * p.filter_strides[1]); // k z y x c
                        for(long_index_t fd = 0; fd < p.filter[0]; ++fd)
                            for(long_index_t fh = 0; fh < p.filter[1]; ++fh)
                                for(long_index_t fw = 0; fw < p.filter[2]; ++fw)
                                {
                                    const long_index_t i[] = {
                                        od * p.stride[0] + fd * p.dilation[0] - p.pad_low[0],
                                        oh * p.stride[1] + fh * p.dilation[1] - p.pad_low[1],
                                        ow * p.stride[2] + fw * p.dilation[2] - p.pad_low[2]};
                                    const bool inside = 0 <= i[0] && i[0] < p.input[0] &&
                                                        0 <= i[1] && i[1] < p.input[1] &&
                                                        0 <= i[2] && i[2] < p.input[2];
                                    const long_index_t pixel =
                                        ((n * p.input[0] + i[0]) * p.input[1] + i[1]) * p.input[2] +
                                        i[2];
                                    for(long_index_t c = 0; c < p.in_channels; ++c, ++tap)
                                        if(inside)
                                            y += w[tap] * x[static_cast<std::size_t>(
                                                              pixel * p.in_channels + c)];
                                }
                        sum += y * dy[at++];
                    }
    return sum;
}

TEST(BackwardDataOracles, IsAdjointToTheForwardConvolution)
{
    for(const auto& instance : all_instances())
    {
        if(instance->engine() != "dl_f32") // every device has dl_f32
            continue;
        std::size_t ran = 0;
        for(const auto& [name, p] : problems(instance->fit(), 11))
        {
            if(!is_plain(p))
                continue;
            SCOPED_TRACE(name + ": " + text(p));
            const Tensors tensors(Direction::backward_data, p, instance->type(), Data::integers);
            instance->run(p, tensors.input(), tensors.filter(), tensors.output());
            const std::vector<double> dx = tensors.result_values();
            std::vector<double> x(dx.size());
            double backward = 0;
            for(std::size_t i = 0; i < x.size(); ++i)
            {
                x[i] = static_cast<double>(i * 7 % 11) - 5;
                backward += x[i] * dx[i];
            }
            // Integers: both sums are exact.
            EXPECT_EQ(backward,
                      forward_product(p, x, tensors.filter_values(), tensors.operand_values()));
            ++ran;
        }
        EXPECT_GE(ran, 20u);
        return;
    }
    FAIL() << "no instance was found";
}

template <index_t rank>
void compare_with_library(const ConvProblem& p)
{
    const Tensors tensors(Direction::backward_data, p, Type::f32, Data::decimals);
    const auto lengths = [](const TensorLengths& l) {
        std::vector<std::size_t> v{static_cast<std::size_t>(l[1]), static_cast<std::size_t>(l[2])};
        for(std::size_t i = 6 - rank; i < 6; ++i)
            v.push_back(static_cast<std::size_t>(l[i]));
        return v;
    };
    const auto strides = [](const TensorStrides& s) {
        std::vector<std::size_t> v{static_cast<std::size_t>(s[1]), static_cast<std::size_t>(s[2])};
        for(std::size_t i = 6 - rank; i < 6; ++i)
            v.push_back(static_cast<std::size_t>(s[i]));
        return v;
    };
    Tensor<double> dx(lengths(p.input_lengths()), strides(p.input_strides));
    Tensor<float> w(lengths(p.filter_lengths()), strides(p.filter_strides));
    Tensor<float> dy(lengths(p.output_lengths()), strides(p.output_strides));
    std::copy(tensors.filter_values().begin(), tensors.filter_values().end(), w.begin());
    std::copy(tensors.operand_values().begin(), tensors.operand_values().end(), dy.begin());

    using Reference = tensor_operation::host::
        ReferenceConvBwdData<rank, double, float, float, PassThrough, PassThrough, PassThrough>;
    const auto list = [](const Spatial& s) {
        return std::vector<long_index_t>(s.end() - rank, s.end());
    };
    Reference::MakeInvoker().Run(Reference::MakeArgument(dx,
                                                         w,
                                                         dy,
                                                         list(p.stride),
                                                         list(p.dilation),
                                                         list(p.pad_low),
                                                         list(p.pad_high),
                                                         {},
                                                         {},
                                                         {}));
    ASSERT_EQ(dx.size(), tensors.expected().size());
    // Both sum in double, in orders of their own.
    for(std::size_t i = 0; i < dx.size(); ++i)
        ASSERT_NEAR(dx.data()[i], tensors.expected()[i], 1e-12) << "element " << i;
}

TEST(BackwardDataOracles, AgreeWithTheLibrarysReference)
{
    for(const auto& [name, p] : problems(no_vectors, 3))
    {
        if(!is_plain(p) || p.batch == 0 || p.output()[0] * p.output()[1] * p.output()[2] == 0)
            continue; // host tensors have at least one element
        SCOPED_TRACE(name + ": " + text(p));
        with_rank(p.rank, [&, &p = p](auto rank) { compare_with_library<rank>(p); });
    }
}

} // namespace
} // namespace ck::test
