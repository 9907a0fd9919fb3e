// The launches around the kernel of a quantized convolution.
#include "rewrites/quantized_launches.hpp"

#include "ck/tensor_operation/gpu/grid/gridwise_convert.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_operand_sums.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_quantize.hpp"
#include "ck/utility/tuple.hpp"

#include "rewrites/flat_launch.hpp"
#include <stdexcept>
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// Calls f(type) with the type of a name; returns whether there is one.
template <class F>
bool with_type(const std::string& name, const F& f)
{
    const auto is = [&]<class T>(const char* of, T) { return name == of ? (f(T{}), true) : false; };
    return is("i8", std::int8_t{}) || is("u8", std::uint8_t{}) || is("f16", half_t{}) ||
           is("bf16", bhalf_t{}) || is("f32", float{});
}

grid::ValidTaps taps_of(const ConvProblem& p)
{
    grid::ValidTaps t{};
    const Spatial output = p.output();
    for(std::size_t i = 0; i < 3; ++i)
    {
        t.input[i]    = static_cast<index_t>(p.input[i]);
        t.filter[i]   = static_cast<index_t>(p.filter[i]);
        t.output[i]   = make_divisor(static_cast<index_t>(output[i]));
        t.stride[i]   = p.stride[i];
        t.dilation[i] = p.dilation[i];
        t.pad_low[i]  = p.pad_low[i];
    }
    t.image = make_divisor(static_cast<index_t>(output[0] * output[1] * output[2]));
    return t;
}

template <class T>
void sum_along(const TensorLengths& lengths,
               const void* from,
               const TensorStrides& from_strides,
               void* to,
               const TensorStrides& to_strides,
               long_index_t count,
               long_index_t stride,
               std::int32_t zero,
               LaunchList& list)
{
    if(element_count(lengths) > 0)
        add<grid::GridwiseSumAlong<T>>(
            list,
            {static_cast<const T*>(from),
             static_cast<std::int32_t*>(to),
             FlatIndex<6, 2>::make(lengths, std::array{to_strides, from_strides}),
             count,
             stride,
             zero});
}

/// The index of a launch, of single elements.
FlatIndex<6, 4> index_of(const QuantizeLaunch& how)
{
    const ConvProblem& p = how.problem;
    const Spatial o      = p.output();
    const TensorStrides channel{p.out_channels, 0, 1, 0, 0, 0},
        pixel{0, o[0] * o[1] * o[2], 0, o[1] * o[2], o[2], 1};
    return FlatIndex<6, 4>::make(p.output_lengths(),
                                 std::array{p.output_strides, how.sum_strides, channel, pixel});
}

} // namespace

void copy_as_signed(const TensorLengths& lengths,
                    const void* tensor,
                    const TensorStrides& strides,
                    void* copy,
                    const TensorStrides& copy_strides,
                    LaunchList& list)
{
    if(element_count(lengths) > 0)
        with_vectors<16>(
            lengths,
            {{{copy, copy_strides, 1}, {tensor, strides, 1}}},
            [&](auto vector, const auto& index) {
                add<grid::GridwiseConvert<std::uint8_t, std::int8_t, decltype(vector)::value>>(
                    list,
                    {static_cast<const std::uint8_t*>(tensor),
                     static_cast<std::int8_t*>(copy),
                     index});
            });
}

long_index_t filter_sum_count(const ConvProblem& p)
{
    return (p.filter[0] * p.filter[1] * p.filter[2] + 1) * p.groups * p.out_channels;
}

void sum_filters(
    const ConvProblem& p, const void* w, std::int32_t zero, void* sums, LaunchList& list)
{
    TensorLengths lengths       = p.filter_lengths();
    lengths[2]                  = 1;
    const long_index_t channels = p.groups * p.out_channels,
                       taps     = p.filter[0] * p.filter[1] * p.filter[2];
    const TensorStrides of_taps{p.out_channels,
                                1,
                                0,
                                p.filter[1] * p.filter[2] * channels,
                                p.filter[2] * channels,
                                channels};
    sum_along<std::int8_t>(lengths,
                           w,
                           p.filter_strides,
                           sums,
                           of_taps,
                           p.in_channels,
                           p.filter_strides[2],
                           zero,
                           list);
    auto* const all = static_cast<std::int32_t*>(sums);
    sum_along<std::int32_t>({p.groups, p.out_channels, 1, 1, 1, 1},
                            all,
                            {p.out_channels, 1, 0, 0, 0, 0},
                            all == nullptr ? nullptr : all + taps * channels,
                            {p.out_channels, 1, 0, 0, 0, 0},
                            taps,
                            channels,
                            0,
                            list);
}

