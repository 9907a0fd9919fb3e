// Atomic operations: their names, and what they compute.

#include "memory_atomics.hpp"

#include "number_formats.hpp"
#include <algorithm>
#include <map>

namespace emu {
std::mutex atomics_mutex;
uint64_t apply_atomic(Atomic op, bool q, uint64_t o, uint64_t s, uint64_t cmp)
{
    uint32_t a = (uint32_t)o, b = (uint32_t)s;
    switch(op)
    {
    case atomic_add:
        return q ? o + s : a + b;
    case atomic_sub:
        return q ? o - s : a - b;
    case atomic_rsub:
        return q ? s - o : b - a;
    case atomic_smin:
        return q ? (uint64_t)std::min((int64_t)o, (int64_t)s)
                 : (uint32_t)std::min((int32_t)a, (int32_t)b);
    case atomic_umin:
        return q ? std::min(o, s) : std::min(a, b);
    case atomic_smax:
        return q ? (uint64_t)std::max((int64_t)o, (int64_t)s)
                 : (uint32_t)std::max((int32_t)a, (int32_t)b);
    case atomic_umax:
        return q ? std::max(o, s) : std::max(a, b);
    case atomic_and:
        return o & s;
    case atomic_or:
        return o | s;
    case atomic_xor:
        return o ^ s;
    case atomic_inc:
        return q ? (o >= s ? 0 : o + 1) : (a >= b ? 0 : a + 1);
    case atomic_dec:
        return q ? ((o == 0 || o > s) ? s : o - 1) : ((a == 0 || a > b) ? b : a - 1);
    case atomic_swap:
        return s;
    case atomic_cmpswap:
        return o == cmp ? s : o;
    case atomic_fadd:
        return q ? as_bits(as_f64(o) + as_f64(s)) : as_bits(as_f32(a) + as_f32(b));
    case atomic_fmin:
        return q ? as_bits(min_number(as_f64(o), as_f64(s)))
                 : as_bits(min_number(as_f32(a), as_f32(b)));
    case atomic_fmax:
        return q ? as_bits(max_number(as_f64(o), as_f64(s)))
                 : as_bits(max_number(as_f32(a), as_f32(b)));
    case atomic_pkf16:
        return (uint32_t)as_bits((half)(as_f16(a) + as_f16(b))) |
               (uint32_t)as_bits((half)(as_f16(a >> 16) + as_f16(b >> 16))) << 16;
    case atomic_pkbf16:
        return (uint32_t)f32_to_bf16(bf16_to_f32(a) + bf16_to_f32(b)) |
               (uint32_t)f32_to_bf16(bf16_to_f32(a >> 16) + bf16_to_f32(b >> 16)) << 16;
    default:
        return o;
    }
}
bool parse_atomic(std::string s, Atomic& op, bool& q)
{
    q        = false;
    auto cut = [&](const char* e) {
        size_t n = strlen(e);
        if(s.size() > n && s.compare(s.size() - n, n, e) == 0)
        {
            s.resize(s.size() - n);
            return true;
        }
        return false;
    };
    if(cut("_x2"))
        q = true;
    static const std::map<std::string, std::pair<Atomic, bool>> m = {
        {"add", {atomic_add, 0}},
        {"add_u32", {atomic_add, 0}},
        {"add_u64", {atomic_add, 1}},
        {"sub", {atomic_sub, 0}},
        {"sub_u32", {atomic_sub, 0}},
        {"sub_u64", {atomic_sub, 1}},
        {"rsub_u32", {atomic_rsub, 0}},
        {"rsub_u64", {atomic_rsub, 1}},
        {"smin", {atomic_smin, 0}},
        {"min_i32", {atomic_smin, 0}},
        {"min_i64", {atomic_smin, 1}},
        {"umin", {atomic_umin, 0}},
        {"min_u32", {atomic_umin, 0}},
        {"min_u64", {atomic_umin, 1}},
        {"smax", {atomic_smax, 0}},
        {"max_i32", {atomic_smax, 0}},
        {"max_i64", {atomic_smax, 1}},
        {"umax", {atomic_umax, 0}},
        {"max_u32", {atomic_umax, 0}},
        {"max_u64", {atomic_umax, 1}},
        {"and", {atomic_and, 0}},
        {"and_b32", {atomic_and, 0}},
        {"and_b64", {atomic_and, 1}},
        {"or", {atomic_or, 0}},
        {"or_b32", {atomic_or, 0}},
        {"or_b64", {atomic_or, 1}},
        {"xor", {atomic_xor, 0}},
        {"xor_b32", {atomic_xor, 0}},
        {"xor_b64", {atomic_xor, 1}},
        {"inc", {atomic_inc, 0}},
        {"inc_u32", {atomic_inc, 0}},
        {"inc_u64", {atomic_inc, 1}},
        {"dec", {atomic_dec, 0}},
        {"dec_u32", {atomic_dec, 0}},
        {"dec_u64", {atomic_dec, 1}},
        {"swap", {atomic_swap, 0}},
        {"swap_b32", {atomic_swap, 0}},
        {"swap_b64", {atomic_swap, 1}},
        {"cmpswap", {atomic_cmpswap, 0}},
        {"cmpswap_b32", {atomic_cmpswap, 0}},
        {"cmpswap_b64", {atomic_cmpswap, 1}},
        {"wrxchg_b32", {atomic_swap, 0}},
        {"wrxchg_b64", {atomic_swap, 1}},
        {"storexchg_b32", {atomic_swap, 0}},
        {"storexchg_b64", {atomic_swap, 1}},
        {"add_f32", {atomic_fadd, 0}},
        {"add_f64", {atomic_fadd, 1}},
        {"pk_add_f16", {atomic_pkf16, 0}},
        {"pk_add_bf16", {atomic_pkbf16, 0}},
        {"min_f32", {atomic_fmin, 0}},
        {"max_f32", {atomic_fmax, 0}},
        {"min_f64", {atomic_fmin, 1}},
        {"max_f64", {atomic_fmax, 1}},
        {"fmin", {atomic_fmin, 0}},
        {"fmax", {atomic_fmax, 0}},
        {"min_num_f32", {atomic_fmin, 0}},
        {"max_num_f32", {atomic_fmax, 0}},
        {"cmpst_b32", {atomic_cmpswap, 0}},
        {"cmpst_b64", {atomic_cmpswap, 1}},
        {"cmpstore_b32", {atomic_cmpswap, 0}},
        {"cmpstore_b64", {atomic_cmpswap, 1}}};
    auto it = m.find(s);
    if(it == m.end())
        return false;
    op = it->second.first;
    q  = q || it->second.second;
    return true;
}
} // namespace emu
