#pragma once
// Which instructions the programs of this build contain, and which of them a test has run alone and
// compared with exact arithmetic.
#include <set>
#include <string>

namespace emulator_test {

/// The mnemonics that were tested; what a test runs is noted as it is decoded (Step).
inline std::set<std::string>& tested()
{
    static std::set<std::string> all;
    return all;
}
inline std::set<std::string>& in_use()
{
    static std::set<std::string> all;
    return all;
}

/// A mnemonic without the name of its encoding. LLVM writes those of MFMA with and without
/// underscores, as v_mfma_f32_32x32x8f16.
inline std::string mnemonic(std::string name)
{
    for(const char* encoding : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"})
        if(name.ends_with(encoding))
        {
            name.resize(name.size() - std::string(encoding).size());
            break;
        }
    if(name.starts_with("v_mfma_"))
        std::erase(name, '_');
    return name;
}

/// Notes an instruction of disassembled text, of a dual issue both.
inline void note(std::set<std::string>& all, const std::string& text)
{
    all.insert(mnemonic(text.substr(0, text.find(' '))));
    if(const size_t other = text.find(":: "); other != std::string::npos)
        all.insert(mnemonic(text.substr(other + 3, text.find(' ', other + 3) - other - 3)));
}

/// Instructions that compute nothing: order, waits, branches and the like, which programs test.
/// checks.cpp removes waits and barriers.
inline bool has_no_value(const std::string& name)
{
    for(const char* prefix :
        {"s_wait",    "s_barrier",    "s_branch",   "s_cbranch",           "s_call",
         "s_endpgm",  "s_nop",        "s_clause",   "s_delay_alu",         "s_sendmsg",
         "s_sethalt", "s_setprio",    "s_sleep",    "s_set_inst_prefetch", "s_trap",
         "s_setpc",   "s_swappc",     "s_getpc",    "s_code_end",          "v_nop",
         "v_illegal", "buffer_wbl2",  "buffer_inv", "buffer_gl",           "global_inv",
         "global_wb", "s_icache_inv", "s_dcache"})
        if(name.starts_with(prefix))
            return true;
    return false;
}

} // namespace emulator_test
