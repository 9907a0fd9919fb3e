#pragma once
// Backward data of a convolution as an object inside a kernel: a workgroup computes its share of dX
// block by block and may do other work between blocks.
//
// A share is a range of positions of dX, in the order d, h, w. With strides, dX has phases
// (operator_transform/backward_data.hpp), each a dense product; the share contains a range of each
// phase's rows. A block has base rows by base channels of one phase.
#include "ck/arch/atomic_add.hpp"
#include "ck/arch/block_memory.hpp"
#include "ck/arch/fail.hpp"
#include "ck/arch/memory.hpp"
#include "ck/tensor_operation/gpu/conv_object/held_block.hpp"
#include "ck/tensor_operation/gpu/conv_object/tiling_data.hpp"

namespace ck::conv_object {

/// The number by which a kernel and its tiling check that they match.
template <class T>
constexpr std::uint32_t configuration_of(const Formats& formats, index_t base)
{
    const std::uint32_t type = std::is_same_v<T, half_t> ? 1 : 2;
    return type | static_cast<std::uint32_t>(formats.weight) << 4 |
           static_cast<std::uint32_t>(formats.grad_output) << 8 |
           static_cast<std::uint32_t>(formats.grad_input) << 12 |
           static_cast<std::uint32_t>(base) << 16;
}

/// Number of adjacent channels in memory, as Runs counts them.
constexpr index_t run_of(Format format)
{
    switch(format)
    {
    case Format::ncdhw:
        return 1;
    case Format::ndhwc:
        return 0;
    case Format::ndc1hwc0:
    case Format::fractal_z_3d:
        break;
    }
    return BackwardDataInBlocks::block;
}

/// Position of a block's element in dX; c counts from the share's first channel.
struct Position
{
    index_t c, d, h, w;
};

/// base: positions and channels of a block, 128 or 64. All threads of a workgroup of
/// `block_threads` call every function together, with the same arguments.
template <class T, Formats formats, index_t base>
class ConvObject
{
public:
    static_assert(base == 128 || base == 64, "blocks are of 128 x 128 or of 64 x 64");
    static constexpr std::uint32_t configuration = configuration_of<T>(formats, base);

    /// Whether the next Iterate() begins the share. Clients set it between two shares.
    bool isFirstIter_ = true;

    /// Call it once in a kernel. The tiling must stay in memory.
    CK_DEVICE CK_INLINE void init(const TilingData* tiling)
    {
        tiling_ = tiling;
        set_    = 0;
        if(arch::checks_in_kernels && tiling == nullptr)
            return fail_("Init: there is no tiling");
        if(tiling->configuration != configuration)
            return fail_(
                "Init: the tiling was made for a kernel of other types, formats or blocks");
        if(!block_.select(tiling->instruction))
            return fail_("Init: the tiling was made for another device");
        isFirstIter_ = true;
        holds_ = handed_out_ = false;
    }

    CK_DEVICE CK_INLINE void set_single_shape(std::uint64_t m, std::uint64_t k, std::uint32_t n)
    {
        if(arch::checks_in_kernels && tiling_ == nullptr)
            return fail_("SetSingleShape: Init has not been called");
        const auto& t     = tiling_->transform;
        const auto width  = static_cast<std::uint64_t>(t.dimension[2].input);
        const auto filter = static_cast<std::uint64_t>(tiling_->taps);
        const auto most_n = math::integer_least_multiple(t.in_channels, channels_of_block);
        const auto most_k = math::integer_least_multiple(t.out_channels.value, channels_of_block);
        if(m == 0 || m % width != 0 || m / width > static_cast<std::uint64_t>(tiling_->rows()))
            return fail_("SetSingleShape: singleShapeM is not a number of whole rows of W of dX");
        if(k == 0 || k % filter != 0 || k / filter > static_cast<std::uint64_t>(most_k))
            return fail_(
                "SetSingleShape: singleShapeK is not a number of channels of dY times taps");
        if(n == 0 || n > static_cast<std::uint32_t>(most_n))
            return fail_("SetSingleShape: singleShapeN is not a number of channels of dX");
        const auto rows     = static_cast<index_t>(m / width);
        const auto channels = math::min(static_cast<index_t>(n), t.in_channels);
        if(rows != rows_ || channels != channels_ || !is_set(Set::shape))
            isFirstIter_ = true;
        rows_      = rows;
        channels_  = channels;
        reduction_ = math::min(static_cast<index_t>(k / filter), t.out_channels.value);
        set(Set::shape);
    }

    CK_DEVICE CK_INLINE void set_start_position(std::uint32_t d, std::int32_t ho)
    {
        if(arch::checks_in_kernels && tiling_ == nullptr)
            return fail_("SetStartPosition: Init has not been called");
        const auto& dim      = tiling_->transform.dimension;
        const long_index_t h = long_index_t{ho} + tiling_->up_pad;
        if(d >= static_cast<std::uint32_t>(dim[0].input) || h < 0 || h >= dim[1].input)
            return fail_("SetStartPosition: the position is outside of dX");
        start_d_     = static_cast<index_t>(d);
        start_h_     = static_cast<index_t>(h);
        isFirstIter_ = true;
        set(Set::start);
    }

