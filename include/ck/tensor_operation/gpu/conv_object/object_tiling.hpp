#pragma once
// The host side of the object: takes the problem, checks it, and divides it into shares of
// workgroups for the device.
#include "ck/convolution/problem.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/tensor_operation/gpu/conv_object/conv_object.hpp"
#include "ck/tensor_operation/operator_transform/backward_data_limits.hpp"

#include <optional>
#include <string>

namespace ck::conv_object {

/// The device for which kernels are tiled.
struct Device
{
    arch::Target target;
    index_t compute_units;

    static Device current() { return {current_target(), compute_unit_count()}; }
};

enum class DataType : std::int32_t
{
    f16,
    bf16,
};

/// Lengths of a tensor or of a filter.
struct Lengths
{
    long_index_t n, c;
    Spatial spatial;
};

struct ObjectTiling
{
    DataType type   = DataType::f16;
    Formats formats = {Format::fractal_z_3d, Format::ndc1hwc0, Format::ndc1hwc0};
    std::optional<Lengths> weight, grad_output, input; ///< weight: n is Cout, c is Cin
    Spatial pad_low{}, pad_high{}, output_padding{};
    Spatial stride   = {1, 1, 1};
    Spatial dilation = {1, 1, 1};
    index_t base     = 128; ///< as in the kernel's Conv3dConfig
    /// The cut that the caller wants; 0: chosen for the device.
    long_index_t single_m = 0, single_n = 0;

