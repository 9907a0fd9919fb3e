#pragma once
// Where an instruction's encoding has its operands, by the tables of AMD's ISA documents: an
// independent reading of what the emulator learns from disassembled text.
#include <cstdint>
#include <string>
#include <vector>

namespace emulator_test {

enum class Code
{
    vgpr,       // 8 bits
    source,     // 9 bits: a scalar source's 8, or a VGPR
    scalar,     // 8 bits (7 for destinations): registers, constants
    pair,       // a scalar register's number over 2
    descriptor, // over 4
    literal,
    offset
};
struct Field
{
    Code code;
    int first, bits;
};
/// One of the layouts of an encoding; `dwords`: without literal and without the dword of DPP and
/// SDWA.
struct Encoding
{
    const char* name;
    uint32_t mask, value; // mask and value of the first dword
    int dwords;
    std::vector<Field> fields;
    int source_0 = -1; // bit of the 9 or 8 bits that may announce a dword more
    int source_1 = -1; // index of a second scalar source that may be a literal
};

inline std::vector<Encoding> encodings(int generation)
{
    using enum Code;
    const bool gfx9 = generation == 9, gfx12 = generation >= 12;
    const Field source_0{source, 0, 9}, vgpr_1{vgpr, 9, 8}, destination{vgpr, 17, 8};
    std::vector<Encoding> all{
        {"SOP1", 0xff800000, 0xbe800000, 1, {{scalar, 16, 7}, {scalar, 0, 8}}, 0},
        {"SOPC", 0xff800000, 0xbf000000, 1, {{scalar, 0, 8}, {scalar, 8, 8}}, 0, 8},
        {"SOPP", 0xff800000, 0xbf800000, 1, {}},
        {"SOPK", 0xf0000000, 0xb0000000, 1, {{scalar, 16, 7}}},
        {"SOP2",
         0xc0000000,
         0x80000000,
         1,
         {{scalar, 16, 7}, {scalar, 0, 8}, {scalar, 8, 8}},
         0,
         8},
        {"VOP1", 0xfe000000, 0x7e000000, 1, {destination, source_0}, 0},
        {"VOPC", 0xfe000000, 0x7c000000, 1, {source_0, vgpr_1}, 0},
        {"VOP2", 0x80000000, 0x00000000, 1, {destination, source_0, vgpr_1}, 0},
        {"VOP3",
         gfx9 ? 0xfc000000 : 0xfc000000,
         gfx9 ? 0xd0000000 : 0xd4000000,
         2,
         {{vgpr, 0, 8}, {source, 32, 9}, {source, 41, 9}, {source, 50, 9}},
         gfx9 ? -1 : 32},
        {"DS",
         0xfc000000,
         0xd8000000,
         2,
         {{vgpr, 32, 8}, {vgpr, 40, 8}, {vgpr, 48, 8}, {vgpr, 56, 8}, {offset, 0, 8}}},
        {"SMEM",
         0xfc000000,
         gfx9 ? 0xc0000000 : 0xf4000000,
         2,
         {{pair, 0, 6}, {scalar, 6, 7}, {offset, 32, 8}}},
    };
    if(!gfx9)
    {
        all.push_back({"VOP3P",
                       0xff000000,
                       0xcc000000,
                       2,
                       {{vgpr, 0, 8}, {source, 32, 9}, {source, 41, 9}, {source, 50, 9}},
                       32});
        all.push_back(
            {"VOPD",
             0xfc000000,
             0xc8000000,
             2,
             {{source, 0, 9}, {vgpr, 9, 8}, {source, 32, 9}, {vgpr, 41, 8}, {vgpr, 56, 8}},
             0});
    }
    if(gfx12)
    {
        all.push_back(
            {"VFLAT",
             0xfc000000,
             0xec000000,
             3,
             {{scalar, 0, 7}, {vgpr, 32, 8}, {vgpr, 55, 8}, {vgpr, 64, 8}, {offset, 72, 8}}});
        all.push_back({"VBUFFER",
                       0xfc000000,
                       0xc4000000,
                       3,
                       {{scalar, 0, 7}, {vgpr, 32, 8}, {vgpr, 64, 8}, {offset, 72, 8}}});
    }
    else
    {
        all.push_back(
            {"FLAT",
             0xfc000000,
             0xdc000000,
             2,
             {{vgpr, 32, 8}, {vgpr, 40, 8}, {scalar, 48, 7}, {vgpr, 56, 8}, {offset, 0, 8}}});
        all.push_back(
            {"MUBUF",
             0xfc000000,
             0xe0000000,
             2,
             {{vgpr, 32, 8}, {vgpr, 40, 8}, {descriptor, 48, 5}, {scalar, 56, 8}, {offset, 0, 8}}});
    }
    return all;
}

} // namespace emulator_test