long_index_t channel_sum_count(const ConvProblem& p)
{
    return p.groups * p.batch * p.input[0] * p.input[1] * p.input[2];
}

long_index_t window_sum_count(const ConvProblem& p)
{
    const Spatial o = p.output();
    return p.groups * p.batch * o[0] * o[1] * o[2];
}

void sum_windows(
    const ConvProblem& p, const void* x, void* of_channels, void* of_windows, LaunchList& list)
{
    if(window_sum_count(p) == 0)
        return;
    TensorLengths lengths = p.input_lengths();
    lengths[2]            = 1;
    sum_along<std::int8_t>(lengths,
                           x,
                           p.input_strides,
                           of_channels,
                           ck::detail::packed_strides(lengths, {0, 1, 2, 3, 4, 5}),
                           p.in_channels,
                           p.input_strides[2],
                           0,
                           list);
    add<grid::GridwiseWindowSums>(list,
                                  {static_cast<const std::int32_t*>(of_channels),
                                   static_cast<std::int32_t*>(of_windows),
                                   window_sum_count(p),
                                   p.batch,
                                   static_cast<index_t>(p.groups),
                                   taps_of(p)});
}

index_t quantized_element_bytes(const std::string& type)
{
    index_t bytes = 0;
    with_type(type, [&]<class T>(T) { bytes = sizeof(T); });
    return bytes;
}

void quantize(const QuantizeLaunch& how, void* result, LaunchList& list)
{
    if(element_count(how.problem.output_lengths()) == 0)
        return;
    list.changes_in_place = list.changes_in_place || how.residual == result;
    const auto with       = [&]<class T>(T, auto vector, const FlatIndex<6, 4>& index) {
        const ConvProblem& p = how.problem;
        constexpr index_t v  = decltype(vector)::value;
        const index_t last   = index.dims - 1;
        const auto step      = [&](index_t t) {
            return last < 0 ? long_index_t{0} : index.stride[last][t] / v;
        };
        add<grid::GridwiseQuantize<T, v>>(list,
                                          {static_cast<const std::int32_t*>(how.sum),
                                           static_cast<T*>(result),
                                           static_cast<const float*>(how.scales),
                                           static_cast<const std::int32_t*>(how.bias),
                                           how.residual,
                                           static_cast<const std::int32_t*>(how.filters),
                                           static_cast<const std::int32_t*>(how.windows),
                                           index,
                                           static_cast<index_t>(step(2)),
                                           static_cast<index_t>(step(3)),
                                           step(1),
                                           static_cast<index_t>(p.groups * p.out_channels),
                                           static_cast<index_t>(p.out_channels),
                                           static_cast<index_t>(p.groups),
                                           how.x_zero,
                                           how.w_zero,
                                           how.scale,
                                           grid::residual_type_of(how.residual_type),
                                           taps_of(p),
                                           how.epilogue});
    };
    const bool known = with_type(how.type, [&]<class T>(T type) {
        constexpr index_t vector = 4;
        FlatIndex<6, 4> index    = index_of(how);
        const bool aligned       = is_aligned(result, vector * index_t{sizeof(T)}) &&
                             is_aligned(how.sum, vector * index_t{sizeof(std::int32_t)});
        if(make_vectors<vector>(index, aligned))
            with(type, Number<vector>{}, index);
        else
            with(type, Number<1>{}, index);
    });
    if(!known)
        throw std::runtime_error("results of " + how.type + " are not made from sums");
}

} // namespace ck::tensor_operation::device::instance
