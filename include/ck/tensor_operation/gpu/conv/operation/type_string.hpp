#pragma once
// The name of a device operation with its tuning: stable, and unique in its list of instances.
#include "ck/convolution/direction.hpp"
#include "ck/tensor_operation/gpu/device/operation_names.hpp"
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <concepts>
#include <string>
#include <string_view>

namespace ck::tensor_operation::device {

/// The engine of a matrix instruction, as the names of operations spell it.
constexpr const char* engine_name(arch::Requirement requirement)
{
    switch(requirement)
    {
    case arch::Requirement::none:
        return "Dl";
    case arch::Requirement::mfma:
    case arch::Requirement::mfma_bf16:
    case arch::Requirement::mfma_bf16_1k:
    case arch::Requirement::mfma_i8:
    case arch::Requirement::mfma_i8_gfx942:
    case arch::Requirement::mfma_gfx942:
    case arch::Requirement::mfma_gfx950:
    case arch::Requirement::mfma_f64:
        return "Xdl";
    case arch::Requirement::wmma_gfx11:
    case arch::Requirement::wmma_gfx12:
        return "Wmma";
    case arch::Requirement::wgmma:
        return "Wgmma";
    case arch::Requirement::mma_sync:
    case arch::Requirement::mma_sync_f64:
    case arch::Requirement::mma_sync_f64_sm90:
    case arch::Requirement::mma_sync_f8:
        return "Mma";
    }
    return "";
}

constexpr const char* pipeline_name(Pipeline pipeline)
{
    switch(pipeline)
    {
    case Pipeline::single_buffer:
        return "single_buffer";
    case Pipeline::double_buffer:
        return "double_buffer";
    case Pipeline::async_copies:
        return "async_copies";
    case Pipeline::tensor_maps:
        return "tensor_maps";
    case Pipeline::halo_tiles:
        return "halo_tiles";
    case Pipeline::fused_phases:
        return "fused_phases";
    case Pipeline::filter_rows:
        return "filter_rows";
    case Pipeline::channel_slices:
        return "channel_slices";
    case Pipeline::direct:
        return "direct";
    case Pipeline::sliding_window:
        return "sliding_window";
    case Pipeline::long_filter:
        return "long_filter";
    case Pipeline::small_groups:
        return "small_groups";
    case Pipeline::pointwise:
        return "pointwise";
    case Pipeline::pointwise_channels_first:
        return "pointwise_channels_first";
    case Pipeline::first_layer:
        return "first_layer";
    case Pipeline::channel_slice_windows:
        return "channel_slice_windows";
    case Pipeline::intra_block_split_k:
        return "intra_block_split_k";
    case Pipeline::other:
        break;
    }
    return "other";
}

namespace detail {

inline void append_one(std::string& text, std::string_view value) { text += value; }
inline void append_one(std::string& text, std::integral auto value)
{
    text += std::to_string(value);
}

} // namespace detail

/// Appends text and integers. The first plan of a process makes the names of all kernels, and
/// streams would take four times as long.
template <class... Values>
void append(std::string& text, const Values&... values)
{
    (detail::append_one(text, values), ...);
}

/// What a tuning has besides tiles and vectors, each item after ", ": the pipeline with its stages
/// or window, blocks per compute unit, merged reduction with its groups, cluster, resident filters,
/// operand transposed first, fused phases.
inline std::string schedule_text(const GemmTuning& t)
{
    std::string s;
    append(s, ", ", pipeline_name(t.pipeline));
    if(t.pipeline == Pipeline::async_copies || t.pipeline == Pipeline::tensor_maps)
        append(s, " ", t.stages);
    if(t.halo.pixels > 1)
        append(s, " pixels ", t.halo.pixels);
    if(t.pipeline == Pipeline::sliding_window && t.window.z > 1)
        append(s, " ", t.window.z, "x", t.window.y);
    else if(t.pipeline == Pipeline::sliding_window)
        append(s, " ", t.window.y);
    if(t.pipeline == Pipeline::sliding_window)
        append(s,
               "x",
               t.window.x,
               " stride ",
               t.window.stride,
               " columns ",
               t.window.columns,
               " stages ",
               t.window.stages);
    if(t.pipeline == Pipeline::small_groups)
        append(s, " taps ", t.window.x, " columns ", t.window.columns);
    if(t.pipeline == Pipeline::first_layer)
        append(s, " ", t.window.vector);
    if(t.pipeline == Pipeline::first_layer && t.window.y > 0)
        append(s, " rows ", t.window.y);
    if(t.pipeline == Pipeline::first_layer)
        append(s, " pixels ", t.window.columns, t.window.whole_rows ? " of whole rows" : "");
    if(t.pipeline == Pipeline::channel_slice_windows)
        append(s, " taps ", t.window.y, " pixels ", t.window.columns);
    if(t.pipeline == Pipeline::intra_block_split_k)
        append(s, " ", t.sliced.waves);
    if(t.pipeline == Pipeline::first_layer && t.sliced.waves > 1)
        append(s, " slices ", t.sliced.waves);
    if(t.channels_first != ChannelsFirstTuning{})
        append(s,
               t.pipeline == Pipeline::intra_block_split_k ? " channels first " : " ",
               t.channels_first.vector);
    if(t.pipeline >= Pipeline::other)
        append(s, " ", static_cast<int>(t.pipeline) - static_cast<int>(Pipeline::other));
    append(s, ", ", t.min_blocks_per_cu);
    if(t.reduction == Reduction::merged)
        append(s, ", merged");
    if(t.reduction == Reduction::merged && t.merged_groups > 0)
        append(s, " ", t.merged_groups);
    if(t.maps.cluster > 1)
        append(s, ", cluster ", t.maps.cluster);
    if(t.maps.resident_filters > 0)
        append(s, ", resident filters ", t.maps.resident_filters);
    if(t.maps.transposed_first)
        append(s, ", pre-transposed");
    if(t.maps.promoted_accumulation)
        append(s, ", promoted");
    if(t.fused.phases > 1)
        append(s, ", phases ", t.fused.phases);
    return s;
}

/// engine<threads, block tile m n k, wave tile m n, instruction, vectors of a b c, schedule>suffix
inline std::string kernel_string(const GemmTuning& t, const std::string& suffix = "")
{
    const arch::MatrixInstruction i = instruction_of(t);
    std::string s                   = engine_name(i.requirement);
    append(s, "<", block_size(t));
    for(const index_t value : {t.block_tile.m, t.block_tile.n, t.block_tile.k, t.wave_m, t.wave_n})
        append(s, ", ", value);
    append(s, ", ", i.name);
    for(const index_t value : {t.a_vector, t.b_vector, t.c_vector})
        append(s, ", ", value);
    append(s, schedule_text(t), ">", suffix);
    return s;
}

/// Between < and >, XDL kernels print the same 15 values as Composable Kernel's operation of the
/// direction, because MIOpen counts them. What else distinguishes kernels comes after. LDS is
/// accessed in pieces of 16 bytes, and C is shuffled one instruction tile at a time.
inline std::string conv_kernel_string(Direction direction,
                                      const GemmTuning& t,
                                      const std::string& specialization = "Default")
{
    const arch::MatrixInstruction i = instruction_of(t);
    const bool is_default           = specialization == "Default";
    if(std::string(engine_name(i.requirement)) != "Xdl")
        return kernel_string(t, is_default ? "" : " " + specialization);

    const index_t piece   = 16 / arch::input_bytes(t.instruction); // elements
    const index_t tiles_m = t.wave_m / i.m, tiles_n = t.wave_n / i.n;
    std::string s  = "Xdl<";
    const auto add = [&](const auto&... values) { (append(s, ", ", values), ...); };
    append(s, block_size(t));
    add(t.block_tile.m, t.block_tile.n);
    switch(direction)
    {
    case Direction::forward:
        add(t.block_tile.k, specialization, i.m, i.n, tiles_m, tiles_n);
        add(t.a_vector, t.b_vector, t.c_vector, 1, 1, t.merged_groups > 1 ? t.merged_groups : 1);
        break;
    case Direction::backward_data:
        add(t.block_tile.k, piece, piece, specialization, i.m, i.n, tiles_m, tiles_n);
        add(t.a_vector, t.b_vector, 1, 1);
        break;
    case Direction::backward_weight:
        add(t.block_tile.k / piece, specialization, piece, tiles_m, tiles_n);
        add(t.a_vector, piece, t.b_vector, piece, 1, 1, t.c_vector);
        break;
    }
    append(s, "> ", i.name, ", ", t.block_tile.k, ", ", t.c_vector, schedule_text(t));
    if(!is_default)
        append(s, ", ", specialization);
    return s;
}

} // namespace ck::tensor_operation::device
