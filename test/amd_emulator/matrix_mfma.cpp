// CDNA's matrix instructions, v_mfma: 64 lanes multiply one or more blocks, D = C + A * B. Sums are
// chains of fused multiply-adds with k rising; hardware's order is not documented.
#include "eight_bit_floats.hpp"
#include "handlers.hpp"
#include "lanes.hpp"
#include "matrix.hpp"
#include <cmath>
#include <cstring>
#include <type_traits>

namespace emu {

namespace {

constexpr int lanes = 64, most_elements = 32;

// gfx90a multiplies halves and bfloat16s without denormals.
float flush_f16(float x) { return std::fabs(x) < 0x1p-14f ? std::copysign(0.f, x) : x; }
float flush_f32(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.f, x) : x; }

/// f32 rounded to 10 bits of mantissa; Inf and NaN stay what they are.
float xf32(uint32_t x)
{
    if((x & 0x7fffffff) > 0x7f800000)
        x |= 0x400000; // a NaN that would lose its payload
    else
        x += 0xfff + (x >> 13 & 1);
    return as_f32(x & 0xffffe000u);
}

/// Element e of each lane's operand.
template <class R>
void unpack(const Wave& w, const Operand& o, int type, int e, R* out)
{
    const int per_register   = 32 / bits_of(type);
    const int shift          = bits_of(type) * (e % per_register) % 32;
    const uint32_t* const in = w.vgpr[o.reg + e / per_register];
    switch(type)
    {
    case type_f32:
        for(int l = 0; l < lanes; ++l)
            out[l] = static_cast<R>(as_f32(in[l]));
        break;
    case type_xf32:
        for(int l = 0; l < lanes; ++l)
            out[l] = static_cast<R>(xf32(in[l]));
        break;
    case type_f16:
        for(int l = 0; l < lanes; ++l)
            out[l] =
                static_cast<R>(static_cast<float>(as_f16(static_cast<uint16_t>(in[l] >> shift))));
        if(target.gfx90a)
            for(int l = 0; l < lanes; ++l)
                out[l] = static_cast<R>(flush_f16(static_cast<float>(out[l])));
        break;
    case type_bf16:
        for(int l = 0; l < lanes; ++l)
            out[l] = static_cast<R>(bf16_to_f32(static_cast<uint16_t>(in[l] >> shift)));
        if(target.gfx90a)
            for(int l = 0; l < lanes; ++l)
                out[l] = static_cast<R>(flush_f32(static_cast<float>(out[l])));
        break;
    case type_i8:
        for(int l = 0; l < lanes; ++l)
            out[l] = static_cast<R>(static_cast<int8_t>(in[l] >> shift));
        break;
    case type_fp8:
    case type_bf8: {
        const float* const values = fp8_table(type == type_bf8);
        for(int l = 0; l < lanes; ++l)
            out[l] = static_cast<R>(values[in[l] >> shift & 255]);
        break;
    }
    default:
        break; // complete() refuses others
    }
}

/// Which lane's B a lane takes.
int permuted_lane(int blgp, int l)
{
    switch(blgp)
    {
    case 1:
        return l & 31;
    case 2:
        return 32 | (l & 31);
    case 3:
        return (l + 16) & 63;
    case 4:
        return l & 15;
    case 5:
        return 16 | (l & 15);
    case 6:
        return 32 | (l & 15);
    case 7:
        return 48 | (l & 15);
    default:
        return l;
    }
}

/// Where row i of block b of C and D is: a register, and the lane of its first column.
struct RowPlace
{
    int reg, lane;
};
template <int m>
RowPlace row_place(int b, int i)
{
    if constexpr(m == 32)
        return {16 * b + 4 * (i / 8) + i % 4, 32 * (i / 4 % 2)};
    else if constexpr(m == 16)
        return {4 * b + i % 4, 16 * (i / 4)};
    else
        return {i, 4 * b};
}

/// R: float or int32_t.
template <class R, int m>
void multiply(Wave& w, const Instruction& inst)
{
    const int blocks = inst.matrix.blocks, elements = inst.matrix.elements;
    const int groups = 64 / m / blocks; // lanes that share a block: k = group * elements + e
    alignas(64) R a[most_elements][lanes], b[most_elements][lanes], result[64 * 32];
    for(int e = 0; e < elements; ++e)
    {
        unpack(w, inst.src[0], inst.matrix.a, e, a[e]);
        unpack(w, inst.src[1], inst.matrix.b, e, b[e]);
        if(inst.blgp != 0)
        {
            R plain[lanes];
            std::memcpy(plain, b[e], sizeof plain);
            for(int l = 0; l < lanes; ++l)
                b[e][l] = plain[permuted_lane(inst.blgp, l)];
        }
    }
    const Operand& c  = inst.src[2];
    R constant_c      = 0;
    const bool stored = c.kind == Kind::vector;
    if(!stored)
    {
        const uint32_t bits = c.kind != Kind::constant ? read_scalar(w, c)
                              : std::is_same_v<R, float>
                                  ? static_cast<uint32_t>(constant_bits<float>(c))
                                  : static_cast<uint32_t>(c.imm);
        std::memcpy(&constant_c, &bits, 4);
    }
    const bool flushes = target.gfx90a && (inst.matrix.a == type_f16 || inst.matrix.a == type_bf16);
    R* row             = result;
    for(int block = 0; block < blocks; ++block)
    {
        // cbsz and abid: blocks in groups of 1 << cbsz take A of one of them.
        const int block_of_a = inst.cbsz ? (block & ~((1 << inst.cbsz) - 1)) + inst.abid : block;
        for(int i = 0; i < m; ++i, row += m)
        {
            const RowPlace place = row_place<m>(block, i);
            alignas(64) R sums[m];
            if(stored)
                std::memcpy(sums, &w.vgpr[c.reg + place.reg][place.lane], 4 * m);
            else
                for(int j = 0; j < m; ++j)
                    sums[j] = constant_c;
            for(int g = 0; g < groups; ++g)
                for(int e = 0; e < elements; ++e)
                {
                    const R a_ik       = a[e][(block_of_a * groups + g) * m + i];
                    const R* const b_k = &b[e][(block * groups + g) * m];
                    for(int j = 0; j < m; ++j)
                        if constexpr(std::is_same_v<R, float>)
                            sums[j] = __builtin_fmaf(a_ik, b_k[j], sums[j]);
                        else
                            sums[j] = static_cast<R>(static_cast<uint32_t>(sums[j]) +
                                                     static_cast<uint32_t>(a_ik) *
                                                         static_cast<uint32_t>(b_k[j]));
                }
            if constexpr(std::is_same_v<R, float>)
                if(flushes)
                    for(int j = 0; j < m; ++j)
                        sums[j] = flush_f32(sums[j]);
            std::memcpy(row, sums, 4 * m);
        }
    }
    row = result; // written last: D may be A, B or C
    for(int block = 0; block < blocks; ++block)
        for(int i = 0; i < m; ++i, row += m)
        {
            const RowPlace place = row_place<m>(block, i);
            std::memcpy(&w.vgpr[inst.dst[0].reg + place.reg][place.lane], row, 4 * m);
        }
}

/// f64: 16x16x4, or four blocks of 4x4x4.
void multiply_f64(Wave& w, const Instruction& inst)
{
    const bool one_block = inst.matrix.m == 16;
    const int registers  = one_block ? 4 : 1;
    const auto load      = [&](const Operand& o, int r, int l) {
        if(o.kind != Kind::vector)
            return as_f64(read_scalar64<double>(w, o));
        return as_f64(static_cast<uint64_t>(w.vgpr[o.reg + 2 * r + 1][l]) << 32 |
                      w.vgpr[o.reg + 2 * r][l]);
    };
    const int signs    = target.gfx940 ? inst.blgp : 0; // negated: bits 0 A, 1 B, 2 C
    const int permuted = target.gfx940 ? 0 : inst.blgp;
    const auto negated = [&](int bit, double x) { return signs >> bit & 1 ? -x : x; };
    double a[lanes], b[lanes], d[4][lanes];
    for(int l = 0; l < lanes; ++l)
    {
        a[l] = negated(0, load(inst.src[0], 0, l));
        b[l] = negated(1, load(inst.src[1], 0, permuted_lane(permuted, l)));
        for(int r = 0; r < registers; ++r)
            d[r][l] = negated(2, load(inst.src[2], r, l));
    }
    for(int r = 0; r < registers; ++r)
        for(int l = 0; l < lanes; ++l)
        {
            const int row    = one_block ? 4 * r + l / 16 : 4 * (l / 4 % 4) + l / 16;
            const int column = l % 16; // also with four blocks side by side
            for(int k = 0; k < 4; ++k)
                d[r][l] = __builtin_fma(a[16 * k + row], b[16 * k + column], d[r][l]);
        }
    for(int r = 0; r < registers; ++r)
        for(int l = 0; l < lanes; ++l)
        {
            const uint64_t bits                    = as_bits(d[r][l]);
            w.vgpr[inst.dst[0].reg + 2 * r][l]     = static_cast<uint32_t>(bits);
            w.vgpr[inst.dst[0].reg + 2 * r + 1][l] = static_cast<uint32_t>(bits >> 32);
        }
}

template <class R>
Handler handler_of(int m)
{
    return m == 32   ? multiply<R, 32>
           : m == 16 ? multiply<R, 16>
           : m == 4  ? multiply<R, 4>
                     : refused;
}

/// gfx950: cbsz and blgp say the types of A and B, here alone. Shorter floats than of eight bits
/// are not emulated. A lane's 32 elements are two halves whose k lie apart; taken for consecutive,
/// as here, they give the same products in another order.
bool choose_eight_bits(Instruction& inst)
{
    if(inst.cbsz > 1 || inst.blgp > 1)
        return false;
    inst.matrix.a = inst.cbsz == 0 ? type_fp8 : type_bf8;
    inst.matrix.b = inst.blgp == 0 ? type_fp8 : type_bf8;
    inst.cbsz = inst.blgp = 0;
    return true;
}

/// What the operands say of the shape; false for one that is not emulated.
bool complete(Instruction& inst)
{
    MatrixForm& form = inst.matrix;
    if(form.a == type_f8f6f4 && !choose_eight_bits(inst))
        return false;
    if(form.a == type_iu8 || form.a == type_iu4 || form.m != form.n)
        return false;
    form.elements = inst.src[0].n * 32 / bits_of(form.a);
    form.blocks   = 64 * form.elements / (form.m * form.k);
    return form.blocks >= 1 && form.elements <= most_elements && inst.src[0].kind == Kind::vector &&
           inst.src[1].kind == Kind::vector && inst.src[0].n == inst.src[1].n;
}

} // namespace

Handler mfma_handler(Instruction& inst, std::string_view mnemonic, int wave, const Operands& o)
{
    if(!take(mnemonic, "v_mfma_"))
        return mnemonic.starts_with("v_smfmac") ? refused : nullptr;
    for(const std::string_view encoding : {"_e64", "_e32"})
        if(mnemonic.ends_with(encoding))
            mnemonic.remove_suffix(encoding.size());
    if(wave != 64 || !read_matrix_name(mnemonic, inst.matrix))
        return refused;
    inst.n_dst  = 1;
    inst.dst[0] = o.at(0);
    inst.n_src  = 3;
    for(size_t i = 0; i < 3; ++i)
        inst.src[i] = o.at(i + 1);
    if(o.size() != 4 || !complete(inst))
        return refused;
    if(inst.matrix.d == result_f64)
        return multiply_f64;
    return inst.matrix.d == result_i32 ? handler_of<int32_t>(inst.matrix.m)
                                       : handler_of<float>(inst.matrix.m);
}

} // namespace emu
