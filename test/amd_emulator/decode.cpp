// Makes an instruction from disassembled text: finds its handler and places its operands.
#include "disassembler.hpp"
#include "handlers.hpp"
#include "instruction_text.hpp"
#include "target.hpp"
#include "wave.hpp"
#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace emu {

namespace {

/// Both halves of a dual issue read their sources before either writes: X's result goes to a spare
/// register first.
void run_both(Wave& w, const Instruction& inst)
{
    Instruction x = *inst.x;
    const int dst = x.dst[0].reg;
    x.dst[0].reg  = spare_register;
    std::memcpy(w.vgpr[spare_register], w.vgpr[dst], sizeof w.vgpr[0]);
    x.fn(w, x);
    inst.y->fn(w, *inst.y);
    const uint64_t active = w.exec();
    for(int l = 0; l < w.W; ++l)
        if(active >> l & 1)
            w.vgpr[dst][l] = w.vgpr[spare_register][l];
}

/// The row of a mnemonic, which may end in the name of an encoding; `base` is the mnemonic without
/// it.
const Entry* find_entry(const std::string& mnemonic, std::string& base)
{
    base     = mnemonic;
    auto row = table().find(base);
    for(const char* encoding : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"})
        if(row == table().end() && base.ends_with(encoding))
        {
            base.resize(base.size() - strlen(encoding));
            row = table().find(base);
        }
    return row == table().end() ? nullptr : &row->second;
}

bool of_integers(const std::string& base)
{
    for(const char* type : {"_u32", "_i32", "_u16", "_i16"})
        if(base.ends_with(type))
            return base.find("dot") == std::string::npos;
    return false;
}

/// Handlers of these read the words that are no operands, such as hwreg(HW_REG_MODE), from the
/// encoding or not at all.
bool read_from_encoding(const std::string& base)
{
    for(const char* prefix :
        {"s_wait", "s_getreg", "s_setreg", "s_sendmsg", "s_delay_alu", "s_set_gpr_idx"})
        if(base.starts_with(prefix))
            return true;
    return false;
}

/// Operands of a handler from the table; nullptr where the table has none or modifiers are not
/// emulated.
Handler
table_handler(Instruction& inst, const std::string& mnemonic, int wave, InstructionText& read)
{
    std::string base;
    const Entry* entry = find_entry(mnemonic, base);
    if(entry != nullptr && inst.clamp && of_integers(base))
        entry = find_entry(base + " clamp", base); // sums that saturate have rows of their own
    if(entry == nullptr)
        return refused;
    const Operands& o      = read.operands;
    const bool writes_exec = target.generation >= gfx10 && base.starts_with("v_cmpx");
    inst.n_dst             = writes_exec ? 0 : static_cast<uint8_t>(entry->n_dst);
    if(o.size() < inst.n_dst || o.size() > inst.n_dst + std::size(inst.src))
        return refused;
    std::copy_n(o.begin(), inst.n_dst, inst.dst);
    inst.n_src = static_cast<uint8_t>(o.size() - inst.n_dst);
    std::copy_n(o.begin() + inst.n_dst, inst.n_src, inst.src);
    // op_sel lists the sources and then the destination, whose bit is kept as bit 3.
    if(inst.n_op_sel == inst.n_src + 1 && inst.n_op_sel < 4 && !base.starts_with("v_cvt_f32_") &&
       !base.starts_with("v_cvt_pk_f32_"))
    {
        if(inst.op_sel >> inst.n_src & 1)
            inst.op_sel |= 8;
        inst.op_sel &= static_cast<uint8_t>(~(1 << inst.n_src));
    }
    if(entry->accumulates)
        inst.src[inst.n_src++] = inst.dst[0];
    if(read.high_halves & 1)
        inst.op_sel |= 8;
    inst.op_sel |= read.high_halves >> 1 & 7;
    if(!read.has_op_sel_hi && base.find("_mix") == std::string::npos)
        inst.op_sel_hi = 0xff;
    inst.p16 = target.generation >= gfx10 || base == "v_fma_f16" || base == "v_mad_f16" ||
               base == "v_div_fixup_f16" || base == "v_mad_u16" || base == "v_mad_i16";
    if(!read.unknown.empty() && !read_from_encoding(base))
        return refused;
    return wave == 64 ? entry->wave64 : entry->wave32;
}

Handler
find_handler(Instruction& inst, const std::string& mnemonic, int wave, InstructionText& read)
{
    for(const auto family : {mfma_handler, wmma_handler, flat_handler, buffer_handler, lds_handler})
        if(const Handler found = family(inst, mnemonic, wave, read.operands))
            return read.unknown.empty() ? found : refused;
    if(const Handler found = scalar_memory_handler(inst, mnemonic, read.operands))
        return read.unknown.empty() ? found : refused;
    return table_handler(inst, mnemonic, wave, read);
}

/// The mnemonic and what follows it.
void decode_half(Instruction& inst, const std::string& text, int wave)
{
    const size_t blank   = text.find(' ');
    std::string mnemonic = text.substr(0, blank);
    if(mnemonic.starts_with("v_dual_"))
        mnemonic = "v_" + mnemonic.substr(strlen("v_dual_"));
    inst.mnemonic = strdup(mnemonic.c_str()); // instructions live as long as the program
    InstructionText read =
        read_operands(blank == std::string::npos ? "" : text.substr(blank + 1), inst);
    try
    {
        inst.fn = find_handler(inst, mnemonic, wave, read);
    }
    catch(const std::out_of_range&) // fewer operands than the handler takes
    {
        inst.fn = refused;
    }
}

} // namespace

Instruction* decode_text(const std::string& text, const uint8_t* bytes, size_t size, int wave)
{
    auto* const inst = new Instruction;
    std::memcpy(inst->raw, bytes, std::min(size, sizeof inst->raw));
    inst->size     = static_cast<uint32_t>(size);
    inst->simm16   = static_cast<int16_t>(inst->raw[0] & 0xffff);
    inst->text     = strdup(text.empty() ? "<undecodable>" : text.c_str());
    inst->mnemonic = "?";
    inst->fn       = refused;
    if(text.empty())
        return inst;
    const size_t dual = text.find(" :: ");
    if(dual == std::string::npos)
    {
        decode_half(*inst, text, wave);
        return inst;
    }
    inst->x       = new Instruction;
    inst->y       = new Instruction;
    inst->x->text = inst->y->text = inst->text;
    decode_half(*inst->x, text.substr(0, dual), wave);
    decode_half(*inst->y, text.substr(dual + strlen(" :: ")), wave);
    inst->mnemonic = "v_dual";
    if(has_handler(*inst))
        inst->fn = run_both;
    return inst;
}

Instruction* decode_bytes(const uint8_t* bytes, size_t size, int wave)
{
    uint32_t taken         = 0;
    const std::string text = disassemble(bytes, size, wave, taken);
    return decode_text(text, bytes, std::min<size_t>(size, taken == 0 ? 4 : taken), wave);
}

} // namespace emu
