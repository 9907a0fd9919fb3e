// Plans causal convolutions, whose chunks have equal bits.
//
// The first outputs of a chunk need frames of earlier chunks: these are computed from a small copy,
// the cached frames and the first new ones. All others are computed from the chunk itself, which is
// not copied.
//
// Equal bits need the same order of sums, so one kernel computes all chunks. It is chosen for a
// fixed number of frames, and the choice may not depend on that number. So the number is odd: the
// strides of other sequences are then divisible by at least as high a power of two. And no sum is
// split to fill the GPU (ConvArgument::whole_sums). The strides of one pixel do not tell its
// layout: channels first, a single output is computed together with one more, which nobody reads.
//
// Kernels add the elements of patches, filters as wide as their stride, in another order unless
// there are pads. So patches never have any, but copied zeros before the first frame, and no part
// reads frames after the last that an output needs.
#include "conv/causal_conv.hpp"
#include "conv/prepared.hpp"
#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>

namespace ck {

namespace {

using namespace conv;

[[noreturn]] void refuse(const std::string& reason)
{
    throw Refused("ck::CausalConvSpec: " + reason);
}
std::string text(long_index_t n) { return std::to_string(n); }

/// The largest that divides all numbers of bytes, at most 16.
std::size_t power_of_two(std::size_t a, std::size_t b, std::size_t c = 16)
{
    const std::size_t all = a | b | c | 16;
    return all & (~all + 1);
}

/// Regular expression that matches the text.
std::string escaped(std::string_view name)
{
    std::string r;
    for(const char c : name)
        (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos ? r += '\\' : r) +=
            c;
    return r;
}

/// Expression that only this kernel matches, with images cut or not.
std::string only(const std::string& kernel)
{
    const std::string one = escaped(kernel);
    return "^(" + one + "|CutImage<" + one + ">)$";
}

/// Lengths and strides of X or Y, in the order of Strides.
struct Tensor
{
    const char* field;
    ShortList<long_index_t, 6> lengths;
    Strides strides;

    /// Strides of dimensions with one element become those of a contiguous tensor.
    void normalize(const Strides& packed)
    {
        for(std::size_t i = 0; i < strides.size(); ++i)
            if(lengths[i] == 1)
                strides[i] = packed[i];
    }
    long_index_t channel_stride() const { return lengths[2] > 1 ? strides[2] : strides[0]; }

    /// Whether frames are contiguous, with the channels within or outside of them.
    bool has_frames(bool channels_last) const
    {
        const Strides packed = packed_strides(channels_last, lengths[0], lengths[2], spatial());
        Tensor t             = *this;
        t.normalize(packed);
        for(std::size_t i = 3; i < strides.size(); ++i)
            if(t.strides[i] != packed[i])
                return false;
        if(channels_last)
            return t.strides[0] == packed[0] && t.strides[2] == packed[2];
        return t.channel_stride() >= (lengths[2] > 1 ? packed[2] : packed[0]) &&
               (lengths[0] == 1 ||
                t.strides[0] == lengths[2] * (lengths[2] > 1 ? t.strides[2] : t.strides[0]));
    }

