#pragma once
// Random grouped problems through an operation of forward or backward data and through the CPU's
// plain loops, compared exactly.
#include "convolution/grouped.hpp"
#include <array>

namespace ck::test {

/// Computes five problems of one rank by Op, an operation for groups of elements T, and by
/// Reference. of_input: the result is X's gradient, else Y; `operation` makes it of the sum, with
/// d_count residuals.
template <bool of_input,
          index_t d_count,
          index_t rank,
          class T,
          class Op,
          class Reference,
          class Operation>
void expect_right_groups(unsigned seed, const GemmTuning& tuning, const Operation& operation)
{
    using L = Layouts<rank>;
    int ran = 0;
    for(const ConvParam& p : problems(rank, std::max(tuning.a_vector, tuning.c_vector), seed, 5))
    {
        SCOPED_TRACE(testing::Message() << p);
        Mirrored<T> x(
            utils::conv::make_input_host_tensor_descriptor_g_n_c_wis_packed<typename L::Input>(p));
        Mirrored<T> w(
            utils::conv::make_weight_host_tensor_descriptor_g_k_c_xs_packed<typename L::Weight>(p));
        Mirrored<T> y(
            utils::conv::make_output_host_tensor_descriptor_g_n_k_wos_packed<typename L::Output>(
                p));
        Mirrored<T>&from = of_input ? y : x, &to = of_input ? x : y;
        Mirrored<T> d(to.host.mDesc);
        from.fill_with_integers(), w.fill_with_integers(), d.fill_with_integers(),
            to.fill_with_nan();
        const auto lengths = [](const Mirrored<T>& t) {
            return array_of<rank>(t.host.GetLengths());
        };
        const auto strides = [](const Mirrored<T>& t) {
            return array_of<rank>(t.host.GetStrides());
        };
        std::array<const void*, d_count> d_buffers;
        std::array<std::array<index_t, rank + 3>, d_count> d_lengths, d_strides;
        d_buffers.fill(d.device.GetDeviceBuffer());
        d_lengths.fill(lengths(d)), d_strides.fill(strides(d));
        Op op;
        const auto argument = op.MakeArgumentPointer(from.device.GetDeviceBuffer(),
                                                     w.device.GetDeviceBuffer(),
                                                     d_buffers,
                                                     to.device.GetDeviceBuffer(),
                                                     lengths(from),
                                                     strides(from),
                                                     lengths(w),
                                                     strides(w),
                                                     d_lengths,
                                                     d_strides,
                                                     lengths(to),
                                                     strides(to),
                                                     array_of<rank>(p.conv_filter_strides_),
                                                     array_of<rank>(p.conv_filter_dilations_),
                                                     array_of<rank>(p.input_left_pads_),
                                                     array_of<rank>(p.input_right_pads_),
                                                     {},
                                                     {},
                                                     operation);
        CK_SKIP_WITHOUT(Op::Kernel::requirement, op.WhyNotSupported(argument.get()));
        ASSERT_EQ(op.WhyNotSupported(argument.get()), "");
        op.MakeInvokerPointer()->Run(argument.get());
        const std::vector<T> got = to.result();

        Tensor<T> expected(to.host.mDesc);
        const auto compute = [&](auto& input,
                                 auto& output,
                                 const auto& in_op,
                                 const auto& out_op,
                                 const auto&... ds) {
            auto reference = Reference::MakeInvoker();
            reference.Run(Reference::MakeArgument(input,
                                                  w.host,
                                                  output,
                                                  p.conv_filter_strides_,
                                                  p.conv_filter_dilations_,
                                                  p.input_left_pads_,
                                                  p.input_right_pads_,
                                                  in_op,
                                                  {},
                                                  out_op,
                                                  {},
                                                  {},
                                                  {ds...}));
        };
        if constexpr(of_input)
            compute(expected, y.host, operation, PassThrough{});
        else
            compute(x.host, expected, PassThrough{}, operation, d.host);
        EXPECT_EQ(differences(got, expected.mData), 0u);
        ++ran;
    }
    EXPECT_EQ(ran, 5);
}

} // namespace ck::test
