// Operands and modifiers of an instruction, read from disassembled text.
#include "instruction_text.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace emu {

namespace {

bool digit(char c) { return isdigit(static_cast<unsigned char>(c)) != 0; }
bool letter(char c) { return isalpha(static_cast<unsigned char>(c)) != 0; }

/// Pieces between separators that stand in no brackets; without blanks at their ends.
std::vector<std::string> split(const std::string& text, char separator)
{
    std::vector<std::string> pieces;
    std::string piece;
    const auto finish = [&] {
        const size_t first = piece.find_first_not_of(' ');
        if(first != std::string::npos)
            pieces.push_back(piece.substr(first, piece.find_last_not_of(' ') - first + 1));
        piece.clear();
    };
    int depth = 0;
    for(const char c : text)
    {
        depth += c == '[' || c == '(';
        depth -= c == ']' || c == ')';
        if(c == separator && depth == 0)
            finish();
        else
            piece += c;
    }
    finish();
    return pieces;
}

/// Registers of "[first:last]" or "number" at the end of a name.
bool registers(std::string_view text, int& first, int& count)
{
    const std::string copy(text);
    const char* begin = copy.c_str();
    const bool list   = *begin == '[';
    begin += list;
    if(!digit(*begin))
        return false;
    char* end = nullptr;
    first     = static_cast<int>(strtol(begin, &end, 10));
    count     = 1;
    if(list && *end == ':')
        count = static_cast<int>(strtol(end + 1, &end, 10)) - first + 1;
    if(list && *end++ != ']')
        return false;
    return *end == 0 && count > 0;
}

struct NamedRegister
{
    int index, count;
};
const std::unordered_map<std::string_view, NamedRegister>& named_registers()
{
    static const std::unordered_map<std::string_view, NamedRegister> names = {
        {"vcc", {reg_vcc, 2}},
        {"vcc_lo", {reg_vcc, 1}},
        {"vcc_hi", {reg_vcc + 1, 1}},
        {"exec", {reg_exec, 2}},
        {"exec_lo", {reg_exec, 1}},
        {"exec_hi", {reg_exec + 1, 1}},
        {"m0", {reg_m0, 1}},
        {"null", {reg_null, 1}},
        {"flat_scratch", {reg_flatscr, 2}},
        {"flat_scratch_lo", {reg_flatscr, 1}},
        {"flat_scratch_hi", {reg_flatscr + 1, 1}},
        {"xnack_mask", {reg_xnack, 2}},
        {"xnack_mask_lo", {reg_xnack, 1}},
        {"xnack_mask_hi", {reg_xnack + 1, 1}},
        {"src_shared_base", {reg_shared_base, 2}},
        {"src_shared_limit", {reg_shared_limit, 2}},
        {"src_private_base", {reg_private_base, 2}},
        {"src_private_limit", {reg_private_limit, 2}},
        {"src_shared_base_lo", {reg_shared_base, 1}},
        {"src_private_base_lo", {reg_private_base, 1}},
        {"src_flat_scratch_base_lo", {reg_flatscr, 1}},
        {"src_flat_scratch_base_hi", {reg_flatscr + 1, 1}}};
    return names;
}
const std::unordered_map<std::string_view, Kind>& named_values()
{
    static const std::unordered_map<std::string_view, Kind> names = {{"scc", Kind::scc},
                                                                     {"src_scc", Kind::scc},
                                                                     {"vccz", Kind::vccz},
                                                                     {"src_vccz", Kind::vccz},
                                                                     {"execz", Kind::execz},
                                                                     {"src_execz", Kind::execz},
                                                                     {"off", Kind::off}};
    return names;
}

/// Takes -x, |x|, neg(x), abs(x), sext(x) and lit(x) off.
void read_wrappings(std::string_view& text, Operand& o)
{
    const auto inside = [&](std::string_view begin) {
        if(!text.starts_with(begin) || text.size() < begin.size() + 2)
            return false;
        text = text.substr(begin.size(), text.size() - begin.size() - 1);
        return true;
    };
    for(;;)
    {
        if(text.size() > 1 && text[0] == '-' && (letter(text[1]) || text[1] == '|'))
        {
            o.neg = true;
            text.remove_prefix(1);
        }
        else if(inside("neg("))
            o.neg = true;
        else if(inside("abs(") || inside("|"))
            o.abs = true;
        else if(inside("sext("))
            o.sext = true;
        else if(inside("lit(") || inside("lit64(")) // what newer disassemblers write of literals
            o.lit = true;
        else
            return;
    }
}

bool read_constant(std::string_view text, Operand& o)
{
    if(text.empty() || !(digit(text[0]) || (text[0] == '-' && text.size() > 1 && digit(text[1]))))
        return false;
    const std::string copy(text);
    char* end = nullptr;
    o.kind    = Kind::constant;
    o.lit     = o.lit || copy.find("0x") != std::string::npos;
    o.flt     = !o.lit && copy.find('.') != std::string::npos;
    if(o.flt)
        o.f = strtod(copy.c_str(), &end);
    else if(copy[0] == '-')
        o.imm = strtoll(copy.c_str(), &end, 0);
    else
        o.imm = static_cast<int64_t>(strtoull(copy.c_str(), &end, 0));
    return *end == 0;
}

/// `high`: written with .h, the upper half of its register.
bool read_operand(std::string_view text, Operand& o, bool& high)
{
    o = Operand();
    read_wrappings(text, o);
    high = text.ends_with(".h");
    if(high || text.ends_with(".l"))
        text.remove_suffix(2);
    int first = 0, count = 0;
    const auto of = [&](Kind kind, int base) {
        o.kind = kind;
        o.reg  = static_cast<uint16_t>(base + first);
        o.n    = static_cast<uint8_t>(count);
        return true;
    };
    if(text.starts_with("v") && registers(text.substr(1), first, count))
        return of(Kind::vector, 0);
    if(text.starts_with("a") && registers(text.substr(1), first, count))
        return of(Kind::vector, 256);
    if(text.starts_with("s") && registers(text.substr(1), first, count))
        return of(Kind::scalar, 0);
    if(text.starts_with("ttmp") && registers(text.substr(4), first, count))
        return of(Kind::scalar, reg_ttmp);
    if(const auto name = named_registers().find(text); name != named_registers().end())
    {
        count = name->second.count;
        return of(Kind::scalar, name->second.index);
    }
    if(const auto name = named_values().find(text); name != named_values().end())
    {
        o.kind = name->second;
        return true;
    }
    return read_constant(text, o);
}

/// [1,0,1] as bits, the first the lowest.
uint8_t bits(const std::string& list)
{
    int all = 0, at = 0;
    for(const char c : list)
        if(c == '0' || c == '1')
            all |= (c - '0') << at++;
    return static_cast<uint8_t>(all);
}
uint8_t entries(const std::string& list)
{
    return static_cast<uint8_t>(std::count_if(list.begin(), list.end(), digit));
}

uint8_t select(const std::string& name)
{
    static const std::unordered_map<std::string_view, Select> names = {{"BYTE_0", sel_b0},
                                                                       {"BYTE_1", sel_b1},
                                                                       {"BYTE_2", sel_b2},
                                                                       {"BYTE_3", sel_b3},
                                                                       {"WORD_0", sel_w0},
                                                                       {"WORD_1", sel_w1}};
    const auto found                                                = names.find(name);
    return found == names.end() ? sel_dw : found->second;
}

/// A modifier's value as text and as a number.
struct Value
{
    std::string text;
    int number() const { return static_cast<int>(strtol(text.c_str(), nullptr, 0)); }
};
using Modifier = void (*)(Instruction&, const Value&);

void permute(Instruction& inst, Dpp dpp, const Value& v)
{
    inst.dpp = dpp;
    int i    = 0;
    for(const char c : v.text)
        if(digit(c) && i < 8)
            inst.dppv[i++] = static_cast<uint8_t>(c - '0');
}
template <Dpp dpp>
void rows(Instruction& inst, const Value& v)
{
    inst.dpp     = dpp;
    inst.dppv[0] = static_cast<uint8_t>(v.number());
}
void ignored(Instruction&, const Value&) {} // caches, and waits for operands

const std::unordered_map<std::string_view, Modifier>& modifiers()
{
    static const std::unordered_map<std::string_view, Modifier> table = {
        {"offset", [](Instruction& i, const Value& v) { i.offset = v.number(); }},
        {"offset0", [](Instruction& i, const Value& v) { i.offset0 = v.number(); }},
        {"offset1", [](Instruction& i, const Value& v) { i.offset1 = v.number(); }},
        {"glc", [](Instruction& i, const Value&) { i.glc = true; }},
        {"sc0", [](Instruction& i, const Value&) { i.glc = true; }},
        {"th",
         [](Instruction& i, const Value& v) {
             i.glc = i.glc || v.text.find("RETURN") != std::string::npos;
         }},
        {"slc", ignored},
        {"dlc", ignored},
        {"nt", ignored},
        {"sc1", ignored},
        {"scope", ignored},
        {"nv", ignored},
        {"scc", ignored},
        {"wait_exp", ignored},
        {"wait_vdst", ignored},
        {"wait_va_vdst", ignored},
        {"wait_vm_vsrc", ignored},
        {"offen", [](Instruction& i, const Value&) { i.offen = true; }},
        {"idxen", [](Instruction& i, const Value&) { i.idxen = true; }},
        {"lds", [](Instruction& i, const Value&) { i.lds = true; }},
        {"clamp", [](Instruction& i, const Value&) { i.clamp = 1; }},
        {"mul", [](Instruction& i, const Value& v) { i.omod = v.number() == 2 ? 1 : 2; }},
        {"div", [](Instruction& i, const Value&) { i.omod = 3; }},
        {"op_sel",
         [](Instruction& i, const Value& v) {
             i.op_sel   = bits(v.text);
             i.n_op_sel = entries(v.text);
         }},
        {"op_sel_hi", [](Instruction& i, const Value& v) { i.op_sel_hi = bits(v.text); }},
        {"neg_lo", [](Instruction& i, const Value& v) { i.neg_lo = bits(v.text); }},
        {"neg_hi", [](Instruction& i, const Value& v) { i.neg_hi = bits(v.text); }},
        {"bitop3",
         [](Instruction& i, const Value& v) { i.bitop3 = static_cast<uint8_t>(v.number()); }},
        {"cbsz", [](Instruction& i, const Value& v) { i.cbsz = static_cast<uint8_t>(v.number()); }},
        {"abid", [](Instruction& i, const Value& v) { i.abid = static_cast<uint8_t>(v.number()); }},
        {"blgp", [](Instruction& i, const Value& v) { i.blgp = static_cast<uint8_t>(v.number()); }},
        // gfx940's MFMA of f64: the signs of A, B and C have blgp's bits.
        {"neg", [](Instruction& i, const Value& v) { i.blgp = bits(v.text); }},
        {"quad_perm", [](Instruction& i, const Value& v) { permute(i, dpp_quad, v); }},
        {"dpp8", [](Instruction& i, const Value& v) { permute(i, dpp_8, v); }},
        {"row_shl", rows<dpp_shl>},
        {"row_shr", rows<dpp_shr>},
        {"row_ror", rows<dpp_ror>},
        {"wave_shl", rows<dpp_wshl>},
        {"wave_rol", rows<dpp_wrol>},
        {"wave_shr", rows<dpp_wshr>},
        {"wave_ror", rows<dpp_wror>},
        {"row_mirror", rows<dpp_mirror>},
        {"row_half_mirror", rows<dpp_hmirror>},
        {"row_newbcast", rows<dpp_share>},
        {"row_share", rows<dpp_share>},
        {"row_xmask", rows<dpp_xmask>},
        {"row_bcast",
         [](Instruction& i, const Value& v) {
             i.dpp = v.number() == 15 ? dpp_bcast15 : dpp_bcast31;
         }},
        {"row_mask",
         [](Instruction& i, const Value& v) { i.dpp_row_mask = static_cast<uint8_t>(v.number()); }},
        {"bank_mask",
         [](Instruction& i, const Value& v) {
             i.dpp_bank_mask = static_cast<uint8_t>(v.number());
         }},
        {"bound_ctrl", [](Instruction& i, const Value&) { i.dpp_bc = 1; }},
        {"fi", [](Instruction& i, const Value& v) { i.dpp_fi = static_cast<uint8_t>(v.number()); }},
        {"dst_sel",
         [](Instruction& i, const Value& v) {
             i.sdwa    = true;
             i.dst_sel = select(v.text);
         }},
        {"dst_unused",
         [](Instruction& i, const Value& v) {
             i.sdwa       = true;
             i.dst_unused = v.text == "UNUSED_PRESERVE" ? 2 : v.text == "UNUSED_SEXT" ? 1 : 0;
         }},
        {"src0_sel",
         [](Instruction& i, const Value& v) {
             i.sdwa    = true;
             i.ssel[0] = select(v.text);
         }},
        {"src1_sel",
         [](Instruction& i, const Value& v) {
             i.sdwa    = true;
             i.ssel[1] = select(v.text);
         }},
        {"byte_sel",
         [](Instruction& i, const Value& v) { i.byte_sel = static_cast<uint8_t>(v.number()); }},
    };
    return table;
}

} // namespace

InstructionText read_operands(const std::string& text, Instruction& inst)
{
    InstructionText read;
    for(const std::string& piece : split(text, ','))
    {
        bool first = true;
        for(const std::string& word : split(piece, ' '))
        {
            Operand operand;
            bool high = false;
            if(first && read_operand(word, operand, high))
            {
                if(high)
                    read.high_halves |= 1u << read.operands.size();
                read.operands.push_back(operand);
                first = false;
                continue;
            }
            first                     = false;
            const size_t colon        = word.find(':');
            const std::string keyword = word.substr(0, colon);
            const auto modifier       = modifiers().find(keyword);
            if(modifier == modifiers().end())
            {
                read.unknown.push_back(word);
                continue;
            }
            modifier->second(inst, {colon == std::string::npos ? "" : word.substr(colon + 1)});
            read.has_op_sel_hi = read.has_op_sel_hi || keyword == "op_sel_hi";
        }
    }
    return read;
}

} // namespace emu