    Extents spatial() const
    {
        Extents r;
        for(std::size_t i = 3; i < lengths.size(); ++i)
            r.push_back(lengths[i]);
        return r;
    }
};

} // namespace

/// Refuses what is not a chunk. whole: its convolution, with zeros in place of the cache.
void CausalConvPlan::Prepared::check(ConvSpec& whole)
{
    const ConvSpec& c      = spec.conv;
    const std::size_t rank = c.input.size();
    if(c.direction != Direction::forward)
        refuse(std::string("conv.direction is ") + name(c.direction) +
               ", but must be forward: for gradients, ck::plan() takes whole sequences, with "
               "pads[0].low = (filter - 1) * dilation");
    if(c.transposed)
        refuse("conv.transposed is set, but only ordinary convolutions have chunks");
    if(c.quantization.enabled)
        refuse("conv.quantization.enabled is true, but quantized convolutions have no chunks");
    const bool counted = rank >= 1 && rank <= 3 && c.filter.size() == rank &&
                         (c.pads.empty() || c.pads.size() == rank) &&
                         (c.dilations.empty() || c.dilations.size() == rank);
    constexpr long_index_t most = (long_index_t{1} << 31) - 1;
    if(counted)
    {
        if(!c.pads.empty() && c.pads[0] != PadWidths{})
            refuse("conv.pads[0] is {" + text(c.pads[0].low) + ", " + text(c.pads[0].high) +
                   "}, but must be {0, 0}: earlier frames are in the cache, and no later ones are "
                   "needed");
        const long_index_t dilation = c.dilations.empty() ? 1 : c.dilations[0];
        if(c.filter[0] >= 1 && c.filter[0] <= most && dilation >= 1 && dilation <= most)
            reach = (c.filter[0] - 1) * dilation;
        while(whole.pads.size() < rank)
            whole.pads.push_back({});
        whole.pads[0].low = reach;
    }
    sizes_of(whole);
    if(spec.skip < 0 || spec.skip >= stride())
        refuse("skip is " + text(spec.skip) + ", but must be from 0 to " + text(stride() - 1) +
               ": the stride is " + text(stride()));
    if(spec.first && spec.skip != 0)
        refuse("skip is " + text(spec.skip) + ", but must be 0 in the first chunk");
    if(spec.chunk < 0 || spec.chunk > most)
        refuse("chunk is " + text(spec.chunk) +
               ", but must be from 1 to 2^31 - 1, or 0 for the default");
}

Frames
CausalConvPlan::Prepared::frames(const Strides& strides, DataType type, long_index_t channels) const
{
    const ConvSpec& c = spec.conv;
    const auto bytes  = [&](long_index_t elements) {
        return static_cast<std::size_t>(elements) * bytes_of_element(type);
    };
    return {bytes(strides[3]),
            c.n,
            channels_last ? 1 : c.groups * channels,
            bytes(strides[1]),
            channels_last ? 0 : bytes(channels > 1 ? strides[2] : strides[0])};
}

void CausalConvPlan::Prepared::set_strides(const ConvSpec& whole)
{
    const ConvSpec& c  = spec.conv;
    const Sizes sizes  = sizes_of(whole);
    const auto lengths = [&](long_index_t channels, const Extents& spatial) {
        ShortList<long_index_t, 6> r{c.groups, c.n, channels};
        for(const long_index_t length : spatial)
            r.push_back(length);
        return r;
    };
    output    = whole.output();
    output[0] = std::max<long_index_t>(0, (c.input[0] - spec.skip + stride() - 1) / stride());
    Tensor x{"x_strides", lengths(c.c, c.input), c.x_strides};
    Tensor y{"y_strides", lengths(c.k, output), c.y_strides};
    const bool strided     = c.layout == Layout::strided;
    const auto have_frames = [&](bool within) {
        return x.has_frames(within) && y.has_frames(within);
    };
    // A tensor of one channel fits both layouts, so the other one decides.
    channels_last = strided ? have_frames(true) || (!have_frames(false) && x.has_frames(true))
                            : c.layout == Layout::channels_last;
    w_strides =
        strided ? c.w_strides : packed_strides(channels_last, 1, c.c, c.filter); // of g, k, c
    if(!strided)
        w_strides[0] = w_strides[1] * c.k;
    for(Tensor* const t : {&x, &y})
    {
        const Strides packed = packed_strides(channels_last, c.groups, t->lengths[2], t->spatial());
        if(!strided)
            t->strides = packed;
        else if(element_count(sizes.lengths(slot_y)) > 0 && !t->has_frames(channels_last))
            refuse(std::string("conv.") + t->field +
                   ": frames must be contiguous, in X and Y with the channels all within, or all "
                   "outside of them; only images, and channels outside, may be apart");
        t->normalize(packed);
    }
    x_strides = x.strides;
    y_strides = y.strides;
    this->x   = frames(x_strides, type_of(c, slot_x), c.c);
    this->y   = frames(y_strides, type_of(c, slot_y), c.k);
    cache     = frames(packed_strides(channels_last, c.groups, c.c, with_frames(c.input, reach)),
                   type_of(c, slot_x),
                   c.c);

    // Addresses of frames, and strides between images, are multiples of this for any number of
    // frames.
    alignment = power_of_two(this->x.frame_bytes, this->y.frame_bytes, c.alignment);
    alone =
        c.n > 1 && power_of_two(this->x.frame_bytes * static_cast<std::size_t>(this->x.rows),
                                this->y.frame_bytes * static_cast<std::size_t>(this->y.rows)) < 16;
    for(const auto& [field, f] : {std::pair{"x_strides", this->x}, {"y_strides", this->y}})
        for(const auto& [of, bytes] : {std::pair{"images", f.images > 1 ? f.image_bytes : 0},
                                       {"channels", f.rows > 1 ? f.row_bytes : 0}})
            if(bytes % alignment != 0)
                refuse(std::string("conv.") + field + ": " + of + " are " + std::to_string(bytes) +
                       " bytes apart, but must be a multiple of " + std::to_string(alignment) +
                       " (or set conv.alignment)");
}

ConvSpec
CausalConvPlan::Prepared::part(long_index_t count, long_index_t pad, const Strides& of_x) const
{
    ConvSpec s  = spec.conv;
    s.layout    = Layout::strided;
    s.n         = images();
    s.input[0]  = count;
    s.alignment = alignment;
    while(s.pads.size() < s.input.size())
        s.pads.push_back({});
    s.pads[0]   = {pad, 0};
    s.x_strides = of_x;
    s.w_strides = w_strides;
    s.y_strides = y_strides;
    return s;
}

/// Sets the options of plans that have one kernel, and sums in the same order.
void CausalConvPlan::Prepared::choose(const ConvSpec& whole)
{
    constexpr long_index_t defaults[]{4096, 256, 16};
    const ConvSpec& c          = spec.conv;
    const long_index_t wanted  = spec.chunk > 0 ? spec.chunk : defaults[c.input.size() - 1];
    const long_index_t outputs = wanted | 1, pad = are_patches() ? 0 : reach,
                       count = (outputs - 1) * stride() + 1 + reach - pad;
    ConvSpec contiguous      = whole; // strides of valid sizes do not overflow
    contiguous.layout        = Layout::channels_last;
    contiguous.x_strides = contiguous.w_strides = contiguous.y_strides = {};
    contiguous.input[0]                                                = count;
    sizes_of(contiguous);
    ConvSpec s =
        part(count, pad, packed_strides(channels_last, c.groups, c.c, with_frames(c.input, count)));
    s.y_strides = packed_strides(channels_last, c.groups, c.k, with_frames(output, outputs));
    kernel      = plan_of_whole_sums(s, options).kernel();
    constexpr std::string_view cut = "CutImage<"; // images of more than 2 GiB are cut
    if(kernel.starts_with(cut))
        kernel = kernel.substr(cut.size(), kernel.size() - cut.size() - 1);
    options.allow  = only(kernel);
    options.forbid = "";
}

void CausalConvPlan::Prepared::add(
    bool of_copy, long_index_t from, long_index_t pad, long_index_t first, long_index_t count)
{
    if(empty)
        return;
    const ConvSpec& c = spec.conv;
    const Strides of_x =
        of_copy
            ? packed_strides(channels_last, c.groups, c.c, with_frames(c.input, frames_of_copy()))
            : x_strides;
    const long_index_t computed = has_two ? 2 : count;
    ConvSpec s                  = part((computed - 1) * stride() + 1 + reach - pad, pad, of_x);
    if(has_two)
        s.y_strides = packed_strides(channels_last, c.groups, c.k, with_frames(output, 2));
    try
    {
        parts.push_back({plan_of_whole_sums(s, options),
                         of_copy,
                         x.at(from),
                         y.at(first),
                         first,
                         first + count - 1});
    }
    catch(const Refused& refused)
    {
        refuse("the kernel that computes chunks of other lengths, " + kernel +
               ", does not compute this one: " + refused.what());
    }
}

/// Splits the outputs into those of the copy and those of X.
void CausalConvPlan::Prepared::split()
{
    const long_index_t length = spec.conv.input[0], step = stride(), count = output[0];
    next_skip = spec.skip + count * step - length;
    if(spec.first && !are_patches() && !has_two)
        return add(false, 0, reach, 0, count); // frame 0 has an output
    early = std::min(count, std::max<long_index_t>(0, (reach - spec.skip + step - 1) / step));
    if(has_two || (early > 0 && length <= 2 * reach)) // two launches do not pay
        early = count;
    if(early > 0)
    {
        left_out    = std::min(spec.skip, reach);
        copied_from = spec.skip - left_out;
        copied      = early == count ? length - copied_from : spec.skip + (early - 1) * step + 1;
        add(true, 0, 0, 0, early);
    }
    else if(length < reach) // no outputs, but a next cache
        left_out = copied = length;
    if(early < count)
        add(false, spec.skip + early * step - reach, 0, early, count - early);
}

CausalConvPlan::Prepared::Prepared(const CausalConvSpec& given, const PlanOptions& o)
    : spec(given),
      options(o),
      device(current_device())
{
    ConvSpec whole = spec.conv;
    check(whole);
    set_strides(whole);
    const Sizes sizes           = sizes_of(whole);
    empty                       = element_count(sizes.lengths(slot_y)) == 0;
    x_bytes                     = bytes_of_tensor(whole, sizes, slot_x);
    w_bytes                     = bytes_of_tensor(whole, sizes, slot_w);
    const std::size_t of_result = bytes_of_element(type_of(spec.conv, slot_y));
    if(empty)
        w_bytes = 0; // not read
    else if(spec.conv.epilogue.bias)
        bias_bytes = static_cast<std::size_t>(spec.conv.groups * spec.conv.k) * of_result;
    if(!empty && output[0] > 0)
    {
        long_index_t last = (spec.conv.n - 1) * y_strides[1] + (spec.conv.k - 1) * y_strides[2] +
                            (spec.conv.groups - 1) * y_strides[0];
        for(std::size_t i = 0; i < output.size(); ++i)
            last += (output[i] - 1) * y_strides[3 + i];
        y_bytes = static_cast<std::size_t>(last + 1) * of_result;
    }
    const auto pixels = [](const Extents& spatial) {
        return std::accumulate(
            spatial.begin() + 1, spatial.end(), long_index_t{1}, std::multiplies<long_index_t>());
    };
    has_two = !empty && !channels_last && output[0] == 1 &&
              (pixels(spec.conv.input) == 1 || pixels(output) == 1);
    if(!empty)
        choose(whole);
    split();
    divide_workspace();
}

void CausalConvPlan::Prepared::divide_workspace()
{
    const ConvSpec& c  = spec.conv;
    const auto rounded = [](const Frames& f) {
        return (static_cast<std::size_t>(f.images) * f.image_bytes + 15) / 16 * 16;
    };
    copy =
        frames(packed_strides(channels_last, c.groups, c.c, with_frames(c.input, frames_of_copy())),
               type_of(c, slot_x),
               c.c);
    two         = frames(packed_strides(channels_last, c.groups, c.k, with_frames(output, 2)),
                 type_of(c, slot_y),
                 c.k);
    two_at      = rounded(copy);
    residual_at = two_at + (has_two ? rounded(two) : 0);
    copy_bytes =
        residual_at + (has_two && c.epilogue.residual != Residual::none ? rounded(two) : 0);
    std::size_t of_kernel = 0;
    for(const ChunkPart& p : parts)
        of_kernel = std::max(of_kernel, p.plan.workspace_size());
    workspace = copy_bytes + of_kernel;
}

} // namespace ck
