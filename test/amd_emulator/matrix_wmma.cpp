// RDNA's matrix instructions, v_wmma: a wave multiplies matrices of 16 rows and columns, D = C + A
// * B. Sums are chains of fused multiply-adds with k rising, rounded to a result of 16 bits once;
// hardware's order is not documented.
#include "eight_bit_floats.hpp"
#include "handlers.hpp"
#include "lanes.hpp"
#include "matrix.hpp"
#include "options.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace emu {

namespace {

constexpr int side = 16, most_k = 64;

/// A as columns, B and D as rows.
template <class R>
struct Matrices
{
    R a[most_k][side], b[most_k][side], d[side][side];
};

/// Element k of rows or columns 0 to 15, as bits. Row or column i is in lane i of each group of 16
/// lanes; gfx12's groups divide k among them, gfx11's all have the whole of it.
template <int W>
void read_elements(const Wave& w, const Instruction& inst, int source, int k, uint32_t* out)
{
    const int bits   = bits_of(source == 0 ? inst.matrix.a : inst.matrix.b);
    const int groups = target.generation >= gfx12 ? W / 16 : 1;
    const int each   = inst.matrix.k / groups;
    const int e = k % each, per_register = 32 / bits, shift = bits * (e % per_register);
    const Operand& o    = inst.src[source];
    const uint32_t mask = (1u << bits) - 1;
    if(o.kind == Kind::vector)
    {
        const uint32_t* const in = &w.vgpr[o.reg + e / per_register][16 * (k / each)];
        for(int i = 0; i < side; ++i)
            out[i] = in[i] >> shift & mask;
    }
    else
        std::fill_n(out, side, read_scalar(w, o) >> shift & mask);
}

void to_floats(const uint32_t* bits, int type, float* out)
{
    if(type == type_f16)
        for(int i = 0; i < side; ++i)
            out[i] = static_cast<float>(as_f16(static_cast<uint16_t>(bits[i])));
    else if(type == type_bf16)
        for(int i = 0; i < side; ++i)
            out[i] = bf16_to_f32(static_cast<uint16_t>(bits[i]));
    else
        for(int i = 0; i < side; ++i)
            out[i] = fp8_table(type == type_bf8)[bits[i]];
}

void to_integers(const uint32_t* bits, int width, bool with_sign, int32_t* out)
{
    const int shift = with_sign ? 32 - width : 0;
    for(int i = 0; i < side; ++i)
        out[i] = static_cast<int32_t>(bits[i] << shift) >> shift;
}

template <int W>
void check_replication(const Wave& w, const Instruction& inst)
{
    for(int s = 0; s < 2; ++s)
    {
        const int registers = inst.matrix.k * bits_of(s == 0 ? inst.matrix.a : inst.matrix.b) / 32;
        for(int r = 0; inst.src[s].kind == Kind::vector && r < registers; ++r)
            for(int l = 16; l < W; l += 16)
                if(std::memcmp(&w.vgpr[inst.src[s].reg + r][l], w.vgpr[inst.src[s].reg + r], 64) !=
                   0)
                {
                    warn_once(
                        w, inst, "WMMA A/B data of lanes 16.. does not replicate lanes 0..15");
                    return;
                }
    }
}

bool of_16_bits(const Instruction& inst)
{
    return inst.matrix.d == result_f16 || inst.matrix.d == result_bf16;
}

/// Where row i of C and D is: 16 lanes of a register, or of a half of it.
struct RowPlace
{
    int reg, lane, half;
};
template <int W>
RowPlace row_place(const Instruction& inst, int i)
{
    constexpr int groups = W / 16, each = 16 / groups;
    if(target.generation < gfx12)
        return {i / groups, 16 * (i % groups), of_16_bits(inst) ? inst.op_sel >> 2 & 1 : 0};
    if(of_16_bits(inst))
        return {i % each / 2, 16 * (i / each), i % each % 2};
    return {i % each, 16 * (i / each), 0};
}

/// Bits of a row of C, of 16 or of 32 bits as D.
void read_row(const Wave& w, const Instruction& inst, const RowPlace& at, uint32_t* out)
{
    const Operand& c = inst.src[2];
    if(c.kind == Kind::vector)
    {
        const uint32_t* const in = &w.vgpr[c.reg + at.reg][at.lane];
        for(int j = 0; j < side; ++j)
            out[j] = of_16_bits(inst) ? in[j] >> 16 * at.half & 0xffff : in[j];
        return;
    }
    const int d   = inst.matrix.d;
    uint32_t bits = c.kind == Kind::constant ? static_cast<uint32_t>(c.imm) : read_scalar(w, c);
    if(c.kind == Kind::constant && c.flt)
        bits = d == result_f16    ? as_bits(static_cast<half>(c.f))
               : d == result_bf16 ? f32_to_bf16(static_cast<float>(c.f))
                                  : as_bits(static_cast<float>(c.f));
    std::fill_n(out, side, bits);
}

void write_row(Wave& w, const Instruction& inst, const RowPlace& at, const uint32_t* bits)
{
    uint32_t* const d = &w.vgpr[inst.dst[0].reg + at.reg][at.lane];
    for(int j = 0; j < side; ++j)
        if(!of_16_bits(inst))
            d[j] = bits[j];
        else
            d[j] = at.half ? (d[j] & 0xffff) | bits[j] << 16 : (d[j] & 0xffff0000u) | bits[j];
}

template <int W>
void multiply_integers(Wave& w, const Instruction& inst)
{
    Matrices<int32_t> m;
    uint32_t bits[side];
    for(int k = 0; k < inst.matrix.k; ++k) // neg_lo of integers: they have a sign
    {
        read_elements<W>(w, inst, 0, k, bits);
        to_integers(bits, bits_of(inst.matrix.a), inst.neg_lo & 1, m.a[k]);
        read_elements<W>(w, inst, 1, k, bits);
        to_integers(bits, bits_of(inst.matrix.b), inst.neg_lo & 2, m.b[k]);
    }
    for(int i = 0; i < side; ++i)
    {
        read_row(w, inst, row_place<W>(inst, i), bits);
        int64_t sums[side];
        for(int j = 0; j < side; ++j)
            sums[j] = static_cast<int32_t>(bits[j]);
        for(int k = 0; k < inst.matrix.k; ++k)
            for(int j = 0; j < side; ++j)
                sums[j] += m.a[k][i] * m.b[k][j];
        for(int j = 0; j < side; ++j)
            m.d[i][j] = static_cast<int32_t>(
                inst.clamp ? std::clamp<int64_t>(sums[j], INT32_MIN, INT32_MAX) : sums[j]);
    }
    for(int i = 0; i < side; ++i) // written last: D may be A, B or C
    {
        std::memcpy(bits, m.d[i], sizeof bits);
        write_row(w, inst, row_place<W>(inst, i), bits);
    }
}

/// Modifiers negate the elements of even k and of odd k.
void negate(const Instruction& inst, int source, int k, float* elements)
{
    if(((k & 1) != 0 ? inst.neg_hi : inst.neg_lo) >> source & 1)
        for(int i = 0; i < side; ++i)
            elements[i] = -elements[i];
}

template <int W>
void multiply_floats(Wave& w, const Instruction& inst)
{
    Matrices<float> m;
    uint32_t bits[side];
    for(int k = 0; k < inst.matrix.k; ++k)
    {
        read_elements<W>(w, inst, 0, k, bits);
        to_floats(bits, inst.matrix.a, m.a[k]);
        negate(inst, 0, k, m.a[k]);
        read_elements<W>(w, inst, 1, k, bits);
        to_floats(bits, inst.matrix.b, m.b[k]);
        negate(inst, 1, k, m.b[k]);
    }
    const int d = inst.matrix.d;
    for(int i = 0; i < side; ++i)
    {
        read_row(w, inst, row_place<W>(inst, i), bits);
        float sums[side];
        if(of_16_bits(inst))
            to_floats(bits, d == result_f16 ? type_f16 : type_bf16, sums);
        else
            std::memcpy(sums, bits, sizeof sums);
        for(int j = 0; j < side; ++j)
        {
            if(inst.neg_hi >> 2 & 1) // modifies C: its absolute value
                sums[j] = std::fabs(sums[j]);
            if(inst.neg_lo >> 2 & 1)
                sums[j] = -sums[j];
        }
        for(int k = 0; k < inst.matrix.k; ++k)
            for(int j = 0; j < side; ++j)
                sums[j] = __builtin_fmaf(m.a[k][i], m.b[k][j], sums[j]);
        std::memcpy(m.d[i], sums, sizeof sums);
    }
    for(int i = 0; i < side; ++i) // written last: D may be A, B or C
    {
        for(int j = 0; j < side; ++j)
            bits[j] = d == result_f32   ? as_bits(m.d[i][j])
                      : d == result_f16 ? as_bits(static_cast<half>(m.d[i][j]))
                                        : f32_to_bf16(m.d[i][j]);
        write_row(w, inst, row_place<W>(inst, i), bits);
    }
}

template <int W>
void multiply(Wave& w, const Instruction& inst)
{
    if(active_lanes<W>(w) != all_lanes<W>())
        warn_once(w, inst, "WMMA executed with EXEC not all ones (undefined on hardware)");
    if(target.generation < gfx12 && options().replication)
        check_replication<W>(w, inst);
    if(inst.matrix.d == result_i32)
        multiply_integers<W>(w, inst);
    else
        multiply_floats<W>(w, inst);
}

bool emulated(const MatrixForm& form)
{
    const auto of_integers = [](int type) { return type == type_iu8 || type == type_iu4; };
    const auto of_floats   = [](int type) {
        return type == type_f16 || type == type_bf16 || type == type_fp8 || type == type_bf8;
    };
    return form.m == side && form.n == side && form.k <= most_k && form.d != result_f64 &&
           (form.d == result_i32 ? of_integers(form.a) && of_integers(form.b)
                                 : of_floats(form.a) && of_floats(form.b));
}

} // namespace

Handler wmma_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    if(!take(mnemonic, "v_wmma_"))
        return mnemonic.starts_with("v_swmmac_") ? refused : nullptr;
    for(const std::string_view encoding : {"_e64", "_e32"})
        if(mnemonic.ends_with(encoding))
            mnemonic.remove_suffix(encoding.size());
    if(!read_matrix_name(mnemonic, inst.matrix) || !emulated(inst.matrix) || o.size() != 4)
        return refused;
    inst.n_dst  = 1;
    inst.dst[0] = o[0];
    inst.n_src  = 3;
    for(size_t i = 0; i < 3; ++i)
        inst.src[i] = o[i + 1];
    return wave == 64 ? multiply<64> : multiply<32>;
}

} // namespace emu
