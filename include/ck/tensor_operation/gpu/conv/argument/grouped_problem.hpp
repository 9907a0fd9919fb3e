#pragma once
// Makes a problem from Composable Kernel's arrays of lengths and strides.
#include "ck/convolution/folded_width.hpp"
#include "ck/convolution/problem.hpp"

#include <string>
#include <vector>

namespace ck::tensor_operation::device {

struct GroupedProblem
{
    ConvProblem problem;
    Support valid; // what is wrong with the arrays
};

/// The arrays are in the order G,N,C,[D]HW for x, G,K,C,[Z]YX for w, G,N,K,[D]HW for y, else [D]HW.
template <class Tensor, class Dims>
GroupedProblem make_grouped_problem(const Tensor& x_lengths,
                                    const Tensor& x_strides,
                                    const Tensor& w_lengths,
                                    const Tensor& w_strides,
                                    const Tensor& y_lengths,
                                    const Tensor& y_strides,
                                    const Dims& strides,
                                    const Dims& dilations,
                                    const Dims& left_pads,
                                    const Dims& right_pads)
{
    GroupedProblem r;
    ConvProblem& p  = r.problem;
    const auto wide = [](const auto& values, std::size_t from) {
        return std::vector<long_index_t>(values.begin() + static_cast<std::ptrdiff_t>(from),
                                         values.end());
    };
    p.rank           = static_cast<index_t>(strides.size());
    p.groups         = x_lengths[0];
    p.batch          = x_lengths[1];
    p.in_channels    = x_lengths[2];
    p.out_channels   = w_lengths[1];
    p.input          = to_spatial(wide(x_lengths, 3), 1);
    p.filter         = to_spatial(wide(w_lengths, 3), 1);
    p.stride         = to_spatial(wide(strides, 0), 1);
    p.dilation       = to_spatial(wide(dilations, 0), 1);
    p.pad_low        = to_spatial(wide(left_pads, 0), 0);
    p.pad_high       = to_spatial(wide(right_pads, 0), 0);
    p.input_strides  = to_tensor_strides(wide(x_strides, 0));
    p.filter_strides = to_tensor_strides(wide(w_strides, 0));
    p.output_strides = to_tensor_strides(wide(y_strides, 0));
    r.valid          = validate(p);
    if(!r.valid)
        return r;

    const auto expect = [&](const char* what, long_index_t given, long_index_t expected) {
        if(r.valid && given != expected)
            r.valid = refused(std::string(what) + " is " + std::to_string(given) +
                              ", but the other lengths make it " + std::to_string(expected));
    };
    expect("G of the filter tensor", w_lengths[0], p.groups);
    expect("C of the filter tensor", w_lengths[2], p.in_channels);
    expect("G of the output tensor", y_lengths[0], p.groups);
    expect("N of the output tensor", y_lengths[1], p.batch);
    expect("K of the output tensor", y_lengths[2], p.out_channels);
    if(r.valid)
        r.valid = crop_output(p, to_spatial(wide(y_lengths, 3), 1));
    return r;
}

/// Rewrites the problem of an operation's Argument as lines of patches if it is one; see
/// fold_width(). Problems keep their form if the operation's specialization is not Default, if D
/// tensors have the dimensions of the input or the filter, or if channels are in blocks. is_result:
/// whether the operation computes the input.
template <auto specialization, bool has_other_d, class Argument>
void see_patches(Argument& a, bool is_result)
{
    if constexpr(specialization == decltype(specialization)::Default && !has_other_d &&
                 !requires { Argument::has_blocks; })
        if(a.valid)
            a.problem = fold_width(a.problem, is_result);
}

/// Copies D tensors into an operation's Argument. Their lengths are C's, or 1 where they repeat.
template <class Argument, class Pointers, class Tensors, class Tensor>
void set_d_tensors(Argument& a,
                   const Pointers& pointers,
                   const Tensors& lengths,
                   const Tensors& strides,
                   const Tensor& c_lengths)
{
    std::size_t i = 0;
    for(const void* pointer : pointers)
    {
        std::vector<long_index_t> own(strides[i].begin(), strides[i].end());
        for(std::size_t dim = 0; dim < own.size(); ++dim)
            if(lengths[i][dim] == 1)
                own[dim] = 0;
            else if(a.valid && lengths[i][dim] != c_lengths[dim])
                a.valid = refused("length " + std::to_string(dim) + " of D" + std::to_string(i) +
                                  " is " + std::to_string(lengths[i][dim]) +
                                  ", but must be 1 or that of the result, " +
                                  std::to_string(c_lengths[dim]));
        a.d[i++] = {pointer, to_tensor_strides(own)};
    }
}

} // namespace ck::tensor_operation::device
