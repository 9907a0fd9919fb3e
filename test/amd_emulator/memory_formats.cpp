// Formats of loads and stores: their names, and which part of a register they fill.

#include "memory_access.hpp"
#include <map>

namespace emu {
bool parse_format(const std::string& s, FormatInfo& o)
{
    static const std::map<std::string, FormatInfo> m = {{"ubyte", {format_u8, 1}},
                                                        {"u8", {format_u8, 1}},
                                                        {"sbyte", {format_i8, 1}},
                                                        {"i8", {format_i8, 1}},
                                                        {"byte", {format_u8, 1}},
                                                        {"b8", {format_u8, 1}},
                                                        {"ushort", {format_u16, 2}},
                                                        {"u16", {format_u16, 2}},
                                                        {"sshort", {format_i16, 2}},
                                                        {"i16", {format_i16, 2}},
                                                        {"short", {format_u16, 2}},
                                                        {"b16", {format_u16, 2}},
                                                        {"short_d16", {format_d16, 2}},
                                                        {"d16_b16", {format_d16, 2}},
                                                        {"u16_d16", {format_d16, 2}},
                                                        {"short_d16_hi", {format_d16hi, 2}},
                                                        {"d16_hi_b16", {format_d16hi, 2}},
                                                        {"u16_d16_hi", {format_d16hi, 2}},
                                                        {"ubyte_d16", {format_u8d16, 1}},
                                                        {"d16_u8", {format_u8d16, 1}},
                                                        {"u8_d16", {format_u8d16, 1}},
                                                        {"ubyte_d16_hi", {format_u8d16hi, 1}},
                                                        {"d16_hi_u8", {format_u8d16hi, 1}},
                                                        {"u8_d16_hi", {format_u8d16hi, 1}},
                                                        {"sbyte_d16", {format_i8d16, 1}},
                                                        {"d16_i8", {format_i8d16, 1}},
                                                        {"i8_d16", {format_i8d16, 1}},
                                                        {"sbyte_d16_hi", {format_i8d16hi, 1}},
                                                        {"d16_hi_i8", {format_i8d16hi, 1}},
                                                        {"i8_d16_hi", {format_i8d16hi, 1}},
                                                        {"byte_d16_hi", {format_u8d16hi, 1}},
                                                        {"d16_hi_b8", {format_u8d16hi, 1}},
                                                        {"b8_d16_hi", {format_u8d16hi, 1}},
                                                        {"b16_d16_hi", {format_d16hi, 2}},
                                                        {"dword", {format_dw, 4}},
                                                        {"b32", {format_dw, 4}},
                                                        {"dwordx2", {format_dw, 8}},
                                                        {"b64", {format_dw, 8}},
                                                        {"dwordx3", {format_dw, 12}},
                                                        {"b96", {format_dw, 12}},
                                                        {"dwordx4", {format_dw, 16}},
                                                        {"b128", {format_dw, 16}},
                                                        {"dwordx8", {format_dw, 32}},
                                                        {"b256", {format_dw, 32}},
                                                        {"dwordx16", {format_dw, 64}},
                                                        {"b512", {format_dw, 64}}};
    auto it                                          = m.find(s);
    if(it == m.end())
        return false;
    o = it->second;
    return true;
}
void write_small(uint32_t& d, Format f, uint32_t x)
{
    bool clr = target.sramecc;
    switch(f)
    {
    case format_u8:
        d = (uint8_t)x;
        break;
    case format_i8:
        d = (int32_t)(int8_t)x;
        break;
    case format_u16:
        d = (uint16_t)x;
        break;
    case format_i16:
        d = (int32_t)(int16_t)x;
        break;
    case format_d16:
        d = (clr ? 0 : d & 0xffff0000u) | (uint16_t)x;
        break;
    case format_d16hi:
        d = (clr ? 0 : d & 0xffff) | x << 16;
        break;
    case format_u8d16:
        d = (clr ? 0 : d & 0xffff0000u) | (uint8_t)x;
        break;
    case format_u8d16hi:
        d = (clr ? 0 : d & 0xffff) | (uint32_t)(uint8_t)x << 16;
        break;
    case format_i8d16:
        d = (clr ? 0 : d & 0xffff0000u) | (uint16_t)(int16_t)(int8_t)x;
        break;
    case format_i8d16hi:
        d = (clr ? 0 : d & 0xffff) | (uint32_t)(uint16_t)(int16_t)(int8_t)x << 16;
        break;
    default:
        d = x;
    }
}
uint32_t read_small(uint32_t d, Format f)
{
    return (f == format_d16hi || f == format_u8d16hi || f == format_i8d16hi) ? d >> 16 : d;
}
} // namespace emu
