// A decoded instruction, and the table of handlers that execute instructions.
#pragma once

#include "scalar_registers.hpp"
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace emu {

enum class Kind : uint8_t
{
    none,
    vector, // VGPR or AGPR
    scalar,
    constant,
    scc,
    vccz,
    execz,
    off
};

/// Which part of a register an SDWA operand is.
enum Select : uint8_t
{
    sel_b0,
    sel_b1,
    sel_b2,
    sel_b3,
    sel_w0,
    sel_w1,
    sel_dw
};

struct Operand
{
    Kind kind    = Kind::none;
    uint8_t n    = 1; // registers that it names
    uint16_t reg = 0; // VGPR 0..255, AGPR 256..511, or a scalar register's index
    bool neg = false, abs = false, sext = false;
    bool flt    = false; // floating constant
    bool lit    = false; // written as a hexadecimal literal
    int64_t imm = 0;     // value of an integer constant
    double f    = 0;     // value of a floating constant
};

/// How lanes are permuted on the way to an operation (data parallel primitives).
enum Dpp : uint8_t
{
    dpp_none,
    dpp_quad,
    dpp_shl,
    dpp_shr,
    dpp_ror,
    dpp_wshl,
    dpp_wrol,
    dpp_wshr,
    dpp_wror,
    dpp_mirror,
    dpp_hmirror,
    dpp_bcast15,
    dpp_bcast31,
    dpp_share,
    dpp_xmask,
    dpp_8
};

struct Wave;
struct Instruction;
/// Executes an instruction for all lanes of a wave.
using Handler = void (*)(Wave&, const Instruction&);

/// What a memory instruction moves.
struct MemoryForm
{
    int format  = 0; // Format in memory_access.hpp
    int bytes   = 0; // a lane
    int atomic  = 0; // Atomic in memory_atomics.hpp
    int wide    = 0; // atomic of 64 bits
    int stride  = 0; // bytes an offset of a double access counts
    int variant = 0; // which of two that share a handler
    int whole   = 0; // inactive lanes are read, too
};

/// The shape of a matrix instruction: D = C + A * B, `blocks` times.
struct MatrixForm
{
    int m = 0, n = 0, k = 0, blocks = 0;
    int a = 0, b = 0; // MatrixType in matrix.hpp
    int d        = 0; // MatrixResult there
    int elements = 0; // elements of A per lane
};

struct Instruction
{
    Handler fn      = nullptr;
    uint64_t pc     = 0;
    uint32_t size   = 0; // bytes
    uint32_t raw[3] = {0, 0, 0};
    uint8_t n_dst = 0, n_src = 0;
    Operand dst[2], src[5];
    // Modifiers.
    uint8_t clamp = 0, omod = 0, op_sel = 0, op_sel_hi = 0, neg_lo = 0, neg_hi = 0;
    uint8_t n_op_sel = 0; // entries that op_sel has in text
    uint8_t byte_sel = 0;
    uint8_t dpp = 0, dpp_row_mask = 0xf, dpp_bank_mask = 0xf, dpp_bc = 0, dpp_fi = 0;
    uint8_t dppv[8] = {0};
    bool sdwa       = false;
    uint8_t dst_sel = sel_dw, dst_unused = 0, ssel[2] = {sel_dw, sel_dw};
    int32_t offset = 0, offset0 = 0, offset1 = 0;
    bool glc = false, offen = false, idxen = false, lds = false, ret = false;
    uint8_t cbsz = 0, abid = 0, blgp = 0;
    uint8_t bitop3 = 0;     // what v_bitop3 looks up
    bool p16       = false; // a result of 16 bits keeps the other half of its register
    int16_t simm16 = 0;
    MemoryForm memory;
    MatrixForm matrix;
    Instruction *x = nullptr, *y = nullptr; // halves of a dual issue
    const char* text     = nullptr;         // text of the disassembler
    const char* mnemonic = nullptr;
};

/// A row of the table of handlers: for waves of 32 and 64 lanes, the number of destinations, and
/// whether the destination is the last source, too.
struct Entry
{
    Handler wave32 = nullptr, wave64 = nullptr;
    int8_t n_dst     = 1;
    bool accumulates = false;
};
/// The handlers; the key is the mnemonic without the suffix of an encoding.
std::unordered_map<std::string, Entry>& table();
inline void
add(const std::string& name, int n_dst, Handler wave32, Handler wave64, bool accumulates = false)
{
    table()[name] = Entry{wave32, wave64, static_cast<int8_t>(n_dst), accumulates};
}
/// Another name of an instruction that is in the table.
void alias(const char* name, const char* of);
/// Fills the table; the second call does nothing.
void register_all();

/// The instruction at `bytes`; one that no handler is for stops the program when it is reached.
Instruction* decode_bytes(const uint8_t* bytes, size_t size, int wave);
/// The same of disassembled text.
Instruction* decode_text(const std::string& text, const uint8_t* bytes, size_t size, int wave);
bool has_handler(const Instruction& inst);

/// The handler of an instruction that is not emulated: stops the program when it is reached.
void refused(Wave& w, const Instruction& inst);

} // namespace emu
