// Reads an instruction's text: its unit from the mnemonic, its registers from the operands.
#include "instruction.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace emu::timing {
namespace {

bool starts(const std::string& s, const char* prefix) { return s.rfind(prefix, 0) == 0; }
bool has(const std::string& s, const char* part) { return s.find(part) != std::string::npos; }
template <class... Parts>
bool has_any(const std::string& s, Parts... parts)
{
    return (has(s, parts) || ...);
}

/// The operands of "a, b[0:1], c offen": split at commas outside of brackets, the first word of
/// each.
std::vector<std::string> operands(const std::string& text)
{
    std::vector<std::string> result;
    std::string current;
    int depth       = 0;
    bool word_ended = false;
    for(const char c : text + ",")
    {
        depth += c == '[' || c == '(';
        depth -= c == ']' || c == ')';
        if(c == ',' && depth == 0)
        {
            result.push_back(current);
            current.clear();
            word_ended = false;
        }
        else if(c == ' ' && depth == 0)
            word_ended = word_ended || !current.empty();
        else if(!word_ended)
            current += c;
    }
    return result;
}

/// The registers of an operand; none for constants.
Registers registers(std::string s)
{
    for(const char* wrapper : {"neg(", "abs(", "sext("})
        if(starts(s, wrapper))
            s = s.substr(std::string(wrapper).size(), s.size() - std::string(wrapper).size() - 1);
    s.erase(std::remove_if(s.begin(), s.end(), [](char c) { return c == '-' || c == '|'; }),
            s.end());
    const auto numbered = [&](std::size_t prefix, int base) -> Registers {
        if(s.size() <= prefix)
            return {};
        const bool range = s[prefix] == '[';
        if(!range && !std::isdigit(static_cast<unsigned char>(s[prefix])))
            return {};
        char* end       = nullptr;
        const long from = std::strtol(s.c_str() + prefix + range, &end, 10);
        const long to   = range && *end == ':' ? std::strtol(end + 1, nullptr, 10) : from;
        return {static_cast<std::uint16_t>(base + from), static_cast<std::uint16_t>(to - from + 1)};
    };
    constexpr int scalar_base = 512;
    if(s == "vcc" || s == "vcc_lo")
        return {scalar_base + 106, 2};
    if(s == "vcc_hi")
        return {scalar_base + 107, 1};
    if(starts(s, "exec"))
        return {scalar_base + 126, 2};
    if(s == "m0")
        return {scalar_base + 124, 1};
    if(starts(s, "ttmp"))
        return numbered(4, scalar_base + 108);
    if(starts(s, "v"))
        return numbered(1, 0);
    if(starts(s, "a"))
        return numbered(1, 256);
    if(starts(s, "s"))
        return numbered(1, scalar_base);
    return {};
}

int written_operands(const std::string& name, bool rdna)
{
    if(starts(name, "s_"))
        return has_any(name,
                       "s_cmp",
                       "s_bitcmp",
                       "s_cbranch",
                       "s_branch",
                       "s_setpc",
                       "s_barrier",
                       "s_wait",
                       "s_set")
                   ? 0
                   : 1;
    if(has_any(name, "store", "ds_write", "_lds_") || starts(name, "v_nop"))
        return 0;
    if(starts(name, "v_cmpx"))
        return rdna ? 0 : 1;
    if(has_any(name,
               "_co_",
               "v_div_scale",
               "v_mad_u64_u32",
               "v_mad_i64_i32",
               "v_swap",
               "v_addc",
               "v_subb") &&
       starts(name, "v_"))
        return 2;
    return 1;
}

int number_after(const std::string& text, const std::string& key)
{
    const std::size_t at = text.find(key);
    return at == std::string::npos
               ? no_limit
               : static_cast<int>(std::strtol(text.c_str() + at + key.size(), nullptr, 0));
}

/// The limits of s_waitcnt and of its descendants.
void parse_wait(Instruction& i, const std::string& name, const std::string& rest)
{
    const int value = static_cast<int>(
        std::strtol(rest.c_str() + rest.rfind(' ') + 1, nullptr, 0)); // the last word
    if(name == "s_waitcnt")
    {
        i.at_most[load] = number_after(rest, "vmcnt(");
        i.at_most[lds]  = number_after(rest, "lgkmcnt(");
        if(rest == "0")
            i.at_most = {0, 0, 0, 0};
    }
    else if(name == "s_waitcnt_vscnt" || name == "s_wait_storecnt")
        i.at_most[store] = value;
    else if(name == "s_waitcnt_vmcnt" || name == "s_wait_loadcnt")
        i.at_most[load] = value;
    else if(name == "s_waitcnt_lgkmcnt" || name == "s_wait_dscnt")
        i.at_most[lds] = value;
    else if(name == "s_wait_kmcnt")
        i.at_most[scalar] = value;
    else if(name == "s_wait_loadcnt_dscnt" || name == "s_wait_storecnt_dscnt")
    {
        i.at_most[name == "s_wait_loadcnt_dscnt" ? load : store] = value >> 8 & 63;
        i.at_most[lds]                                           = value & 63;
    }
    else
        i.unit = Unit::hint; // exports, samples, ALU dependencies
}

void parse_scalar(Instruction& i,
                  const Machine& m,
                  const std::string& name,
                  const std::string& rest)
{
    const bool gfx12 = starts(m.target, "gfx12");
    i.cycles         = static_cast<int>(m.turn);
    i.latency        = static_cast<int>(m.scalar_latency);
    if(starts(name, "s_wait"))
    {
        i.unit = Unit::wait;
        parse_wait(i, name, rest);
    }
    else if(name == "s_barrier")
        i.unit = Unit::barrier;
    else if(starts(name, "s_barrier_signal"))
        i.unit = Unit::barrier_signal;
    else if(starts(name, "s_barrier_wait"))
        i.unit = Unit::barrier_wait;
    else if(name == "s_nop")
    {
        i.unit  = Unit::idle;
        i.turns = static_cast<int>(std::strtol(rest.c_str(), nullptr, 0)) + 1;
    }
    else if(name == "s_sleep")
    {
        i.unit  = Unit::idle; // units of 64 cycles
        i.turns = static_cast<int>(64 * std::strtol(rest.c_str(), nullptr, 0) / m.turn);
    }
    else if(name == "s_setprio")
    {
        i.unit     = Unit::hint;
        i.priority = static_cast<int>(std::strtol(rest.c_str(), nullptr, 0));
    }
    else if(has_any(name, "s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call"))
        i.unit = Unit::branch;
    else if(has_any(name, "s_endpgm", "s_sendmsg"))
        i.unit = Unit::message;
    else if(has_any(name, "s_load", "s_buffer_load", "s_memtime", "s_memrealtime", "s_dcache"))
    {
        i.unit        = Unit::scalar;
        i.counts      = true;
        i.counter     = gfx12 ? scalar : lds;
        i.scalar_load = true;
        i.latency     = 0; // a wait guards it
    }
    else if(has_any(name,
                    "s_clause",
                    "s_delay_alu",
                    "s_inst_prefetch",
                    "s_set_inst_prefetch",
                    "s_icache",
                    "s_code_end",
                    "s_prefetch"))
        i.unit = Unit::hint;
    else
        i.unit = Unit::scalar;
}

void parse_vector(Instruction& i, const Machine& m, const std::string& name, int wave_size)
{
    i.unit = Unit::vector;
    if(starts(name, "v_mfma") || starts(name, "v_wmma") || starts(name, "v_smfmac") ||
       starts(name, "v_swmmac"))
    {
        i.matrix  = true;
        i.cycles  = matrix_cycles(m, name);
        i.latency = i.cycles + static_cast<int>(m.matrix_read_delay);
        return;
    }
    double cycles = std::ceil(wave_size / m.lanes_a_cycle);
    if(has_any(name, "v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"))
        cycles *= m.quarter_rate;
    if(has_any(name, "v_mul_lo_u32", "v_mul_hi_", "v_mad_u64_u32", "v_mad_i64_i32"))
        cycles *= m.integer_products_rate;
    if(starts(name, "v_cvt_") &&
       !has_any(name, "ubyte", "pkrtz", "pknorm", "_u16", "_i16", "pk_bf16", "_f64"))
        cycles *= m.conversions_rate;
    if(has_any(name, "_f64"))
        cycles *= m.f64_rate;
    i.cycles  = static_cast<int>(cycles);
    i.latency = static_cast<int>(std::max(cycles, m.vector_latency + cycles - m.turn));
}

} // namespace

