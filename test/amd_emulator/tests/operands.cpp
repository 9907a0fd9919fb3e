// How the emulator reads instructions. Every form of instruction in the test programs of this build
// has a handler. If a field of its encoding is changed, exactly the operand that the field encodes
// changes.
#include "encoding.hpp"
#include "step.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace emulator_test::operands {

/// The text sections of a program's code objects for one target.
std::vector<std::vector<uint32_t>> code_of(const std::filesystem::path& program,
                                           const std::string& target)
{
    std::ifstream stream(program, std::ios::binary);
    const std::vector<char> file((std::istreambuf_iterator<char>(stream)),
                                 std::istreambuf_iterator<char>());
    const auto number = [&](size_t at, int bytes) {
        uint64_t x = 0;
        if(at + static_cast<size_t>(bytes) <= file.size())
            std::memcpy(&x, &file[at], static_cast<size_t>(bytes));
        return x;
    };
    const std::string magic =
        std::string("__CLANG_OFFLOAD_") + "BUNDLE__"; // so that the name itself is not found here
    std::vector<std::vector<uint32_t>> sections;
    for(auto at = file.begin();
        (at = std::search(at, file.end(), magic.begin(), magic.end())) != file.end();
        ++at)
    {
        const auto bundle = static_cast<size_t>(at - file.begin());
        size_t entry      = bundle + magic.size() + 8;
        for(uint64_t i = number(bundle + magic.size(), 8); i > 0 && i < 100; --i)
        {
            const size_t object = bundle + number(entry, 8), size = number(entry + 8, 8),
                         name_size = number(entry + 16, 8);
            if(entry + 24 + name_size > file.size())
                break;
            const std::string name(&file[entry + 24], name_size);
            entry += 24 + name_size;
            if(size == 0 || name.find(target) == std::string::npos)
                continue;
            // Section headers: e_shoff, e_shnum; those that are executable.
            for(uint64_t s = 0; s < number(object + 60, 2); ++s)
            {
                const size_t header = object + number(object + 40, 8) + 64 * s;
                if(number(header + 4, 4) != 1 || (number(header + 8, 8) & 4) == 0)
                    continue;
                std::vector<uint32_t> text(number(header + 32, 8) / 4);
                std::memcpy(text.data(), &file[object + number(header + 24, 8)], text.size() * 4);
                sections.push_back(std::move(text));
            }
        }
    }
    return sections;
}

struct Instruction
{
    const Encoding* encoding;
    std::vector<uint32_t> dwords;
    bool has_literal;

    uint32_t get(int first, int bits) const
    {
        const uint64_t both =
            dwords[first / 32] | (first / 32 + 1 < static_cast<int>(dwords.size())
                                      ? static_cast<uint64_t>(dwords[first / 32 + 1]) << 32
                                      : 0);
        return static_cast<uint32_t>(both >> first % 32 & ((uint64_t{1} << bits) - 1));
    }
    void set(int first, int bits, uint32_t value)
    {
        for(int b = 0; b < bits; ++b)
        {
            uint32_t& dword = dwords[(first + b) / 32];
            dword = (dword & ~(1u << (first + b) % 32)) | (value >> b & 1) << (first + b) % 32;
        }
    }
};

constexpr uint32_t literal_code = 255, sdwa_code = 249, dpp_code = 250, dpp8_codes[] = {233, 234};
bool adds_dword(uint32_t code, int generation)
{
    return code == literal_code || code == sdwa_code || code == dpp_code ||
           (generation >= 10 && (code == dpp8_codes[0] || code == dpp8_codes[1]));
}

