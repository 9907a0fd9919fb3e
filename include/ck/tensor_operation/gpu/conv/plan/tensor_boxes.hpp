#pragma once
// Tensor maps of a problem's tensors, for all kernels that use them.
#include "ck/arch/tensor_map.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/operator_transform/pixel_windows.hpp"

#include <stdexcept>
#include <string>

namespace ck::tensor_operation::device {

/// Whether a problem, whose batch has `sub_batches` sub-batches, has one group and one sub-batch,
/// as a kernel's `what` require.
inline Support check_one_group(const ConvProblem& p, index_t sub_batches, const char* what)
{
    if(p.groups != 1)
        return refused([&] {
            return "G is " + std::to_string(p.groups) + ", but this kernel's " + what +
                   " are of one group";
        });
    if(sub_batches > 1)
        return refused([&] {
            return "32-bit offsets cut the batch into " + std::to_string(sub_batches) +
                   " sub-batches, but this kernel's " + what + " are of one";
        });
    return {};
}

/// Refuses empty tensors: the driver makes no maps of them. y: whether the kernel maps Y.
inline Support check_elements(const ConvProblem& p, bool y)
{
    if(p.batch == 0)
        return refused("N is 0, but there are no tensor maps of empty tensors");
    if(y && element_count(p.output_lengths()) == 0)
        return refused("Y is empty, but there are no tensor maps of empty tensors");
    return {};
}

/// Both checks, for a kernel that maps all tensors.
inline Support check_boxes(const ConvProblem& p, index_t sub_batches, const char* what)
{
    return check_all([&] { return check_elements(p, true); },
                     [&] { return check_one_group(p, sub_batches, what); });
}

/// Throws std::runtime_error if the driver cannot make the map.
inline void make_map(arch::TensorMap& map, const arch::TensorBox& box)
{
    if(!map.make(box))
        throw std::runtime_error("the driver makes no tensor map of a tensor of " +
                                 std::to_string(box.rank) + " dimensions");
}

/// A tensor of a problem with dimensions c w h d n (filters: c x y z k), with only those of w, h, d
/// that a problem of `rank` has. The caller sets the box.
inline arch::TensorBox whole_tensor(const ConvProblem& p,
                                    Role role,
                                    const void* base,
                                    index_t rank,
                                    index_t channels,
                                    index_t element_bytes = 2)
{
    const TensorLengths lengths  = lengths_of(p, role);
    const TensorStrides& strides = strides_of(p, role);
    arch::TensorBox b{};
    b.base          = base;
    b.rank          = rank + 2;
    b.element_bytes = element_bytes;
    b.channels      = channels;
    b.step[0] = b.step[1] = b.step[2] = 1;
    index_t n                         = 0;
    for(const std::size_t dimension : {2, 5, 4, 3, 1})
        if(dimension < 3 || dimension + static_cast<std::size_t>(rank) >= 6)
        {
            b.length[n]   = lengths[dimension];
            b.stride[n++] = strides[dimension];
        }
    return b;
}

/// Boxes of `channels` channels of `filters` filters at one tap.
inline arch::TensorBox filter_box(const ConvProblem& p,
                                  const void* base,
                                  index_t channels,
                                  index_t filters,
                                  index_t element_bytes = 2)
{
    arch::TensorBox b = whole_tensor(p, Role::filter, base, 3, channels, element_bytes);
    b.box[0] = b.box[1] = b.box[2] = 1;
    b.box[3]                       = filters;
    return b;
}

/// Whether a direction's strides make at most `most` phases, the most that a kernel's `what`
/// handle.
template <class Direction>
Support check_phases(const ConvProblem& p, index_t most, const char* what)
{
    if(Direction::c != Role::input)
        return {};
    const long_index_t phases =
        ck::detail::limited_product({p.stride[0], p.stride[1], p.stride[2]});
    if(phases > most)
        return refused([&] {
            return "the strides make " +
                   (phases > ck::detail::row_limit ? "more than 2^30" : std::to_string(phases)) +
                   " phases, but this kernel has " + what + " for at most " + std::to_string(most);
        });
    for(std::size_t i = 0; i < 3; ++i)
        if(const long_index_t product = p.stride[i] * p.dilation[i]; product >= 1 << 30)
            return refused([&] {
                return "a stride times its dilation is " + std::to_string(product) +
                       ", but this kernel's " + what + " need less than 2^30";
            });
    return {};
}

inline bool has_pixels(const PixelWindows& w)
{
    long_index_t all = w.tap_count();
    for(const PixelWindows::Dimension& d : w.dimension)
        all *= d.count.value;
    return all > 0;
}

/// The instruction's ranges: CUDA Driver API, cuTensorMapEncodeIm2col; PTX ISA,
/// "cp.async.bulk.tensor".
inline Support check_windows(const ConvProblem& p, Role role, const PixelWindows& w)
{
    if(!has_pixels(w))
        return {};
    const index_t bits = p.rank == 1 ? 16 : p.rank == 2 ? 8 : 5, half = 1 << (bits - 1);
    const auto check = [&](const char* what, index_t value, index_t low, index_t high) {
        return value >= low && value <= high ? Support{} : refused([&] {
            return std::string(what) + " is " + std::to_string(value) + ", but in tensor maps of " +
                   std::to_string(p.rank) + " spatial dimensions it must be from " +
                   std::to_string(low) + " to " + std::to_string(high);
        });
    };
    for(index_t i = 0; i < p.rank; ++i)
    {
        const PixelWindows::Dimension& d = w.dimension[i];
        const auto length =
            static_cast<index_t>(lengths_of(p, role)[5 - static_cast<std::size_t>(i)]);
        const index_t end = d.first + (d.count.value - 1) * d.step + 1;
        for(const Support& s :
            {check("the first pixel's distance from a tensor's begin", d.first, -half, half - 1),
             check("the last pixel's distance from a tensor's end", end - length, -half, half - 1),
             check("the distance of filter taps",
                   math::max(d.offset, d.offset + (d.taps.value - 1) * d.offset_step),
                   0,
                   2 * half - 1),
             check("the stride", d.step, 1, 8)})
            if(!s)
                return s;
    }
    return {};
}

/// Boxes of `lines` lines of the pixels in `w`, for a problem that check_windows() allows.
inline arch::TensorBox window_box(const ConvProblem& p,
                                  Role role,
                                  const void* base,
                                  const PixelWindows& w,
                                  index_t channels,
                                  index_t lines,
                                  index_t element_bytes = 2)
{
    arch::TensorBox b = whole_tensor(p, role, base, p.rank, channels, element_bytes);
    b.lines           = lines;
    b.windows         = true;
    for(index_t i = 0; i < p.rank; ++i)
    {
        b.first[i] = w.dimension[i].first;
        b.step[i]  = w.dimension[i].step;
        b.count[i] = w.dimension[i].count.value;
    }
    return b;
}

/// Whether the elements of a filter, or of a row of dW, are evenly spaced.
inline bool has_even_columns(const ConvProblem& p)
{
    const TensorLengths lengths = p.filter_lengths();
    long_index_t unit = 0, count = 1;
    for(const std::size_t i : {2, 5, 4, 3}) // c x y z
        if(lengths[i] > 1)
        {
            unit = unit == 0 ? p.filter_strides[i] : unit;
            if(p.filter_strides[i] != unit * count)
                return false;
            count *= lengths[i];
        }
    return true;
}

/// Bytes between consecutive pixels of a tensor, across all images; 0 if they are not evenly
/// spaced.
inline index_t pixel_stride(const ConvProblem& p, Role role, index_t element_bytes)
{
    const TensorLengths lengths  = lengths_of(p, role);
    const TensorStrides& strides = strides_of(p, role);
    long_index_t unit = 0, count = 1;
    for(const std::size_t i : {5, 4, 3, 1}) // w h d n
        if(lengths[i] > 1)
        {
            unit = unit == 0 ? strides[i] : unit;
            if(strides[i] != unit * count)
                return 0;
            count *= lengths[i];
        }
    return static_cast<index_t>(unit) * element_bytes;
}

} // namespace ck::tensor_operation::device
