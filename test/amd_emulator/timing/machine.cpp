// The timing model's table of numbers: one row for each number, one column for each target, and the
// source of the row. Nothing here was measured by this project. "guess" marks what no public
// document says.
// "gpu-benches": RRZE-HPC/gpu-benches 1038c5d, measured on MI210, MI300X and MI300A.
#include "machine.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace emu::timing {
namespace {

/// A column of the tables. Of the chips of one target the first is meant by the target's name.
struct Column
{
    const char* chip;
    const char* target;
};
constexpr int column_count = 6;
// MI210 and one die of MI250; MI300X; MI355X; RX 7900 XTX; RX 9060 XT; MI300A.
constexpr std::array<Column, column_count> columns{{{"gfx90a", "gfx90a"},
                                                    {"gfx942", "gfx942"},
                                                    {"gfx950", "gfx950"},
                                                    {"gfx1100", "gfx1100"},
                                                    {"gfx1200", "gfx1200"},
                                                    {"MI300A", "gfx942"}}};

struct Row
{
    double Machine::*number;
    const char* name;
    std::array<double, column_count> values;
    const char* source;
};

#define ROW(name, ...)                                                                             \
    &Machine::name, #name, { __VA_ARGS__ }
constexpr Row rows[]{
    {ROW(clock_mhz, 1700, 2100, 2400, 2500, 3130, 2100),
     "MI210: gpu-benches, held; others: product pages, peak (MI300X was seen at 2092, "
     "gpu-benches)"},
    {ROW(units, 104, 304, 256, 48, 16, 228),
     "ROCm documentation, GPU specifications; RDNA: half of the CUs"},
    {ROW(dies, 1, 8, 8, 1, 1, 6), "CDNA3 and CDNA4 white papers; MI300A: six dies"},
    {ROW(simds, 4, 4, 4, 4, 4, 4), "ISA manuals, chapter 1; RDNA: two a CU"},
    {ROW(turn, 4, 4, 4, 1, 1, 4),
     "CDNA: a wave of 64 on 16 lanes, a SIMD each cycle in turn; RDNA: each cycle"},
    {ROW(lanes_a_cycle, 16, 16, 16, 32, 32, 16), "CDNA and RDNA white papers"},
    {ROW(vector_latency, 4, 4, 4, 5, 5, 4),
     "LLVM SISchedule.td: 1 turn on gfx9, 5 cycles since gfx10"},
    {ROW(quarter_rate, 4, 4, 4, 4, 4, 4), "LLVM SISchedule.td, WriteTrans32"},
    {ROW(integer_products_rate, 1, 1, 1, 4, 4, 1),
     "llvm-mca 22: latency 1 on CDNA, 8 on gfx11, 5 on gfx12"},
    {ROW(conversions_rate, 4, 4, 4, 1, 1, 4),
     "llvm-mca 22: latency 4 on CDNA, as of reciprocals; 5 on RDNA, as of additions"},
    {ROW(f64_rate, 1, 1, 1, 16, 32, 1), "product pages: f64 against f32 vector rates"},
    {ROW(scalar_latency, 4, 4, 4, 2, 2, 4), "LLVM SISchedule.td, WriteSALU; gfx9: the next turn"},
    {ROW(matrix_read_delay, 16, 16, 16, 5, 5, 16),
     "LLVM SISchedule.td: a product is there four turns after its last pass; RDNA: guess"},
    {ROW(matrix_blocks_vector, 0, 0, 0, 1, 1, 0),
     "CDNA white papers: matrix cores beside the vector ALU; RDNA: guess"},
    {ROW(branch_cycles, 16, 16, 16, 8, 8, 16), "guess"},
    {ROW(barrier_cycles, 8, 8, 8, 8, 8, 8), "guess"},
    {ROW(waves_a_simd, 8, 8, 8, 16, 16, 8), "LLVM AMDGPUBaseInfo, getMaxWavesPerEU"},
    {ROW(vector_registers, 512, 512, 512, 1536, 1536, 512),
     "LLVM AMDGPUBaseInfo, getTotalNumVGPRs, wave32 on RDNA"},
    {ROW(register_granule, 8, 8, 8, 24, 24, 8),
     "LLVM AMDGPUBaseInfo, getVGPRAllocGranule, wave32 on RDNA"},
    {ROW(barriers, 16, 16, 16, 32, 32, 16), "LLVM AMDGPUBaseInfo, getMaxWorkGroupsPerCU"},
    {ROW(lds_bytes, 65536, 65536, 163840, 131072, 131072, 65536),
     "ROCm documentation, GPU specifications; RDNA: two CUs"},
    {ROW(lds_granule, 512, 512, 1280, 1024, 1024, 512), "LLVM AMDGPUUsage, GRANULATED_LDS_SIZE"},
    {ROW(lds_banks, 32, 32, 64, 32, 32, 32),
     "ROCm documentation, LDS bank conflicts: 32 or 64 banks of 4 bytes"},
    {ROW(lds_pipes, 1, 1, 1, 2, 2, 1),
     "128 bytes a cycle a CU (ROCm Compute Profiler, LDS); RDNA: a half each CU"},
    {ROW(lds_latency, 128, 128, 128, 30, 30, 128),
     "CDNA: a fit to MI300A programs that wait for it; RDNA: guess"},
    {ROW(lds_queue, 64, 64, 64, 32, 32, 64), "guess"},
    {ROW(scalar_load_latency, 100, 100, 100, 60, 60, 100), "guess"},
    {ROW(address_lanes, 16, 16, 16, 16, 16, 16),
     "guess: 64 lanes in four cycles, as vector ALUs take them"},
    {ROW(memory_queue, 128, 128, 128, 64, 64, 128), "guess"},
    {ROW(l1_bytes, 16384, 32768, 32768, 65536, 65536, 32768),
     "ROCm documentation, GPU specifications; RDNA: two CUs' L0"},
    {ROW(l1_line, 64, 128, 128, 128, 128, 128), "CDNA2 and CDNA3 white papers; RDNA white paper"},
    {ROW(l1_ways, 64, 64, 64, 16, 16, 64), "guess"},
    {ROW(l1_rate, 64, 64, 64, 128, 128, 64),
     "ROCm Compute Profiler, vector L1: 64 bytes a cycle a CU"},
    {ROW(l1_latency, 129, 120, 120, 90, 90, 120),
     "gpu-benches, latency; gfx950: as gfx942; RDNA: guess"},
    {ROW(l2_rate, 64, 64, 64, 128, 128, 64),
     "CDNA2 and CDNA3 white papers: 64 bytes a cycle to a CU"},
    {ROW(l2_rate_chip, 2824, 12857, 12857, 3072, 1024, 9643),
     "MI210: gpu-benches, L2, 4.8 TB/s; MI300X: gpu-benches, about 27 TB/s up to 4 MB; gfx950 and "
     "MI300A: as gfx942, by dies; RDNA: guess"},
    {ROW(l2_bytes, 8388608, 4194304, 4194304, 6291456, 4194304, 4194304),
     "ROCm documentation, GPU specifications"},
    {ROW(l2_latency, 254, 213, 213, 250, 250, 213),
     "gpu-benches, latency; gfx950: as gfx942; RDNA: guess"},
    {ROW(store_latency, 254, 253, 253, 250, 250, 253),
     "MI300A: gpu-benches, l2-stream, two waves a unit: 243 cycles (write for read), 263 (scale "
     "without read); gfx942, gfx950: as MI300A; others: as a load, a guess"},
    {ROW(last_level_bytes, 0, 268435456, 268435456, 100663296, 33554432, 268435456),
     "ROCm documentation, GPU specifications"},
    {ROW(last_level_kept, 0, 0.92, 0.92, 0.93, 0.93, 0.8),
     "gpu-benches, latency: the largest data without misses, over the cache's size. MI300X, "
     "MI300A, RX 6900 XT; gfx950: as gfx942; RDNA: as RX 6900 XT"},
    {ROW(last_level_lost, 0, 1.06, 1.06, 1.4, 1.4, 1.4),
     "the same: the smallest data of which nothing is found"},
    {ROW(last_level_gb_s, 0, 13400, 13400, 3000, 1500, 4250),
     "MI300X: the middle of what gpu-benches reads beyond the L2, 9 to 20 TB/s (nominal 17.2); "
     "MI300A: gpu-benches, l2-stream, reads of 10 to 100 MB; gfx950: as gfx942; RDNA: guess"},
    {ROW(write_gb_s, 1397, 3290, 4970, 960, 320, 3040),
     "MI300X: the most that a convolution of MIOpen's find-db writes: 1644 MB, while it reads 411; "
     "MI300A: gpu-benches, l2-stream, writes; gfx950: as gfx942, by memory's peak; others: no "
     "limit of its own known"},
    {ROW(last_level_latency_ns, 0, 217, 217, 200, 170, 215),
     "gpu-benches, latency, up to 64 MB: MI300X 456 cycles at 2100 MHz, MI300A 450 at 2096; "
     "gfx950: as gfx942; RDNA: guess"},
    {ROW(memory_gb_s, 1397, 4200, 6340, 960, 320, 3000),
     "gpu-benches, stream: reads; MI300A: triad, the fastest. MI355X: the same share of its peak "
     "as MI300X, a guess; RDNA: product pages, peak"},
    {ROW(memory_latency_ns, 377, 423, 423, 280, 224, 388),
     "gpu-benches, latency, at 1700 (MI210), 2100 (MI300X) and 2096 MHz (MI300A); gfx950: as "
     "gfx942; RDNA: guess"},
    {ROW(atomic_cycles, 8, 8, 8, 8, 8, 8), "guess"},
    {ROW(power_matrix, 0, 3.77, 3.77, 0, 0, 3.77),
     "MI300X: f16 products at 94 % of the peak of 1115 MHz (AMD, Max-Achievable FLOPs, 2025); "
     "gfx950 and MI300A: as gfx942; others: no data"},
    {ROW(power_vector, 0, 2.25, 2.25, 0, 0, 2.25),
     "MI300X: 1401 MHz at full f32 rate (gpu-benches, gpu-roofline); gfx950 and MI300A: as gfx942; "
     "others: no data"},
    {ROW(power_memory, 0, 2.8, 2.8, 0, 0, 2.8),
     "MI300X: 1254 MHz while HBM streams (gpu-benches); gfx950 and MI300A: as gfx942; others: no "
     "data"},
    {ROW(launch_us, 4.3, 4.3, 4.3, 4.3, 4.3, 4.3),
     "MI300A: what programs of 1024 to 16384 elements take, of those fitted to, beyond what is "
     "predicted; others: as MI300A, a guess"},
    {ROW(next_launch_us, 2.4, 2.4, 2.4, 2.4, 2.4, 2.4),
     "MI300A: what the second of the two launches of conv2d adds, of those fitted to; others: as "
     "MI300A, a guess"},
};
#undef ROW

/// Passes of four cycles (CDNA) or cycles (RDNA) of a matrix instruction; 0: the target has none.
/// Types that take as long stand in one row.
struct MatrixRow
{
    const char* shape;
    const char* types; ///< types of A and B, separated by spaces
    std::array<int, column_count> time;
};

// CDNA: LLVM SISchedule.td (MFMA*PassWrite), as llvm-mca 19 and 22 print it. RDNA: 512 (gfx11) and
// 1024 (gfx12) operations of f16 a cycle a CU, from the products' peak rates.
constexpr MatrixRow matrix_rows[]{
    {"32x32x8", "f16 bf16 bf16_1k", {16, 8, 8, 0, 0, 8}},
    {"16x16x16", "f16 bf16 bf16_1k", {8, 4, 4, 32, 16, 4}},
    {"32x32x4", "bf16", {16, 0, 0, 0, 0, 0}},
    {"16x16x8", "bf16", {8, 0, 0, 0, 0, 0}},
    {"32x32x2", "f32", {16, 16, 16, 0, 0, 16}},
    {"16x16x4", "f32", {8, 8, 8, 0, 0, 8}},
    {"32x32x4", "xf32", {0, 8, 0, 0, 0, 8}},
    {"16x16x8", "xf32", {0, 4, 0, 0, 0, 4}},
    {"16x16x4", "f64", {8, 8, 16, 0, 0, 8}},
    {"32x32x8", "i8", {16, 0, 0, 0, 0, 0}},
    {"16x16x16", "i8", {8, 0, 0, 0, 0, 0}},
    {"32x32x16", "i8 fp8_fp8 fp8_bf8 bf8_fp8 bf8_bf8", {0, 8, 8, 0, 0, 8}},
    {"16x16x32", "i8 fp8_fp8 fp8_bf8 bf8_fp8 bf8_bf8", {0, 4, 4, 0, 0, 4}},
    {"32x32x16", "f16 bf16", {0, 0, 8, 0, 0, 0}},
    {"16x16x32", "f16 bf16", {0, 0, 4, 0, 0, 0}},
    {"32x32x32", "i8", {0, 0, 8, 0, 0, 0}},
    {"16x16x64", "i8", {0, 0, 4, 0, 0, 0}},
    {"32x32x64",
     "f8f6f4",
     {0, 0, 16, 0, 0, 0}}, // eight-bit operands take twice as long as smaller ones: peak rates
    {"16x16x128", "f8f6f4", {0, 0, 8, 0, 0, 0}},
    {"16x16x16", "iu8", {0, 0, 0, 32, 8, 0}},
    {"16x16x16", "fp8_fp8 fp8_bf8 bf8_fp8 bf8_bf8", {0, 0, 0, 0, 8, 0}},
    {"16x16x16", "iu4", {0, 0, 0, 16, 4, 0}},
};

int column(const std::string& chip)
{
    std::string known;
    for(int i = 0; i < column_count; ++i)
    {
        if(chip == columns[i].chip)
            return i;
        known += std::string(i ? ", " : "") + columns[i].chip;
    }
    throw std::invalid_argument("no numbers of '" + chip +
                                "' for predicted times; there are those of " + known);
}

bool has_word(const std::string& words, const std::string& word)
{
    return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

} // namespace

Machine machine(const std::string& chip)
{
    const int c = column(chip);
    Machine m{};
    m.chip   = chip;
    m.target = columns[c].target;
    for(const Row& row : rows)
        m.*row.number = row.values[c];
    return m;
}

double loaded_clock(const Machine& m, const Load& load)
{
    const double power =
        m.power_matrix * load.matrix + m.power_vector * load.vector + m.power_memory * load.memory;
    return m.clock_mhz / std::sqrt(std::max(1., power));
}

std::string machine_table()
{
    std::string text;
    char line[400];
    for(const Row& row : rows)
    {
        int at = std::snprintf(line, sizeof line, "%-22s", row.name);
        for(const double value : row.values)
            at += std::snprintf(line + at, sizeof line - at, " %7g", value);
        std::snprintf(line + at, sizeof line - at, "  %s\n", row.source);
        text += line;
    }
    return text;
}

int matrix_cycles(const Machine& machine, const std::string& mnemonic)
{
    // v_mfma_f32_32x32x8f16 of gfx90a is v_mfma_f32_32x32x8_f16 of gfx942.
    std::size_t begin = mnemonic.find('x');
    std::size_t end   = begin;
    if(begin != std::string::npos)
    {
        while(begin > 0 && std::isdigit(static_cast<unsigned char>(mnemonic[begin - 1])))
            --begin;
        while(end < mnemonic.size() &&
              (mnemonic[end] == 'x' || std::isdigit(static_cast<unsigned char>(mnemonic[end]))))
            ++end;
        if(mnemonic[end - 1] == 'x') // 32x32x4xf32
            --end;
        const std::string shape = mnemonic.substr(begin, end - begin);
        std::string type = mnemonic.substr(end + (end < mnemonic.size() && mnemonic[end] == '_'));
        for(const char* suffix : {"_e64", "_e32"})
            if(type.size() > 4 && type.substr(type.size() - 4) == suffix)
                type.resize(type.size() - 4);
        const int c = column(machine.chip);
        for(const MatrixRow& row : matrix_rows)
            if(shape == row.shape && has_word(row.types, type) && row.time[c])
                return row.time[c] * static_cast<int>(machine.turn);
    }
    throw std::invalid_argument("no time of '" + mnemonic + "' on " + machine.target +
                                " in the table of matrix instructions (machine.cpp)");
}

} // namespace emu::timing