    /// Fills `data`, or says why it cannot.
    Support make(const Device& device, TilingData& data) const;

private:
    Support make_problem(ConvProblem& p) const;
    Support set_strides(ConvProblem& p, BackwardDataInBlocks::Outer& outer, TilingData& data) const;
    Support cut(const Device& device, TilingData& data) const;
};

namespace detail {

inline std::string text(const Spatial& s)
{
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
}

/// Estimates the blocks in a share of `rows` rows of W from dX's begin, for one column.
inline long_index_t blocks_of_rows(const BackwardDataInBlocks& t, index_t rows, index_t base)
{
    const index_t height = t.dimension[1].input;
    long_index_t blocks  = 0;
    // Samples phases: those that differ only along W have about the same rows.
    const index_t step = math::max(1, t.phase_count() / 64);
    for(index_t number = 0; number < t.phase_count(); number += step)
        blocks += math::integer_divide_ceil(
            t.rows_before(t.residues(number), rows / height, rows % height), base);
    return blocks * step;
}

} // namespace detail

inline Support ObjectTiling::make(const Device& device, TilingData& data) const
{
    data = {};
    if(!weight || !grad_output)
        return refused("SetWeightShape and SetGradOutputShape have to be called first");
    if(base != 128 && base != 64)
        return refused("blocks of the base shape are " + std::to_string(base) +
                       " long, but there are those of 128 and of 64");
    ConvProblem p;
    if(const Support s = make_problem(p); !s)
        return s;
    if(const Support s = check_backward_data(p, 1, {2, 2, 2}); !s)
        return s;
    BackwardDataInBlocks::Outer outer{};
    if(const Support s = set_strides(p, outer, data); !s)
        return s;
    data.transform     = BackwardDataInBlocks::make(p, outer);
    data.taps          = static_cast<index_t>(p.filter[0] * p.filter[1] * p.filter[2]);
    data.batch         = static_cast<index_t>(p.batch);
    data.up_pad        = static_cast<index_t>(p.dilation[1] * (p.filter[1] - 1) - p.pad_low[1]);
    data.configuration = type == DataType::f16 ? configuration_of<half_t>(formats, base)
                                               : configuration_of<bhalf_t>(formats, base);
    const auto engine  = [&]<class T>(T) {
        const arch::Matrix id = instruction_for<T>(device.target);
        data.instruction      = static_cast<std::int32_t>(id);
        data.lds_bytes        = static_cast<std::uint32_t>(
            base == 128 ? conv_object::lds_bytes<T, 128>(id) : conv_object::lds_bytes<T, 64>(id));
    };
    if(type == DataType::f16)
        engine(half_t{});
    else
        engine(bhalf_t{});
    if(!arch::block_memory_is_dynamic)
        data.lds_bytes = 0;
    data.thread_count = block_threads;
    return cut(device, data);
}

/// Without strides of tensors.
inline Support ObjectTiling::make_problem(ConvProblem& p) const
{
    p.rank         = 3;
    p.batch        = grad_output->n;
    p.out_channels = weight->n;
    p.in_channels  = weight->c;
    p.filter       = weight->spatial;
    p.stride       = stride;
    p.dilation     = dilation;
    p.pad_low      = pad_low;
    p.pad_high     = pad_high;
    if(grad_output->c != p.out_channels)
        return refused("dY has " + std::to_string(grad_output->c) + " channels, but W has " +
                       std::to_string(p.out_channels) + " output channels");
    Spatial transposed{}; // as in a transposed convolution
    for(std::size_t i = 0; i < 3; ++i)
        transposed[i] = (grad_output->spatial[i] - 1) * stride[i] - pad_low[i] - pad_high[i] +
                        dilation[i] * (p.filter[i] - 1) + output_padding[i] + 1;
    for(std::size_t i = 0; i < 3; ++i)
        if(output_padding[i] >= std::max(stride[i], dilation[i]))
            return refused("the output padding is " + detail::text(output_padding) +
                           ", but must be below the stride " + detail::text(stride) +
                           " or the dilation " + detail::text(dilation));
    p.input = input ? input->spatial : transposed;
    if(input && (input->n != p.batch || input->c != p.in_channels))
        return refused("dX has " + std::to_string(input->n) + " images of " +
                       std::to_string(input->c) + " channels, but dY has " +
                       std::to_string(p.batch) + " images and W " + std::to_string(p.in_channels) +
                       " input channels");
    if(input && output_padding != Spatial{} && input->spatial != transposed)
        return refused("dX is " + detail::text(input->spatial) +
                       ", but the output padding makes it " + detail::text(transposed));
    set_packed_strides(p);
    if(const Support s = validate(p); !s)
        return s;
    if(p.batch < 1)
        return refused("dY has no image");
    // The output padding (rows that no window reads) may be any number below the stride.
    if(const Spatial o = p.output(); input && o != grad_output->spatial)
        return refused("dY is " + detail::text(grad_output->spatial) +
                       ", but dX, W, stride, dilation and pads make it " + detail::text(o));
    if(!input)
        for(std::size_t i = 0; i < 3; ++i) // exact, whatever the output padding is
            p.pad_high[i] = (grad_output->spatial[i] - 1) * stride[i] +
                            dilation[i] * (p.filter[i] - 1) + 1 - p.input[i] - p.pad_low[i];
    set_packed_strides(p);
    return validate(p);
}

inline Support ObjectTiling::set_strides(ConvProblem& p,
                                         BackwardDataInBlocks::Outer& outer,
                                         TilingData& data) const
{
    constexpr long_index_t block = BackwardDataInBlocks::block;
    double most                  = 0; // bytes of an image, or of W
    const auto narrow            = [](long_index_t n) { return static_cast<index_t>(n); };
    // strides: of g, n or k, c or k, d, h, w; what is contiguous has whole blocks of channels.
    const auto image = [&](const char* name,
                           Format format,
                           long_index_t channels,
                           const Spatial& s,
                           TensorStrides& strides,
                           long_index_t& image_size) -> Support {
        const long_index_t blocks = math::integer_divide_ceil(channels, block);
        const long_index_t area = s[1] * s[2], volume = s[0] * area;
        switch(format)
        {
        case Format::ndc1hwc0:
            image_size = volume * blocks * block;
            strides    = {0, image_size, 1, area * blocks * block, s[2] * block, block};
            break;
        case Format::ndhwc:
            if(channels % 8 != 0)
                return refused(std::string(name) + " is NDHWC and has " + std::to_string(channels) +
                               " channels, no multiple of 8");
            image_size = volume * channels;
            strides    = {0, image_size, 1, area * channels, s[2] * channels, channels};
            break;
        case Format::ncdhw:
            image_size = volume * channels;
            strides    = {0, image_size, volume, area, s[2], 1};
            break;
        default:
            return refused(std::string(name) + " cannot be in FRACTAL_Z_3D");
        }
        most = std::max(most,
                        2.0 * static_cast<double>(s[0]) * static_cast<double>(area) *
                            static_cast<double>(blocks * block));
        return {};
    };
    const Spatial out = p.output();
    if(const Support s = image("dY",
                               formats.grad_output,
                               p.out_channels,
                               out,
                               p.output_strides,
                               data.grad_output_image);
       !s)
        return s;
    if(const Support s = image("dX",
                               formats.grad_input,
                               p.in_channels,
                               p.input,
                               p.input_strides,
                               data.grad_input_image);
       !s)
        return s;

    const long_index_t k = p.out_channels, c = p.in_channels;
    const long_index_t c1 = math::integer_divide_ceil(c, block),
                       np = math::integer_least_multiple(k, block);
    const long_index_t x = p.filter[2], yx = p.filter[1] * x, zyx = p.filter[0] * yx;
    long_index_t w_outer = block;
    if(formats.weight == Format::fractal_z_3d)
    {
        p.filter_strides = {0, block, 1, c1 * yx * np * block, x * np * block, np * block};
        w_outer          = yx * np * block;
        most             = std::max(most,
                        2.0 * static_cast<double>(zyx) * static_cast<double>(c1 * block) *
                            static_cast<double>(np));
    }
    else if(formats.weight == Format::ndhwc)
    {
        if(c % 8 != 0)
            return refused("W is packed and has " + std::to_string(c) +
                           " input channels, no multiple of 8");
        p.filter_strides = {0, zyx * c, 1, yx * c, x * c, c};
        most             = std::max(
            most, 2.0 * static_cast<double>(zyx) * static_cast<double>(c) * static_cast<double>(k));
    }
    else if(formats.weight == Format::ncdhw)
    {
        p.filter_strides = {0, zyx * c, zyx, yx, x, 1};
        w_outer          = zyx * block;
        most             = std::max(most,
                        2.0 * static_cast<double>(zyx) * static_cast<double>(c1 * block) *
                            static_cast<double>(k));
    }
    else
        return refused("W must be FRACTAL_Z_3D, NCDHW (Cout, Cin, filter), or NDHWC (Cout, filter, "
                       "Cin)");
    if(most >= 2147483648.0)
        return refused("an image of dX or dY, or W, takes 2^31 bytes or more, but 32-bit offsets "
                       "need less");
    outer = {.dx_c = narrow(formats.grad_input == Format::ndc1hwc0 ? p.input[1] * p.input[2] * block
                                                                   : p.input_strides[2] * block),
             .w_c  = narrow(w_outer),
             .dy_k = narrow(formats.grad_output == Format::ndc1hwc0 ? out[1] * out[2] * block
                                                                    : p.output_strides[2] * block)};
    return {};
}

inline Support ObjectTiling::cut(const Device& device, TilingData& data) const
{
    constexpr long_index_t block = BackwardDataInBlocks::block;
    const auto& t                = data.transform;
    const long_index_t width     = t.dimension[2].input;
    if(single_n != 0 && (single_n < 0 || (single_n % block != 0 && single_n != t.in_channels)))
        return refused("singleShapeN is " + std::to_string(single_n) +
                       ", but must be a multiple of 16, or all channels of dX, " +
                       std::to_string(t.in_channels));
    if(single_m != 0 && (single_m < 0 || single_m % width != 0))
        return refused("singleShapeM is " + std::to_string(single_m) +
                       ", but must be whole rows of W of dX, which are " + std::to_string(width) +
                       " long");
    const index_t all_n = math::integer_least_multiple(t.in_channels, static_cast<index_t>(block));
    const auto share_n  = static_cast<index_t>(
        single_n == 0
             ? std::min<long_index_t>(base, all_n)
             : std::min<long_index_t>(math::integer_least_multiple(single_n, block), all_n));
    const index_t n_shares    = math::integer_divide_ceil(t.in_channels, share_n);
    const index_t all         = data.rows();
    const long_index_t others = long_index_t{n_shares} * data.batch;
    index_t share_rows        = static_cast<index_t>(
        std::min<long_index_t>(std::max<long_index_t>(single_m / width, 1), all));
    if(single_m == 0)
    {
        // Two workgroups per compute unit. Minimise the blocks that one workgroup computes in turn.
        const long_index_t places = 2 * long_index_t{math::max(1, device.compute_units)};
        long_index_t fewest       = std::numeric_limits<long_index_t>::max();
        for(index_t rows = 1; rows <= std::min(all, 2048); ++rows)
        {
            const long_index_t shares = others * math::integer_divide_ceil(all, rows);
            const long_index_t blocks =
                math::integer_divide_ceil(shares, places) * detail::blocks_of_rows(t, rows, base);
            if(blocks < fewest && shares < ck::detail::index_limit)
            {
                fewest     = blocks;
                share_rows = rows;
            }
        }
    }
    const index_t row_shares  = math::integer_divide_ceil(all, share_rows);
    const long_index_t shares = others * row_shares;
    if(shares >= ck::detail::index_limit)
        return refused("there are " + std::to_string(shares) +
                       " shares, but a launch has fewer than 2^31 workgroups");
    data.share_rows         = share_rows;
    data.share_channels     = share_n;
    data.shares_of_rows     = make_divisor(row_shares);
    data.shares_of_channels = make_divisor(n_shares);
    data.block_count        = static_cast<std::uint32_t>(shares);
    return {};
}

} // namespace ck::conv_object
