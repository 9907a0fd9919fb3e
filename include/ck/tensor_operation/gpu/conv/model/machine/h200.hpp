#pragma once
// NVIDIA H200. Kernels of every vendor that have no numbers of another machine are predicted by
// these, too. Clock cycles, unless a line says otherwise. docs/notes/kernel_selection.md says what
// was measured, and how far off it is.
//
// script/machines writes this header of h200.ini.
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"

namespace ck::tensor_operation::device::machine::h200 {

/// How a launch's bytes move.
namespace memory {
inline constexpr double bytes_in_a_cycle = 2200; ///< of the device
inline constexpr double shown            = 0.1;  ///< of multiplying or moving, what takes less time
inline constexpr double more_part        = 0.5;  ///< of the partial sums: most stay in the cache
inline constexpr double transfer =
    1.2; ///< times as long, of bytes that a launch reads or writes and does nothing else with
inline constexpr double transposition_start = 3000; ///< of a launch that transposes an operand
} // namespace memory

/// Backward weight by tensor maps mostly reads; its partial sums are written, read, and added up by
/// a launch of their own. Times of 168 problems.
namespace weight_memory_by_maps {
inline constexpr double bytes_in_a_cycle = 2700;
inline constexpr double shown            = 0.1;
inline constexpr double more_part        = 1.5;
} // namespace weight_memory_by_maps

namespace weight_memory {
inline constexpr double shown     = 0.3;
inline constexpr double more_part = 0.5;
} // namespace weight_memory

/// What a multiprocessor does in a cycle.
namespace unit {
inline constexpr double operand_bytes =
    8192; ///< twice its multiplications by wgmma, times an operand's bytes: of f16 4096 flops
inline constexpr double lds_bytes    = 128; ///< that LDS reads or writes
inline constexpr double instructions = 128; ///< of threads
} // namespace unit

/// The engine that copies boxes.
namespace copies {
inline constexpr double line_bytes      = 128;
inline constexpr double half_line_bytes = 64;
inline constexpr double whole           = 2.2;  ///< for a line that begins at a line of memory,
inline constexpr double half            = 3.8;  ///< in the middle of one,
inline constexpr double other           = 5.7;  ///< elsewhere
inline constexpr double halo_line       = 5.5;  ///< for a line of a halo tile
inline constexpr double first           = 1000; ///< until a copy has begun to arrive
} // namespace copies

/// How many times as long lines of 1x1 take whose pixels begin within sectors. H200. Backward
/// weight, bf16: 40 to 40 channels at 56x56 0.039 ms where 48 to 48 take 0.023. Twice as long is
/// too much for others: 96 to 72 at 112x112 took 0.137 ms, predicted 0.221. Forward and backward
/// data, f16, pixels shorter than a line: 24 to 72 at 56x56 0.066 by tiles of 128 x 128 where 48 to
/// 72 take 0.040; 12 to 20 cycles per line in 60 times.
namespace within_sectors {
inline constexpr double sector_bytes = 32;
inline constexpr double weight       = 1.4;
inline constexpr double short_pixels = 2.4;
inline constexpr double long_pixels  = 1.2;
} // namespace within_sectors

/// Zeros of 32 rows that a warp stores: 1x1 with stride 2, rows of dX of 128 to 2048 bytes.
namespace zeros {
inline constexpr double batch = 400;
inline constexpr double store = 80;
} // namespace zeros

/// 64 rows and n columns over 32 bytes of the reduction. wgmma reads A's lines at 128 bytes in a
/// cycle, those along rows at 110, and B's at 64.
namespace wgmma {
inline constexpr double rows              = 16;
inline constexpr double rows_along        = 18.5; ///< lines along rows
inline constexpr double column            = 0.5;
inline constexpr double through_registers = 66; ///< from LDS: floats whose lines lie along its rows
inline constexpr double through_registers_column = 0.35;
inline constexpr double in_registers             = 6; ///< A is there: fitted, for 32 and 64 columns
} // namespace wgmma

/// Loads to registers: of 32 threads, where the offset of a load moves by what all have in common,
/// and where each is looked up. 640 times of f16 with few channels and small groups by mma.sync on
/// an H200, of which they differ by 13 %. AMD's engines take the same numbers: not measured.
namespace loads {
inline constexpr double start       = 665;
inline constexpr double slice       = 130;
inline constexpr double a_merged    = 18.6;
inline constexpr double a_by_pixels = 6.5;
inline constexpr double a           = 4.6;
inline constexpr double b_merged    = 15.1;
inline constexpr double b_by_pixels = 6.5;
inline constexpr double b           = 1.8;
inline constexpr double store       = 8.7;
inline constexpr double matrix      = 3.3; ///< times as long as by wgmma
inline constexpr double threads     = 32;
} // namespace loads

/// A tile of tensor maps, or of asynchronous copies.
namespace tile {
inline constexpr double store = 0.8; ///< of a tile, a part of the cycles that a slice multiplies;
inline constexpr double store_of_floats = 3.2;  ///< tiles of floats take four times as long
inline constexpr double hidden_store    = 0.75; ///< of a deferred store
inline constexpr double write           = 0.5;  ///< of LDS's bandwidth, taken from wgmma
inline constexpr double shared          = 0.95; ///< of that, in a cluster
inline constexpr double warp            = 3.2;  ///< times as long by mma.sync as by wgmma,
inline constexpr double warp_by_pixels  = 2.2;  ///< the same in backward weight
inline constexpr double async           = 1.25; ///< copies by all threads,
inline constexpr double async_by_pixels = 2;    ///< in backward weight
inline constexpr double pair            = 0.92; ///< two instructions' rows by the same columns
inline constexpr double transposing     = 2.2;  ///< a line of tf32, which LDS limits,
inline constexpr double transposing_bytes =
    4.5; ///< one of single bytes, which the three warps limit that transpose it
inline constexpr double promoting                  = 1.06; ///< threads add up each slice
inline constexpr double start                      = 700;
inline constexpr double start_of_cluster           = 1050;
inline constexpr double start_of_cluster_by_pixels = 3200;
} // namespace tile

/// A launch of such tiles. Launches whose sums have one slice or two: f16, 143 times of 1x1 with 16
/// to 128 channels in the sum, which took 0.9 to 2.6 us longer than predicted; those of more slices
/// did not.
namespace launch {
inline constexpr double short_sum           = 1500;
inline constexpr double slices_of_short_sum = 2;
inline constexpr double waits =
    40; ///< of a warpgroup that multiplies alone, at the barriers of each slice;
inline constexpr double waits_longer = 260; ///< where more passes registers,
inline constexpr double waits_of_many_stages =
    150; ///< except where there are at least this many stages:
inline constexpr double many_stages         = 8;
inline constexpr double slices_until_stored = 3; ///< of the next tile, which hide a deferred store
inline constexpr double cluster =
    1000; ///< forward and backward data, whose other launches begin sooner
inline constexpr double resident_filters = 2500; ///< until they are there
} // namespace launch

/// Kernels whose threads copy move less in a cycle than tensor maps, to whose times the model was
/// fitted, and start later. 79 1x1 layers of networks, for which the rule then takes kernels that
/// are 3.6 % (forward and backward data) and 2.6 % (backward weight) slower than the fastest,
/// before 17 and 12.
namespace copied_by_threads {
inline constexpr double weight_start = 4500;
inline constexpr double weight_of_single_vectors =
    1.4; ///< taps of one vector each, whose place is found for itself: 1.2 to 1.7 in six problems
         ///< of 8 channels
inline constexpr double start  = 2000;
inline constexpr double merged = 1.1;
inline constexpr double by_tap = 1.5;
} // namespace copied_by_threads

/// A thread goes through taps one after the other. 110 kernels for depthwise problems of f16, from
/// which it differs by 16 % on average.
namespace direct {
inline constexpr double load     = 15; ///< instructions of a thread
inline constexpr double product  = 6;
inline constexpr double store    = 150;
inline constexpr double start    = 6000;
inline constexpr double waits    = 300;  ///< for the load of a tap
inline constexpr double integers = 1.15; ///< times as long for elements of one byte: 63 kernels
inline constexpr double floats   = 2;
} // namespace direct

/// How many times as long threads take for elements of one byte: bytes are taken out of words. 20
/// depthwise problems of int8 and e4m3.
namespace bytes {
inline constexpr double longer = 2;
} // namespace bytes

/// Windows: times of elements of one byte over those of wider ones. Strides move bytes within
/// words, and vectors of two are half a word. 34 depthwise problems of int8 and e4m3.
namespace windows {
inline constexpr double start                         = 1500;
inline constexpr double load                          = 4; ///< instructions of a vector
inline constexpr double line_integers                 = 3; ///< windows of one column
inline constexpr double line_floats                   = 4;
inline constexpr double integers                      = 1.4;
inline constexpr double floats                        = 2.2;
inline constexpr double strided_integers              = 1.55;
inline constexpr double strided_floats                = 2.1;
inline constexpr double half_words_strided_integers   = 2.2;
inline constexpr double half_words_strided_floats     = 3;
inline constexpr double half_words_strided_floats_3x3 = 4.5;
inline constexpr double half_words_integers           = 1.4;
inline constexpr double half_words_integers_3x3       = 1.65;
inline constexpr double half_words_floats             = 1.8;
inline constexpr double half_words_floats_3d          = 2.35;
inline constexpr double half_words                    = 4; ///< elements; fewer are half a word
} // namespace windows

/// The same of backward weight: 34 depthwise problems of int8.
namespace weight_windows {
inline constexpr double line        = 2.3;
inline constexpr double unit_stride = 1.6;
inline constexpr double strided     = 1.95;
inline constexpr double strided_3d  = 2.4;
} // namespace weight_windows

/// 1x1 with few channels. An H100's times of 20 problems by 8 tunings, from which it differs by 14
/// %.
namespace pointwise {
inline constexpr double start    = 4000;
inline constexpr double product  = 4.2;
inline constexpr double move     = 1.2;
inline constexpr double column   = 0.34;
inline constexpr double sub_tile = 3.2;
inline constexpr double h200     = 0.9; ///< of an H100's time
inline constexpr double again_of_single_columns =
    4; ///< the share of the bytes that moves again: single columns write each sector several times;
inline constexpr double again_from_cache =
    0.05; ///< A comes from the cache for each further column of tiles;
inline constexpr double again_of_part_sectors =
    1; ///< sectors move twice where blocks write parts of the same one
} // namespace pointwise

/// The first layer. An H100's times of 10 problems by 9 tunings, from which it differs by 9 % on
/// average; `narrow` an H200's, of 21 problems of one and two channels whose pixels have whole rows
/// of the filter.
namespace first_layer {
inline constexpr double start          = 3000;
inline constexpr double filter         = 0.5;
inline constexpr double instruction    = 2.4;
inline constexpr double load           = 0.16;
inline constexpr double store          = 0.07;
inline constexpr double tile           = 700;
inline constexpr double waits          = 205000; ///< of all threads together
inline constexpr double narrow         = 1.25;
inline constexpr double narrow_of_four = 1.1; ///< vectors of four
inline constexpr double narrow_columns = 32;  ///< the most
} // namespace first_layer

/// Counted, times what an H200 takes: 17 times of nine problems, f16, which differ by 7 %.
namespace first_layer_weight {
inline constexpr double start            = 3000;
inline constexpr double bytes_in_a_cycle = 2400;
inline constexpr double again = 0.4; ///< the share of the bytes that comes from the cache for each
                                     ///< further block that reads them
inline constexpr double sums         = 6000; ///< the launch that adds up partial sums
inline constexpr double product      = 1.6;
inline constexpr double tile         = 300;
inline constexpr double pixel        = 30; ///< instructions, to copy it, and for each vector of it
inline constexpr double pixel_vector = 4;
inline constexpr double dy           = 18; ///< of 16 bytes
inline constexpr double longer       = 2.4;
inline constexpr double longer_past_registers =
    1.55; ///< pixels that are copied past the registers, in vectors of
inline constexpr double past_registers       = 8;
inline constexpr double longer_of_many_packs = 2; ///< waves with this many columns
inline constexpr double many_packs           = 56;
} // namespace first_layer_weight

/// Filters of any size, groups of one channel: a compute unit does half of what it can issue. 31x31
/// (N 32, C 128, 56x56) took 1.54 ms, 51x5 0.76.
namespace long_filter {
inline constexpr double start      = 3000;
inline constexpr double tap        = 12; ///< instructions other than products
inline constexpr double filter     = 20;
inline constexpr double in_a_cycle = 64;
} // namespace long_filter

/// Halo tiles, and rows of filters. Lines of two pixels: 26.8 us where two warpgroups take 23.1 (N
/// 16, 32 to 64 channels, 208x208), 11.8 and 10.5 (N 256, 28x28), f16.
namespace halo {
inline constexpr double store = 550; ///< of a tile, not hidden
inline constexpr double alone =
    1100; ///< what a warpgroup alone on a unit stores while nothing is multiplied
inline constexpr double start         = 4000; ///< at the least
inline constexpr double filters_start = 1000; ///< until filters are there, without their copies
} // namespace halo

/// Eight problems, a fifth below their times: so are the predictions of the other kernels for
/// strides of 2.
namespace fused_phases {
inline constexpr double start = 3000; ///< until the filters are there
inline constexpr double phase = 450;  ///< a phase's rows of a tile, not hidden
} // namespace fused_phases

/// Forward and backward data by channel slices.
namespace channel_slice {
inline constexpr double start        = 6000; ///< until the first tile is there
inline constexpr double tile         = 400;  ///< of its rows and barriers, not hidden
inline constexpr double filter       = 12;   ///< a quarter of the instructions that load them
inline constexpr double product      = 2;    ///< of mma.sync, 16 x 8 x 16 elements of two bytes
inline constexpr double line         = 5;    ///< of the copying engine
inline constexpr double store        = 4;    ///< of a row: 128 bytes to LDS and back
inline constexpr double enough_warps = 16;   ///< on a compute unit; fewer wait for each other
inline constexpr double waits        = 1.25;
inline constexpr double least_blocks = 2; ///< on a compute unit: one alone takes as long
} // namespace channel_slice

/// Backward weight by channel slices.
namespace channel_slice_weight {
inline constexpr double start   = 4000; ///< until the first tile is there
inline constexpr double store   = 3000; ///< of a workgroup's sums
inline constexpr double product = 1.6;  ///< of mma.sync, 16 x 8 x 16 elements of two bytes
} // namespace channel_slice_weight

/// GEMMs of floats that threads multiply. 52 problems of forward by nine tunings, from which it
/// differs by 8 % on average; the rule then takes kernels that are 0.5 % slower than the fastest,
/// at worst 5, where table order lost 15, at worst 227. Backward weight took 9 % more, of 71
/// problems by tiles of 128x128.
namespace dot_product {
inline constexpr double start = 4000;
inline constexpr double element =
    0.3; ///< that is loaded, copied to LDS and read there, in vectors of four or more;
inline constexpr double element_of_pairs = 0.405;
inline constexpr double element_alone    = 0.57;
inline constexpr double sum              = 0.25; ///< each that is stored
inline constexpr double alone            = 1.5;  ///< four waves, or fewer, wait for their loads
inline constexpr double alone_waves      = 4;
inline constexpr double by_pixels        = 1.09;
} // namespace dot_product

/// Several waves share a reduction. 20 problems of backward weight by 5 tunings, from which it
/// differs by 5 %; those of one pixel have the same constants.
inline constexpr IntraBlockSplitKTimes intra_block_split_k{.start      = 3000,
                                                           .load       = 0,
                                                           .sector     = 0.24,
                                                           .line       = 0.8,
                                                           .wait       = 720,
                                                           .sums       = 6000,
                                                           .line_bytes = 128};

namespace intra_block_split_k_memory {
inline constexpr double bytes_in_a_cycle = 2760;
inline constexpr double shown            = 0.32;
inline constexpr double more_part        = 0.37;
inline constexpr double least_threads    = 512; ///< of a compute unit, whatever registers they have
} // namespace intra_block_split_k_memory

/// Channels first, 1x1. Counted, not fitted to times: a third more than it takes to issue the
/// instructions of sm_90a, 13 for a load, 21 for a store, and another 43 for a run of pixels;
/// mma.sync takes 1.6 cycles.
inline constexpr ChannelsFirstTimes channels_first{.start          = 2000,
                                                   .filters        = 500,
                                                   .product        = 2,
                                                   .load           = 4.3,
                                                   .store          = 7,
                                                   .run            = 14,
                                                   .again          = 0.3,
                                                   .bytes_of_cycle = 0};

/// Groups of a few channels. 34 launches (17 problems, forward and backward data), from which it
/// differs by 6 % on average, at most 12.
namespace small_groups {
inline constexpr double start = 4000;
inline constexpr double shown = 0.7;
inline constexpr double load  = 14; ///< other work of a thread, each as long as this many products
inline constexpr double weights = 2;
inline constexpr double segment = 200;
inline constexpr double filter  = 120;
inline constexpr double issued =
    0.3; ///< the part of products in a cycle of a compute unit, more of more threads:
inline constexpr double threads = 640;
} // namespace small_groups

namespace small_groups_weight {
inline constexpr double start          = 3000;
inline constexpr double load           = 8; ///< instructions of a thread other than products
inline constexpr double segment        = 80;
inline constexpr double sum            = 30;
inline constexpr double segment_thread = 3;
inline constexpr double done = 0.5; ///< the part that a compute unit does of what it issues
} // namespace small_groups_weight

/// An operation on the result, with or without D tensors, by wgmma. Times of six layers in bf16 by
/// 128x256, with a bias and without, differ by 7.1 to 10 us for each million elements
/// (script/compare_torch biases). By mma.sync, 128x128 of 1x1 filters with 64 to 512 channels and a
/// bias (7 layers) took 7.9 to 13.5 us for each million elements in all, where plain wgmma kernels
/// took 0.7 to 2.2.
namespace operation {
inline constexpr double element = 1.8; ///< of a multiprocessor
} // namespace operation

/// From what a kernel's model says to what the device takes: start, factor, and the launch that
/// adds up backward weight's partial sums. Each model was fitted for itself, most to large
/// problems; by lines, kernels of different kinds can be compared where launches are short, too.
/// 765 sub-tiles, f16, by up to eight kernels of each kind. The first line whose conditions hold is
/// taken.
inline constexpr LineOf lines[]{
    {Pipeline::single_buffer, Computes::dw, {{}}, {2000, 1}},
    {Pipeline::double_buffer,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::a_vector, 1}}},
     {1500, 0.82}}, // int8: 148 sub-tiles
    {Pipeline::double_buffer, Computes::dw, {{{Fact::input_bytes, 1}}}, {1500, 0.74}},
    {Pipeline::double_buffer, Computes::dw, {{}}, {3100, 0.88}},
    {Pipeline::double_buffer, Computes::y, {{}}, {3500, 0.92}},
    {Pipeline::double_buffer, Computes::dx, {{}}, {3000, 0.92}},
    {Pipeline::async_copies, Computes::dw, {{{Fact::input_bytes, 1}, {Fact::n, 128}}}, {9000, 0.8}},
    {Pipeline::async_copies,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::m, 128}}},
     {2000, 1.16}},
    {Pipeline::async_copies, Computes::dw, {{{Fact::input_bytes, 1}}}, {3500, 1.9}},
    {Pipeline::async_copies, Computes::dw, {{}}, {5450, 0.92}},
    {Pipeline::async_copies, Computes::rows, {{{Fact::wgmma, 0}}}, {2600, 0.95}},
    {Pipeline::async_copies, Computes::y, {{}}, {1500, 0.92}},
    {Pipeline::async_copies, Computes::dx, {{}}, {2000, 0.92}},
    {Pipeline::tensor_maps,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::transposed_first, 1}}},
     {3500, 0.91}},
    {Pipeline::tensor_maps, Computes::dw, {{{Fact::input_bytes, 1}, {Fact::n, 128}}}, {2500, 1.3}},
    {Pipeline::tensor_maps, Computes::dw, {{{Fact::input_bytes, 1}}}, {2500, 1.02}},
    {Pipeline::tensor_maps, Computes::dw, {{{Fact::several_groups, 0}}}, {0, 0.96, 1500}},
    {Pipeline::tensor_maps,
     Computes::dw,
     {{{Fact::waves, 4}, {Fact::n, 64}}},
     {2350, 0.85}}, // many columns of a tile belong to no group
    {Pipeline::tensor_maps, Computes::dw, {{{Fact::waves, 4}}}, {2350, 1.11}},
    {Pipeline::tensor_maps, Computes::dw, {{}}, {2350, 0.9}},
    {Pipeline::tensor_maps,
     Computes::y,
     {{}},
     {1750, 1}}, // the first boxes arrive, and the last are stored
    {Pipeline::tensor_maps, Computes::dx, {{}}, {1300, 1.02}},
    {Pipeline::halo_tiles, Computes::dw, {{}}, {2600, 0.98, 1000}},
    {Pipeline::halo_tiles, Computes::rows, {{}}, {1750, 1}},
    {Pipeline::fused_phases, Computes::rows, {{}}, {1750, 1}},
    {Pipeline::filter_rows, Computes::dw, {{{Fact::several_groups, 0}}}, {0, 0.96, 1500}},
    {Pipeline::filter_rows, Computes::dw, {{}}, {2350, 0.9}},
    {Pipeline::channel_slices,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::n, 96}}},
     {10000, 0.92}},
    {Pipeline::channel_slices,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::n, 144}, {Fact::k, 128}}},
     {10500, 1.02}},
    {Pipeline::channel_slices,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::n, 144}}},
     {3000, 1.34}},
    {Pipeline::channel_slices,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::n, 192}}},
     {8000, 1.24}},
    {Pipeline::channel_slices,
     Computes::dw,
     {{{Fact::input_bytes, 1}, {Fact::n, 240}}},
     {6000, 1.48}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::input_bytes, 1}}}, {9500, 1.1}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::n, 72}, {Fact::k, 64}}}, {100, 0.9, 3000}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::n, 72}}}, {1500, 0.99, 3000}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::n, 144}}}, {-400, 0.98, 3000}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::n, 200}}}, {1650, 1.14, 3000}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::n, 248}}}, {2200, 0.98, 3000}},
    {Pipeline::channel_slices, Computes::dw, {{{Fact::n, 288}}}, {-400, 1.52, 3000}},
    {Pipeline::channel_slices,
     Computes::dw,
     {{}},
     {7400, 1.02, 3000}}, // of 49 taps, whose sums take long to store
    {Pipeline::channel_slices,
     Computes::rows,
     {{{Fact::instruction, static_cast<index_t>(arch::Matrix::mma_i32_16x8x32_s8)}}},
     {0, 1.25}}, // bytes wait longer for tables and stores
    {Pipeline::channel_slices,
     Computes::rows,
     {{{Fact::instruction, static_cast<index_t>(arch::Matrix::mma_f32_16x8x32_e4m3_e4m3)}}},
     {0, 1.8}}, // and e4m3 is converted
    {Pipeline::sliding_window,
     Computes::all,
     {{{Fact::x, 1}}},
     {0, 1}}, // the model is right in one dimension
    {Pipeline::sliding_window, Computes::dw, {{}}, {0, 1.4}},
    {Pipeline::sliding_window, Computes::rows, {{{Fact::columns, 1}, {Fact::y, 7}}}, {0, 1.65}},
    {Pipeline::sliding_window, Computes::rows, {{{Fact::columns, 1}}}, {0, 1.4}},
    {Pipeline::sliding_window, Computes::rows, {{{Fact::stride, 1}}}, {0, 1.3}},
    {Pipeline::sliding_window, Computes::rows, {{{Fact::y, 7}}}, {0, 1.95}},
    {Pipeline::sliding_window, Computes::rows, {{}}, {1000, 1.05}},
    {Pipeline::pointwise, Computes::rows, {{{Fact::c_vector, 8}}}, {900, 1.17}},
    {Pipeline::pointwise, Computes::rows, {{{Fact::c_vector, 4}}}, {0, 1.07}},
    {Pipeline::pointwise, Computes::rows, {{}}, {1800, 1.1}},
    {Pipeline::first_layer, Computes::dw, {{}}, {3800, 0.96}},
    {Pipeline::first_layer, Computes::rows, {{}}, {1300, 0.88}},
    {Pipeline::intra_block_split_k, Computes::dw, {{}}, {-500, 0.96}},
    {Pipeline::intra_block_split_k, Computes::y, {{}}, {900, 1}},
    {Pipeline::intra_block_split_k, Computes::dx, {{}}, {1900, 1}},
};

} // namespace ck::tensor_operation::device::machine::h200
