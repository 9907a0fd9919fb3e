#pragma once
// Rules for tunings that several kernels share. Each rule is empty or a sentence that says what is
// wrong. A kernel's own why_no_...() is in its folder.
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"

namespace ck::grid {

constexpr const char* why_no_tiles(const GemmTuning& t)
{
    if(const char* reason = why_no_fields(t))
        return reason;
    if(t.block_tile.m <= 0 || t.block_tile.n <= 0 || t.block_tile.k <= 0 || t.wave_m <= 0 ||
       t.wave_n <= 0)
        return "tiles must be positive";
    if(t.block_tile.m % t.wave_m != 0 || t.block_tile.n % t.wave_n != 0)
        return "block_tile is not a whole number of wave tiles";
    return nullptr;
}

/// Says why waves cannot multiply a tuning's tile by matrix instructions; null if they can.
constexpr const char* why_no_waves(const GemmTuning& t)
{
    const arch::MatrixInstruction i = instruction_of(t);
    if(const char* reason = why_no_tiles(t))
        return reason;
    if(t.wave_m % i.m != 0 || t.wave_m % i.n != 0 || t.wave_n % i.n != 0 || t.wave_n % i.m != 0)
        return "a wave tile is not a whole number of instructions";
    if(block_size(t) > 1024)
        return "a workgroup has more than 1024 threads";
    return nullptr;
}

/// Says why a kernel that multiplies halo tiles cannot take a tuning; null if it can.
constexpr const char* why_no_halo_tiles(const GemmTuning& t)
{
    if(const char* reason = why_no_waves(t))
        return reason;
    if(!arch::takes_shared(t.instruction) || t.reduction != Reduction::by_tap)
        return "halo tiles are for wgmma, tap by tap";
    if(arch::input_bytes(t.instruction) != 2)
        return "halo tiles are of elements of two bytes";
    return nullptr;
}

/// Whether arch::multiply_shared() has instructions of n columns.
constexpr bool has_wgmma_of(index_t n) { return n >= 32 && n <= 256 && n % 32 == 0 && n != 224; }

/// Says why block::BlockGemm by wgmma, whose slices all threads or tensor maps copy, cannot take a
/// tuning; null if it can.
template <class Transform>
constexpr const char* why_no_wgmma(const GemmTuning& t)
{
    const bool maps           = t.pipeline == Pipeline::tensor_maps;
    const bool a_lies_along_k = a_along_k<Transform>(t), b_lies_along_k = b_along_k<Transform>(t);
    const index_t bytes = arch::input_bytes(t.instruction);
    if(bytes == 1 && ((!a_lies_along_k && (!maps || t.block_tile.m % 128 != 0)) ||
                      (!b_lies_along_k && (!maps || t.block_tile.n % 128 != 0))))
        return "wgmma reads elements of one byte along the reduction only: where they do not lie "
               "so, tensor maps bring squares of 128 lines, which are transposed";
    if(bytes == 4 && !maps)
        return "wgmma drops bits of floats, which only tensor maps round to tf32";
    const bool tf32_columns = bytes == 4 && a_lies_along_k && !b_lies_along_k;
    if(tf32_columns && (t.wave_n != 16 || t.block_tile.n % 64 != 0 || t.block_tile.m != t.wave_m ||
                        !has_wgmma_of(t.wave_m)))
        return "wgmma reads tf32 along the reduction only, but for its first operand: backward "
               "data's filters or backward weight's X, of whose columns each warp has 16 and each "
               "of its warpgroups 64, and all rows of a block, 32, 64, 96, 128, 160, 192 or 256";
    if(!tf32_columns &&
       ((t.wave_m != 16 && !(maps && t.wave_m == 32)) || t.wave_n != t.block_tile.n ||
        t.block_tile.m % (4 * t.wave_m) != 0 || !has_wgmma_of(t.wave_n)))
        return "wgmma's warps have 16 rows, of tensor maps 16 or 32, and all columns of a block, "
               "32, 64, 96, 128, 160, 192 or 256";
    // Whether the last box of 64 columns may be cut: where columns are only channels, not, as in
    // backward weight, channels at taps.
    const bool cut = maps && Transform::a_along_k && t.maps.cluster == 1 &&
                     t.maps.resident_filters == 0 && bytes == 2;
    if(!b_lies_along_k && t.block_tile.n % (cut ? 32 : 64) != 0 && t.block_tile.n != 32)
        return "wgmma reads columns that are contiguous in memory 64 at a time";
    return nullptr;
}

/// Says why block::BlockGemm's slices cannot lie in LDS; null if they can.
template <class Transform>
constexpr const char* why_no_slices(const GemmTuning& t)
{
    const arch::MatrixInstruction i = instruction_of(t);
    const bool wgmma                = arch::takes_shared(t.instruction);
    const bool maps                 = t.pipeline == Pipeline::tensor_maps;
    const index_t bytes             = arch::input_bytes(t.instruction);
    if((t.pipeline == Pipeline::async_copies || maps) && t.stages < 2)
        return "a circular buffer of LDS slices has at least two stages";
    const block::BlockShape shape = block_shape<Transform>(t);
    for(const block::OperandShape& operand : {block::a_operand(shape, block_size(t), bytes),
                                              block::b_operand(shape, block_size(t), bytes)})
    {
        if(const char* reason = block::why_not(operand))
            return reason;
        if(operand.packed == block::Contiguous::reduction && !maps &&
           (i.m % operand.piece_rows() != 0 || i.n % operand.piece_rows() != 0))
            return "a global load along an operand's rows is wider than an instruction's rows";
        if(operand.packed == block::Contiguous::row && bytes > 2 && !maps)
            return "packs along the rows are transposed by ldmatrix, for elements of one or two "
                   "bytes";
        if(shape.async && (operand.loads_per_piece() != 1 || operand.vector * bytes < 4))
            return "asynchronous copies take one load of at least 4 bytes for each piece";
    }
    const warp::FragmentLayout f = warp::fragment_layout(i.a, i.lanes, i.a_values, i.k);
    const index_t step           = arch::reads_matrices(i.requirement) || wgmma
                                       ? i.k
                                       : f.groups * math::max(f.k_values, 16 / bytes);
    if(t.block_tile.k % step != 0)
        return "block_tile.k is not a whole number of the steps in which a wave reads LDS";
    return nullptr;
}

} // namespace ck::grid
