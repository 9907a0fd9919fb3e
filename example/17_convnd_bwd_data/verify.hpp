#pragma once
// Whether dX is right: compared with plain loops in double, within a bound derived from the types
// and the length of the sums.
#include "ck/library/reference_tensor_operation/cpu/reference_conv_bwd_data.hpp"
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/error_bound.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

/// The most products that one element of dX is a sum of.
inline double longest_sum(const ck::utils::conv::ConvParam& p)
{
    double length = static_cast<double>(p.K_);
    for(std::size_t i = 0; i < p.filter_spatial_lengths_.size(); ++i)
    {
        // Taps that reach the same element are this far apart.
        const auto stride = p.conv_filter_strides_[i];
        const auto step   = stride / std::gcd(stride, p.conv_filter_dilations_[i]);
        length *= static_cast<double>((p.filter_spatial_lengths_[i] + step - 1) / step);
    }
    return length;
}

template <class T>
double largest_magnitude(const Tensor<T>& tensor)
{
    double largest = 0;
    for(const T& x : tensor)
        largest = std::max(largest, std::abs(ck::type_convert<double>(x)));
    return largest;
}

/// Prints the largest error and PASS or FAIL. `integers`: all values of W and dY are.
template <ck::index_t rank, class T>
bool verify(const ck::utils::conv::ConvParam& p,
            const Tensor<T>& in,
            const Tensor<T>& wei,
            const Tensor<T>& out,
            bool integers)
{
    using PassThrough = ck::tensor_operation::element_wise::PassThrough;
    using Reference   = ck::tensor_operation::host::
        ReferenceConvBwdData<rank, float, T, T, PassThrough, PassThrough, PassThrough>;
    Tensor<float> expected(in.mDesc);
    Reference::MakeInvoker().Run(Reference::MakeArgument(expected,
                                                         wei,
                                                         out,
                                                         p.conv_filter_strides_,
                                                         p.conv_filter_dilations_,
                                                         p.input_left_pads_,
                                                         p.input_right_pads_,
                                                         PassThrough{},
                                                         PassThrough{},
                                                         PassThrough{}));

    // Sums of integers below 2^24 are exact in float, in any order: then dX has one right value.
    const double length     = longest_sum(p);
    const double magnitudes = length * largest_magnitude(out) * largest_magnitude(wei);
    const bool exact        = integers && magnitudes < 0x1p24;
    const double sum_bound  = exact ? 0 : ck::utils::error_bound<T, T, double>(length, magnitudes);
    const auto bound        = [&](float value) {
        if(exact) // the difference that rounding to T makes
            return std::abs(ck::type_convert<double>(ck::type_convert<T>(value)) - value);
        const double largest = std::abs(value) + sum_bound;
        return sum_bound + ck::utils::unit_roundoff<T> * largest + ck::utils::denormal_roundoff<T> +
               ck::utils::unit_roundoff<float> * std::abs(value); // the reference is rounded, too
    };

    double error = 0, error_bound = 0; // where the error takes the largest part of its bound
    double part       = -1;
    std::size_t wrong = 0;
    for(std::size_t i = 0; i < in.size(); ++i)
    {
        const double e = std::abs(ck::type_convert<double>(in.mData[i]) - expected.mData[i]);
        const double b = bound(expected.mData[i]);
        const bool ok =
            e <= b && // a NaN is not
            (!exact || ck::type_convert<float>(in.mData[i]) ==
                           ck::type_convert<float>(ck::type_convert<T>(expected.mData[i])));
        wrong += !ok;
        const double p_i = ok ? (b > 0 ? e / b : 0) : std::isnan(e) ? INFINITY : 1 + e;
        if(p_i > part)
        {
            part        = p_i;
            error       = e;
            error_bound = b;
        }
    }
    std::cout << "verification: largest error " << error << ", bound there " << error_bound
              << (exact ? " (rounding of the exact sum to the data type)"
                        : " (rounding of sums of " + std::to_string(static_cast<long>(length)) +
                              " products)")
              << ": ";
    if(wrong == 0)
        std::cout << "PASS\n";
    else
        std::cout << "FAIL, " << wrong << " of " << in.size() << " elements\n";
    return wrong == 0;
}
