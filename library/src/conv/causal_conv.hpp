#pragma once
// The contents of a plan of a causal convolution.
#include "ck/causal_conv.hpp"

#include "conv/frames.hpp"

namespace ck::conv {

/// A convolution of a part of the chunk.
struct ChunkPart
{
    ConvPlan plan;
    bool of_copy;             ///< whether it reads the copy of cached and new frames, not X
    std::size_t x_at, y_at;   ///< bytes
    long_index_t first, last; ///< outputs
};

} // namespace ck::conv

namespace ck {

struct CausalConvPlan::Prepared
{
    CausalConvSpec spec;
    PlanOptions options;
    int device            = 0;
    bool channels_last    = true;  ///< whether the channels are within the frames
    bool alone            = false; ///< whether images are computed one by one
    std::size_t alignment = 16;
    Strides x_strides, w_strides, y_strides;
    Extents output;
    long_index_t reach = 0, next_skip = 0;
    long_index_t early       = 0; ///< outputs that are computed from the copy
    long_index_t left_out    = 0; ///< cached frames that the copy does not have
    long_index_t copied_from = 0; ///< first new frame in the copy
    long_index_t copied      = 0; ///< new frames in the copy; 0: there is no copy
    conv::Frames x{}, cache{}, copy{}, y{};
    bool empty          = false; ///< whether Y has no elements, of any number of frames
    std::size_t x_bytes = 0, w_bytes = 0, y_bytes = 0, bias_bytes = 0;
    bool has_two = false; ///< whether one output is computed as two, in the workspace
    conv::Frames two{};   ///< these, and the residual that is added to them
    std::size_t two_at = 0, residual_at = 0; ///< in the workspace
    std::size_t copy_bytes = 0; ///< of all copies in the workspace, before the kernel's part
    std::size_t workspace  = 0;
    std::string kernel;
    std::vector<conv::ChunkPart> parts;

    explicit Prepared(const CausalConvSpec& given, const PlanOptions& o);

    std::size_t cache_bytes() const
    {
        return static_cast<std::size_t>(cache.images) * cache.image_bytes;
    }
    /// Frames of the copy that are frames of X.
    long_index_t joined_frames() const { return copied > 0 ? reach - left_out + copied : 0; }
    /// All frames of the copy: with zeros at the end for a second output.
    long_index_t frames_of_copy() const { return joined_frames() + (has_two ? stride() : 0); }
    long_index_t stride() const { return spec.conv.strides.empty() ? 1 : spec.conv.strides[0]; }

private:
    void check(ConvSpec& whole);
    void set_strides(const ConvSpec& whole);
    void choose(const ConvSpec& whole);
    void split();
    void divide_workspace();
    conv::Frames frames(const Strides& strides, DataType type, long_index_t channels) const;
    /// A convolution of `count` frames, with `pad` zeros before them.
    ConvSpec part(long_index_t count, long_index_t pad, const Strides& of_x) const;
    /// Plans `count` outputs from output `first`, of the copy or of X from frame `from`, with `pad`
    /// zeros before it.
    void
    add(bool of_copy, long_index_t from, long_index_t pad, long_index_t first, long_index_t count);

    /// Whether windows meet and do not overlap, in 1D.
    bool are_patches() const
    {
        const ConvSpec& c = spec.conv;
        return c.input.size() == 1 && c.filter[0] > 1 && c.filter[0] == stride() &&
               (c.dilations.empty() || c.dilations[0] == 1);
    }
    long_index_t images() const { return alone ? 1 : spec.conv.n; }
    /// [1,] [H,] W of X or Y, with this number of frames.
    static Extents with_frames(Extents spatial, long_index_t frames)
    {
        spatial[0] = frames;
        return spatial;
    }
};

} // namespace ck