/// The instruction at `at`; its size by the encoding alone. Nothing at what is no instruction of
/// the tables.
std::optional<Instruction>
read(const std::vector<Encoding>& all, const std::vector<uint32_t>& text, size_t at, int generation)
{
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Encoding& e) { return (text[at] & e.mask) == e.value; });
    if(found == all.end() || at + static_cast<size_t>(found->dwords) > text.size())
        return {};
    Instruction inst{&*found,
                     {text.begin() + static_cast<long>(at),
                      text.begin() + static_cast<long>(at) + found->dwords},
                     false};
    const std::string name = found->name;
    bool more              = false;
    const auto look_at     = [&](int bit, int bits) {
        const uint32_t code = inst.get(bit, bits);
        more                = more || adds_dword(code, generation);
        inst.has_literal    = inst.has_literal || code == literal_code;
    };
    if(found->source_0 >= 0)
        look_at(found->source_0, name.starts_with("V") ? 9 : 8);
    if(found->source_1 >= 0)
        look_at(found->source_1, 8);
    if(name.starts_with("VOP3") && generation >= 10)
        for(const int bit : {41, 50})
            look_at(bit, 9);
    if(name == "VOPD")
        look_at(32, 9);
    // Operations that end in a constant: v_madmk, v_madak, v_fmamk, v_fmaak; s_setreg_imm32; their
    // dual ones.
    const uint32_t opcode = text[at] >> 25 & 0x3f, scalar_opcode = text[at] >> 23 & 0x1f;
    const bool f32_constant =
        generation == 9    ? opcode == 23 || opcode == 24 || opcode == 36 || opcode == 37
        : generation == 10 ? opcode == 32 || opcode == 33 || opcode == 44 || opcode == 45 ||
                                 opcode == 55 || opcode == 56
                           : opcode == 44 || opcode == 45 || opcode == 55 || opcode == 56;
    if((name == "VOP2" && f32_constant) ||
       (name == "SOPK" && scalar_opcode == (generation == 9    ? 20u
                                            : generation == 10 ? 21u
                                                               : 19u)))
        more = inst.has_literal = true;
    if(name == "VOPD")
        for(const uint32_t op : {text[at] >> 22 & 15, text[at] >> 17 & 31})
            if(op == 1 || op == 2)
                more = inst.has_literal = true;
    if(more && at + inst.dwords.size() < text.size())
        inst.dwords.push_back(text[at + inst.dwords.size()]);
    return inst;
}

struct Operand
{
    int32_t kind, reg, count, negated, absolute;
    int64_t constant;

    /// The count is left out: an address has one register less with a scalar one.
    bool operator==(const Operand& o) const
    {
        return kind == o.kind && reg == o.reg && negated == o.negated && absolute == o.absolute &&
               constant == o.constant;
    }
};
enum Kind
{
    none,
    vector,
    scalar,
    constant
};

/// What the emulator makes of it.
struct Decoded
{
    std::string text;
    bool has_handler;
    uint32_t size;
    std::vector<Operand> operands;
    int offsets[3];
};
template <class F>
F* function(const char* name)
{
    return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}
Decoded decode(const std::vector<uint32_t>& dwords, int lanes)
{
    static const auto decode_bytes = function<void*(const void*, size_t, int)>("emu_decode_bytes");
    static const auto operand      = function<bool(void*, int, int, Operand*)>("emu_operand");
    void* const inst               = decode_bytes(dwords.data(), dwords.size() * 4, lanes);
    Decoded decoded{function<const char*(void*)>("emu_text")(inst),
                    function<bool(void*)>("emu_has_handler")(inst),
                    function<uint32_t(void*)>("emu_size")(inst),
                    {},
                    {}};
    Operand one{};
    for(const int half : {0, 1})
        for(int i = 0; operand(inst, half, i, &one); ++i)
            decoded.operands.push_back(one);
    for(int i = 0; i < 3; ++i)
        decoded.offsets[i] = function<int(void*, int)>("emu_offset")(inst, i);
    return decoded;
}

/// A form: what tells handlers and ways of reading apart; registers and constants are left out.
std::string form(const std::string& text)
{
    std::string f;
    for(size_t i = 0; i < text.size(); ++i)
        if(isdigit(static_cast<unsigned char>(text[i])) && text.find(' ') < i)
        {
            f += '#';
            while(i + 1 < text.size() && (isxdigit(static_cast<unsigned char>(text[i + 1])) ||
                                          text[i + 1] == 'x' || text[i + 1] == '.'))
                ++i;
        }
        else
            f += text[i];
    return f;
}

