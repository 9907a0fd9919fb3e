// A machine is one compute unit of an AMD GPU and its share of the chip, as numbers that the timing
// model reads.
#pragma once
#include <string>

namespace emu::timing {

/// Numbers of one chip; machine.cpp holds them, each with its source. A "unit" is what a
/// workgroup runs on: a compute unit of CDNA, a workgroup processor (two compute units) of RDNA.
/// Cycles are those of the shader clock.
struct Machine
{
    std::string target;           ///< "gfx942"
    std::string chip;             ///< the column of the table: a target, or "MI300A"
    double clock_mhz;             ///< at little load; a loaded chip runs slower, see loaded_clock()
    double units;                 ///< units of the chip (gfx90a: of one die)
    double dies;                  ///< dies with an L2 each; workgroups go to them in turn
    double simds;                 ///< SIMDs of a unit
    double turn;                  ///< cycles between two chances of a SIMD to issue
    double lanes_a_cycle;         ///< lanes of a SIMD's vector ALU
    double vector_latency;        ///< cycles from issue until a vector result can be read
    double quarter_rate;          ///< how many times longer transcendentals take
    double integer_products_rate; ///< how many times longer products of 32-bit integers take
    double conversions_rate;      ///< how many times longer conversions from and to f32 take
    double f64_rate;              ///< how many times longer f64 takes
    double scalar_latency;        ///< cycles until a scalar result can be read
    double
        matrix_read_delay; ///< cycles after its last pass until another instruction reads a product
    double matrix_blocks_vector; ///< 1: matrix instructions occupy the vector ALU all along
    double branch_cycles;        ///< until a wave issues again after a branch
    double barrier_cycles;       ///< from the last arrival until waves issue again
    double waves_a_simd;         ///< waves, at most
    double vector_registers;     ///< registers of a lane, shared by a SIMD's waves
    double register_granule;     ///< registers are given out in multiples of it
    double barriers;             ///< workgroups of more than one wave on a unit
    double lds_bytes;            ///< bytes of a unit's LDS
    double lds_granule;          ///< bytes; LDS is given out in multiples of it
    double lds_banks;            ///< banks of four bytes; each passes a word in a cycle
    double lds_pipes;            ///< halves of the LDS that serve at the same time
    double lds_latency;          ///< cycles from the last word out of the banks to the register
    double lds_queue;           ///< cycles of work that wait in front of the LDS before issue stops
    double scalar_load_latency; ///< cycles
    double address_lanes;       ///< lanes whose addresses are taken in a cycle
    double memory_queue; ///< cycles of work that wait in front of the vector L1 before issue stops
    double l1_bytes;
    double l1_line; ///< bytes
    double l1_ways;
    double l1_rate;               ///< bytes per cycle
    double l1_latency;            ///< cycles of a hit
    double l2_rate;               ///< bytes per cycle from the L2 to one unit
    double l2_rate_chip;          ///< bytes per cycle from all L2 to all units
    double l2_bytes;              ///< bytes of a die's L2
    double l2_latency;            ///< cycles of a hit, in all
    double store_latency;         ///< cycles until a store is known to be done
    double last_level_bytes;      ///< size of the cache before memory (Infinity Cache); 0: none
    double last_level_kept;       ///< data of up to this share of it stay there as a whole
    double last_level_lost;       ///< of data of this share of it or more nothing is found again
    double last_level_gb_s;       ///< rate of the chip
    double write_gb_s;            ///< rate of the chip for writes beyond L2
    double last_level_latency_ns; ///< total latency
    double memory_gb_s;           ///< GB/s of HBM or GDDR
    double memory_latency_ns;     ///< total latency of an access that reaches memory
    double atomic_cycles;         ///< between two atomic operations on one address
    double power_matrix;   ///< what matrix units draw at the peak clock while all are busy; the
                           ///< limit of the chip is 1
    double power_vector;   ///< the same for vector ALUs
    double power_memory;   ///< the same for memory at its full rate
    double launch_us;      ///< cost of an empty launch; part of no predicted time
    double next_launch_us; ///< cost of an empty launch that follows another
};

/// The numbers of a chip ("gfx942", "MI300A"). Throws std::invalid_argument that names those there
/// are.
Machine machine(const std::string& chip);

/// What a launch asks of the chip, as shares of its peaks at the clock that it runs at.
struct Load
{
    double matrix = 0, vector = 0, memory = 0;
};

/// The clock in MHz under a lasting load. Power goes with the square of the clock, a
/// simplification.
double loaded_clock(const Machine& machine, const Load& load);

/// The table of numbers with units and sources, as text.
std::string machine_table();

/// Cycles that a matrix instruction ("v_mfma_f32_32x32x8_f16") occupies the matrix unit of a SIMD.
/// Throws std::invalid_argument if the table has no row for it.
int matrix_cycles(const Machine& machine, const std::string& mnemonic);

} // namespace emu::timing