    CK_DEVICE CK_INLINE void set_grad_output(const T* from)
    {
        if(!usable<formats.grad_output>(from))
            return fail_(formats.grad_output == Format::ncdhw
                             ? "SetGradOutput: the address is null or none of an element"
                             : "SetGradOutput: the address is null or no multiple of 16 bytes");
        grad_output_ = from;
        set(Set::grad_output);
    }

    CK_DEVICE CK_INLINE void set_weight(const T* from)
    {
        if(!usable<formats.weight>(from))
            return fail_(formats.weight == Format::ncdhw
                             ? "SetWeight: the address is null or none of an element"
                             : "SetWeight: the address is null or no multiple of 16 bytes");
        weight_ = from;
        set(Set::weight);
    }

    /// Computes the next block; returns false at the end of the share. `adds`: adds the sums of
    /// another part of the reduction to the current block, see docs/conv3d_backprop_input.md.
    CK_DEVICE CK_INLINE bool iterate(bool adds)
    {
        if((set_ & Set::all) != Set::all)
        {
            fail_("Iterate: call Init, SetSingleShape, SetStartPosition, SetGradOutput and "
                  "SetWeight before it");
            return false;
        }
        if(adds && holds_ && !isFirstIter_ && !is_set(Set::other_part))
        {
            fail_("Iterate: a partial sum is of another part of the reduction: call SetGradOutput "
                  "and SetWeight before it");
            return false;
        }
        const bool same       = adds && holds_ && !isFirstIter_;
        const BlockRange held = range();
        const index_t held_in = phase_;
        handed_out_           = same || advance();
        if(!handed_out_)
            return false;
        if(adds && holds_ && !same &&
           (phase_ != held_in || row_ != held.first_row || column_ != held.first_column))
        {
            fail_("Iterate: a partial sum from the share's begin on is of a share of one block");
            return false;
        }
        const auto& t   = tiling_->transform;
        const auto view = t.make_phase(t.residues(phase_));
        block_.visit([&](auto& block) __attribute__((always_inline)) {
            block.multiply(view, range(), grad_output_, weight_, adds && holds_, lds_of(block));
        });
        holds_ = true;
        set_ &= ~Set::other_part;
        return true;
    }

    /// Calls f(float& sum, Position) for each element of the block that is in the share. Elements
    /// are divided among the threads.
    template <class F>
    CK_DEVICE CK_INLINE void for_each(F&& f)
    {
        if(!handed_out_)
            return fail_("ForEach: Iterate has handed out no block");
        block_.visit([&](auto& block) __attribute__((always_inline)) {
            constexpr index_t run = std::remove_cvref_t<decltype(block)>::run;
            const auto* rows      = lds_of(block).c_rows;
            block.for_runs([&](auto&& sum, index_t r, index_t c) __attribute__((always_inline)) {
                const BlockRow row = rows[r];
                if(row.offset < arch::nowhere)
                    repeat_in_place<run>([&](index_t e) __attribute__((always_inline)) {
                        if(column_ + c + e < channels_)
                            f(sum(e), Position{column_ + c + e, row.d, row.h, row.w});
                    });
            });
        });
    }

    /// Stores the block. adds: adds to memory, each element atomically. sequential: stores only the
    /// block, its base rows of base elements one after another.
    CK_DEVICE CK_INLINE void get_tensor_c(T* to, bool adds, bool sequential)
    {
        if(!handed_out_)
            return fail_("GetTensorC: Iterate has handed out no block");
        if(!usable<formats.grad_input>(to))
            return fail_(formats.grad_input == Format::ncdhw
                             ? "GetTensorC: the address is null or none of an element"
                             : "GetTensorC: the address is null or no multiple of 16 bytes");
        constexpr auto bytes = static_cast<arch::offset_t>(sizeof(T));
        // Lanes beyond the last channel are zero.
        const index_t written      = formats.grad_input == Format::ndc1hwc0 && !sequential && !adds
                                         ? math::integer_least_multiple(channels_, channels_of_block)
                                         : channels_;
        const auto& t              = tiling_->transform;
        const index_t block_stride = sequential ? channels_of_block : t.outer.dx_c,
                      stride       = sequential ? 1 : t.dx_c;
        const arch::GlobalView<T> out(to);
        block_.visit([&](auto& block) __attribute__((always_inline)) {
            constexpr index_t run     = std::remove_cvref_t<decltype(block)>::run;
            constexpr bool whole_runs = formats.grad_input != Format::ncdhw;
            const auto* rows          = lds_of(block).c_rows;
            block.for_runs([&](auto&& sum, index_t r, index_t c) __attribute__((always_inline)) {
                arch::offset_t row = rows[r].offset;
                if(sequential && row < arch::nowhere)
                    row = static_cast<arch::offset_t>(r * base) * bytes;
                const index_t column = column_ + c;
                const auto place     = [&](index_t e) __attribute__((always_inline))
                {
                    const index_t from = (sequential ? c : column) + e;
                    const index_t at   = math::wrapping_sum(
                        math::wrapping_product(from / channels_of_block, block_stride),
                        math::wrapping_product(from % channels_of_block, stride));
                    return column + e < written ? row + static_cast<arch::offset_t>(at) * bytes
                                                : arch::nowhere;
                };
                const auto value = [&](index_t e) __attribute__((always_inline))
                {
                    return column + e < channels_ ? sum(e) : 0.f;
                };
                if(adds)
                    repeat_in_place<run>([&](index_t e) __attribute__((always_inline)) {
                        if(const arch::offset_t at = place(e); at < arch::nowhere)
                            arch::atomic_add(to + at / bytes, value(e));
                    });
                else if(whole_runs && (!sequential || channels_ % run == 0))
                {
                    Vector<T, run> values;
                    repeat_in_place<run>([&](index_t e) __attribute__((always_inline)) {
                        values[e] = type_convert<T>(value(e));
                    });
                    out.template store<run>(values, place(0));
                }
                else
                    repeat_in_place<run>([&](index_t e) __attribute__((always_inline)) {
                        out.template store<1>(Vector<T, 1>{type_convert<T>(value(e))}, place(e));
                    });
            });
        });
    }

