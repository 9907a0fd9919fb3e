#pragma once
// Causal convolutions of sequences that come chunk by chunk, such as videos and audio. The
// outermost dimension is time. The chunks' results have the same bits as those of the whole
// sequence.
//
//   ck::CausalConvSpec spec{.conv = {.type = ck::DataType::bf16, .k = 128, .c = 128,
//                                    .input = {4, 60, 104}, .filter = {3, 3, 3},
//                                    .pads = {{0, 0}, {1, 1}, {1, 1}}}}; // four new frames
//   ck::CausalConvPlan plan(spec); // throws ck::Refused
//   plan.run({.x = x, .w = w, .y = y, .cache = cache, .next_cache = cache, .workspace =
//   workspace});
//
// docs/video_and_volumes.md explains the interface. Link composable_kernel::conv.
#include "ck/conv.hpp"

namespace ck {

/// A chunk of a sequence. The outermost dimension of `conv` is time, and its elements are frames. X
/// is in two parts. `conv` describes the new frames. The cache has the frames before them that the
/// filter reaches: (filter - 1) * dilation frames.
///
///   Y[n,t,..,gk] = sum of X[n, t * stride + z * dilation - reach + skip, ..,gc] * W[gk,z,..,c]
///   with reach = (Z - 1) * dilation; frames before the chunk, at -reach to -1, are in the cache
struct CausalConvSpec
{
    /// The convolution, forward and not transposed. input[0]: the number of new frames. pads[0] is
    /// {0, 0}: earlier frames are in the cache, and no later ones are needed. With Layout::strided,
    /// the frames of an image (of a channel, if channels are outside of the frames) are contiguous
    /// in X and Y, as in a part of a longer sequence.
    ConvSpec conv{};
    /// Whether this is the first chunk. Then zeros precede it, and no cache is read.
    bool first = false;
    /// Only with a stride: the number of new frames before the first one that ends a window, less
    /// than the stride. It is 0 for the first chunk, and next_skip() of the previous chunk's plan
    /// for every other.
    long_index_t skip = 0;
    /// The chunk length, in frames, for which the kernel is chosen. It must be the same for all
    /// chunks of a sequence, because one kernel computes them all. 0 means 4096 in 1D, 256 in 2D,
    /// 16 in 3D.
    long_index_t chunk = 0;

    /// Whether all fields are the same.
    bool operator==(const CausalConvSpec&) const = default;
};

/// The memory of one run, on the plan's device. y and next_cache are written.
struct CausalConvTensors
{
    const void* x        = nullptr; ///< the new frames
    const void* w        = nullptr; ///< W
    const void* y        = nullptr; ///< the chunk's part of Y, CausalConvPlan::y_bytes() bytes
    const void* bias     = nullptr; ///< as in ConvTensors
    const void* residual = nullptr; ///< as in ConvTensors
    /// The frames before the chunk, CausalConvPlan::cache_bytes() bytes: contiguous, in X's type
    /// and order of dimensions. Null for the first chunk.
    const void* cache = nullptr;
    /// Where the frames before the next chunk are written, in the same form; may be `cache`. If it
    /// is null, they are not written.
    void* next_cache = nullptr;
    void* workspace  = nullptr; ///< workspace_size() bytes at a multiple of 16
    void* stream     = nullptr; ///< hipStream_t or cudaStream_t; null: the default stream
};

/// A chunk, ready to run on one device. Like a ConvPlan, it never changes, and threads may use it
/// at the same time. Outputs that need cached frames are computed from a small copy in the
/// workspace; the others are computed from the chunk itself. The copy does not grow with the chunk,
/// unless the chunk is short (at most twice the cache).
class CausalConvPlan
{
public:
    /// The plan's contents; defined in the library.
    struct Prepared;

    /// Plans for the current device. Chunks have equal bits if their specs differ only in input[0],
    /// strides between images, `first` and `skip`, and their options are the same. Throws Refused
    /// if the spec breaks a rule, or if no kernel computes it.
    explicit CausalConvPlan(const CausalConvSpec& spec, const PlanOptions& options = {});

    /// The spec that the plan was made from.
    const CausalConvSpec& spec() const;
    /// Name of the kernel that computes all chunks; empty if no images or outputs are computed.
    const std::string& kernel() const;
    /// Several lines of text: the spec, the kernel, and what is read where.
    std::string explain() const;

    /// Number of frames in a cache: (filter - 1) * dilation; may be 0.
    long_index_t cached_frames() const;
    /// Bytes of a cache.
    std::size_t cache_bytes() const;
    /// [Do,] [Ho,] Wo of the chunk's part of Y. With a stride, the first may be 0.
    Extents output() const;
    /// Bytes from the first to the last element of that part.
    std::size_t y_bytes() const;
    /// CausalConvSpec::skip of the next chunk.
    long_index_t next_skip() const;
    /// The bytes of workspace that run() needs; may be 0.
    std::size_t workspace_size() const;

    /// Enqueues the chunk on the stream and returns. Can be captured into a graph. Throws Refused
    /// if an address is null or not aligned, the workspace is missing, memory overlaps, or another
    /// device is current. Throws std::runtime_error if the GPU's runtime reports an error.
    void run(const CausalConvTensors& tensors) const;

private:
    std::shared_ptr<const Prepared> prepared_;
};

} // namespace ck