Instruction parse_instruction(const Machine& m, const std::string& text, int wave_size)
{
    Instruction i;
    i.text               = text;
    const std::size_t at = text.find(' ');
    std::string name     = text.substr(0, at);
    std::string rest     = at == std::string::npos ? "" : text.substr(at + 1);
    const bool gfx9      = starts(m.target, "gfx9");

    if(starts(name, "s_"))
        parse_scalar(i, m, name, rest);
    else if(starts(name, "v_"))
        parse_vector(i, m, name, wave_size);
    else if(starts(name, "ds_"))
    {
        i.unit    = Unit::lds;
        i.counts  = true;
        i.counter = lds;
    }
    else if(has_any(name, "buffer_gl", "buffer_wb", "buffer_inv", "global_wb", "global_inv"))
        i.unit = Unit::hint; // caches are written back and emptied between launches, not modelled
    else
    {
        i.unit     = Unit::memory;
        i.counts   = true;
        i.is_store = has(name, "store") ||
                     (has(name, "atomic") && !has_any(text, " glc", " sc0", "TH_ATOMIC_RETURN"));
        i.is_atomic = has(name, "atomic");
        i.counter   = i.is_store && !gfx9 ? store : load;
    }

    if(i.unit == Unit::wait || i.unit == Unit::hint || i.unit == Unit::idle)
        return i;
    const std::size_t dual = rest.find(" :: ");
    const std::string second =
        dual == std::string::npos
            ? ""
            : rest.substr(rest.find(' ', dual + 4) + 1); // behind its mnemonic
    int written = written_operands(name, !gfx9);
    if(i.unit == Unit::memory && (i.is_store || has(text, " lds")))
        written = 0;
    for(const std::string& half : {rest.substr(0, dual), second})
    {
        int number = 0;
        for(const std::string& operand : operands(half))
        {
            const Registers r = registers(operand);
            if(r.count)
                (number < written ? i.written : i.read).push_back(r);
            if(i.matrix && number == 3)
                i.accumulated = r;
            ++number;
        }
    }
    if(has_any(name, "fmac", "v_mac_", "v_dot2c", "v_dot4c") && !i.written.empty())
        i.read.push_back(i.written[0]);
    if(i.matrix && i.accumulated.count && !i.read.empty())
        i.read.pop_back(); // C has rules of its own
    return i;
}

} // namespace emu::timing