    CK_DEVICE CK_INLINE void end()
    {
        set_   = 0;
        holds_ = handed_out_ = false;
    }

private:
    static constexpr index_t channels_of_block = BackwardDataInBlocks::block;

    /// Bits for what has been set.
    struct Set
    {
        static constexpr std::uint32_t shape = 1, start = 2, grad_output = 4, weight = 8, all = 15,
                                       other_part = 16;
    };
    CK_DEVICE CK_INLINE void set(std::uint32_t what)
    {
        set_ |= what;
        if(what == Set::grad_output || what == Set::weight)
            set_ |= Set::other_part;
    }
    CK_DEVICE CK_INLINE bool is_set(std::uint32_t what) const { return (set_ & what) != 0; }

    CK_DEVICE CK_INLINE static void fail_(const char* why) { arch::fail(why); }

    /// Whether a tensor may begin at p: vectors begin at 16 bytes, NCDHW is read and written by
    /// elements.
    template <Format format>
    CK_DEVICE CK_INLINE static bool usable(const T* p)
    {
        return p != nullptr &&
               reinterpret_cast<std::uintptr_t>(p) % (format == Format::ncdhw ? sizeof(T) : 16) ==
                   0;
    }

    CK_DEVICE CK_INLINE BlockRange range() const
    {
        return {row_, row_end_, column_, channels_, reduction_};
    }

    /// The LDS of a block.
    template <class Block>
    CK_DEVICE CK_INLINE static auto& lds_of(const Block&)
    {
        using Shared = typename Block::Shared;
        return *static_cast<Shared*>(arch::block_memory<Block, sizeof(Shared)>());
    }

    /// Moves to the next block: by column, then row, then phase.
    CK_DEVICE CK_INLINE bool advance()
    {
        if(isFirstIter_)
        {
            isFirstIter_ = false;
            if(!in_problem())
            {
                fail_("Iterate: the share goes beyond dX");
                return false;
            }
            phase_ = -1;
            row_ = row_end_ = column_ = 0;
        }
        else if(column_ += base; column_ >= channels_)
        {
            column_ = 0;
            row_ += base;
        }
        const auto& t        = tiling_->transform;
        const index_t height = t.dimension[1].input;
        while(row_ >= row_end_)
        {
            if(++phase_ >= t.phase_count())
            {
                phase_  = t.phase_count() - 1; // a further call ends here, too
                column_ = channels_;
                return false;
            }
            const auto r      = t.residues(phase_);
            const index_t end = start_d_ * height + start_h_ + rows_;
            row_              = t.rows_before(r, start_d_, start_h_);
            row_end_          = t.rows_before(r, end / height, end % height);
        }
        return true;
    }
    CK_DEVICE CK_INLINE bool in_problem() const
    {
        return start_d_ * tiling_->transform.dimension[1].input + start_h_ + rows_ <=
               tiling_->rows();
    }

    const TilingData* tiling_ = nullptr;
    const T* grad_output_     = nullptr;
    const T* weight_          = nullptr;
    std::uint32_t set_        = 0;
    bool holds_               = false;                // block_ holds the sums of a block
    bool handed_out_          = false;                // and the last Iterate() returned true for it
    index_t rows_ = 0, channels_ = 0, reduction_ = 0; // the share's, of W, dX and dY
    index_t start_d_ = 0, start_h_ = 0;
    index_t phase_ = 0, row_ = 0, row_end_ = 0, column_ = 0; // the block's place
    HeldBlock<T, base, Runs{run_of(formats.grad_output), run_of(formats.weight)}> block_;
};

} // namespace ck::conv_object