/// A register's code in a field, and the operand that it is.
struct Choice
{
    uint32_t code;
    Kind kind;
    int value;
};
std::vector<Choice> choices(Code code)
{
    switch(code)
    {
    case Code::vgpr:
        return {{12, vector, 12}, {104, vector, 104}, {200, vector, 200}};
    case Code::source:
        return {{256 + 12, vector, 12},
                {256 + 200, vector, 200},
                {40, scalar, 40},
                {96, scalar, 96},
                {128, constant, 0},
                {150, constant, 22},
                {195, constant, -3}};
    case Code::scalar:
        return {{16, scalar, 16}, {96, scalar, 96}, {128 + 7, constant, 7}};
    case Code::pair:
        return {{8, scalar, 16}, {24, scalar, 48}};
    case Code::descriptor:
        return {{4, scalar, 16}, {12, scalar, 48}};
    default:
        return {};
    }
}

/// Whether the operand became what was chosen for the field.
bool is_chosen(const Operand& was, const Operand& is, Code code, const Choice& choice)
{
    if(is.kind == was.kind && is.count != was.count)
        return false;
    // Comparisons have a scalar destination in the field of a VGPR, some SDWA operands are scalar
    // there.
    if(code == Code::vgpr && was.kind == scalar)
        return is.kind == scalar && is.reg == choice.value;
    if(is.kind != choice.kind)
        return false;
    switch(choice.kind)
    {
    case constant:
        return is.constant == choice.value;
    case vector:
        return is.reg % 256 == choice.value; // a bit elsewhere makes it an AGPR, which follow VGPRs
    default:
        return is.reg == choice.value;
    }
}

class EmulatedOperands : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be decoded";
    }
    const std::string device = device_name();
    const int generation     = device.starts_with("gfx9") ? 9 : std::stoi(device.substr(3, 2));
    const int lanes          = wave_size();
    const std::vector<Encoding> all = encodings(generation);

    static std::filesystem::path itself() { return std::filesystem::canonical("/proc/self/exe"); }

    /// The test programs beside this one, the library of this build, and this program, whose
    /// kernels are tests themselves: last, so that what it shares with others is found in them.
    static std::vector<std::filesystem::path> programs()
    {
        const auto folder = itself().parent_path();
        std::vector<std::filesystem::path> found;
        for(const auto& file : std::filesystem::directory_iterator(folder))
            if(file.is_regular_file() && file.path().filename().string().starts_with("test_") &&
               file.path() != itself())
                found.push_back(file.path());
        const auto library = folder.parent_path() / "library";
        if(std::filesystem::is_directory(library))
            for(const auto& file : std::filesystem::directory_iterator(library))
                if(file.path().extension() == ".a")
                    found.push_back(file.path());
        found.push_back(itself());
        return found;
    }

    /// Returns one instruction of each form that these contain.
    std::map<std::string, Instruction> forms() const
    {
        std::map<std::string, Instruction> found;
        std::set<std::vector<uint32_t>> seen; // words without the bits of registers
        const std::vector<std::filesystem::path> files = programs();
        for(const std::filesystem::path& program : files)
            for(const std::vector<uint32_t>& text : code_of(program, device))
                for(size_t at = 0; at < text.size();)
                {
                    const auto inst = read(all, text, at, generation);
                    if(!inst)
                    {
                        ADD_FAILURE() << program << ": " << std::hex << text[at]
                                      << " is of no encoding of the tables";
                        return found;
                    }
                    at += inst->dwords.size();
                    if(inst->dwords ==
                       std::vector<uint32_t>{0}) // fills the space between functions
                        continue;
                    Instruction blank = *inst;
                    for(const Field& field : inst->encoding->fields)
                        if(field.code == Code::vgpr)
                            blank.set(field.first, field.bits, 0);
                        else if(field.code == Code::source && blank.get(field.first, 9) >= 256)
                            blank.set(field.first, 8, 0);
                        else if(field.code != Code::offset && field.code != Code::source &&
                                blank.get(field.first, field.bits) < 100)
                            blank.set(field.first, field.bits, 0);
                    if(std::string(inst->encoding->name) == "SOPP" || inst->has_literal)
                        blank.dwords.back() &=
                            inst->has_literal ? 0 : 0xffff0000; // targets of jumps, constants
                    if(!seen.insert(blank.dwords).second)
                        continue;
                    const Decoded decoded = decode(inst->dwords, lanes);
                    EXPECT_EQ(decoded.size, inst->dwords.size() * 4) << decoded.text;
                    if(program != itself())
                        note(in_use(), decoded.text);
                    found.emplace(form(decoded.text), *inst);
                }
        EXPECT_GT(found.size(), 100u) << "of " << files.size() << " files";
        RecordProperty("forms", static_cast<int>(found.size()));
        printf("%zu forms of instructions in %zu files\n", found.size(), files.size());
        return found;
    }

    /// How often the field was changed and the operand with it.
    int change(const Instruction& inst, const Decoded& before, const Field& field) const
    {
        int changes = 0;
        for(Choice choice : choices(field.code))
        {
            Instruction other  = inst;
            const uint32_t old = other.get(field.first, field.bits);
            if(std::string(inst.encoding->name) == "VOPD" && field.first == 56)
            {
                // One of two destinations is odd and one even; the other's field leaves that bit
                // out.
                choice.code |= old & 1;
                choice.value |= static_cast<int>(old & 1);
            }
            if(choice.code >> field.bits != 0 || old == choice.code ||
               (inst.has_literal && old == literal_code) || adds_dword(old, generation))
                continue; // literals, DPP and SDWA take a dword that another code has not
            other.set(field.first, field.bits, choice.code);
            const Decoded after = decode(other.dwords, lanes);
            // Codes that the form does not take, fields that it does not have, other forms of the
            // same bits.
            if(after.size != before.size || after.text == before.text || !after.has_handler ||
               after.text.find(".h") !=
                   std::string::npos || // bit 7 of a VGPR of 16 bits is its half
               after.operands.size() != before.operands.size() ||
               after.text.substr(0, after.text.find(' ')) !=
                   before.text.substr(0, before.text.find(' ')))
                continue;
            bool found = false;
            for(size_t i = 0; i < after.operands.size(); ++i)
            {
                const Operand &was = before.operands[i], &is = after.operands[i];
                found = found || was != is;
                if(was == is ||
                   (field.code == Code::vgpr && was.kind == scalar && choice.value > 101))
                    continue;
                EXPECT_TRUE(is_chosen(was, is, field.code, choice))
                    << before.text << "\n"
                    << after.text << "\noperand " << i << " has kind " << is.kind << ", register "
                    << is.reg << ", constant " << is.constant << "; the field at " << field.first
                    << " is " << choice.value << " of kind " << choice.kind;
            }
            EXPECT_TRUE(found || before.text.starts_with("s_sendmsg")) // whose operand is a message
                << before.text << "\n"
                << after.text << "\nno operand changed";
            ++changes;
        }
        return changes;
    }
};

TEST_F(EmulatedOperands, AreWhatTheEncodingSays)
{
    int changes = 0, without = 0;
    for(const auto& [name, inst] : forms())
    {
        const Decoded before = decode(inst.dwords, lanes);
        EXPECT_TRUE(before.has_handler) << before.text;
        int own = 0;
        for(const Field& field : inst.encoding->fields)
            if(field.code != Code::offset)
                own += change(inst, before, field);
            else
            {
                Instruction other = inst;
                other.set(field.first, field.bits, 0x24);
                const Decoded after = decode(other.dwords, lanes);
                if(after.size != before.size || after.text == before.text || !after.has_handler ||
                   after.text.find("offset") == std::string::npos ||
                   after.text.find("swizzle") != std::string::npos)
                    continue;
                // The low byte of an offset, or the first of two.
                EXPECT_TRUE((after.offsets[0] & 255) == 0x24 || after.offsets[1] == 0x24)
                    << after.text;
                ++own;
            }
        if(inst.has_literal)
        {
            Instruction other   = inst;
            other.dwords.back() = 0x1234;
            const Decoded after = decode(other.dwords, lanes);
            const bool has =
                std::any_of(after.operands.begin(), after.operands.end(), [](const Operand& o) {
                    return o.kind == constant && o.constant == 0x1234;
                });
            EXPECT_TRUE(has || after.text.starts_with("s_setreg")) << after.text;
        }
        changes += own;
        without += own == 0;
    }
    printf("%d changed fields; %d forms have none\n", changes, without);
    EXPECT_GT(changes, 500);
}

} // namespace emulator_test::operands
