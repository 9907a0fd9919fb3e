// LLVM's disassembler, through its C interface: the newest libLLVM that is installed, or
// EMU_LIBLLVM.
#include "disassembler.hpp"

#include "target.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace emu {

namespace {

constexpr int newest_llvm = 22, oldest_llvm = 19;

using Context = void*;
struct Llvm
{
    Context (*create)(const char* triple,
                      const char* cpu,
                      const char* features,
                      void* info,
                      int tag,
                      void* get_op_info,
                      void* symbol_lookup);
    size_t (*disassemble)(
        Context, const uint8_t* bytes, uint64_t size, uint64_t pc, char* text, size_t text_size);
};

void* open_library()
{
    if(const char* const path = getenv("EMU_LIBLLVM"))
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for(int version = newest_llvm; version >= oldest_llvm; --version)
        for(const char* form : {"libLLVM.so.%d.1", "libLLVM-%d.so.1", "libLLVM-%d.so"})
        {
            char name[32];
            snprintf(name, sizeof name, form, version);
            if(void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
                return library;
        }
    return nullptr;
}

void* symbol(void* library, const char* name)
{
    void* const found = dlsym(library, name);
    if(found == nullptr)
    {
        fprintf(stderr, "emu: libLLVM has no %s\n", name);
        abort();
    }
    return found;
}

Llvm load()
{
    void* const library = open_library();
    if(library == nullptr)
    {
        fprintf(stderr,
                "emu: cannot load libLLVM, versions %d to %d were looked for (EMU_LIBLLVM names "
                "another): %s\n",
                oldest_llvm,
                newest_llvm,
                dlerror());
        abort();
    }
    for(const char* part : {"TargetInfo", "TargetMC", "Disassembler"})
        reinterpret_cast<void (*)()>(
            symbol(library, (std::string("LLVMInitializeAMDGPU") + part).c_str()))();
    return {
        reinterpret_cast<decltype(Llvm::create)>(symbol(library, "LLVMCreateDisasmCPUFeatures")),
        reinterpret_cast<decltype(Llvm::disassemble)>(symbol(library, "LLVMDisasmInstruction"))};
}

Context context(const Llvm& llvm, int wave)
{
    static std::map<std::pair<std::string, int>, Context> contexts;
    Context& found = contexts[{target.name, wave}];
    if(found != nullptr)
        return found;
    const char* const features = target.generation < gfx10 ? ""
                                 : wave == 64              ? "-wavefrontsize32,+wavefrontsize64"
                                                           : "+wavefrontsize32,-wavefrontsize64";
    found                      = llvm.create(
        "amdgcn-amd-amdhsa", target.name.c_str(), features, nullptr, 0, nullptr, nullptr);
    if(found == nullptr)
    {
        fprintf(stderr, "emu: libLLVM has no disassembler for %s\n", target.name.c_str());
        abort();
    }
    return found;
}

/// The text without comments, with single blanks, and none at the ends.
std::string tidied(std::string text)
{
    for(char& c : text)
        if(c == '\t')
            c = ' ';
    text.resize(std::min({text.size(), text.find("//"), text.find(';')}));
    const size_t first = text.find_first_not_of(' ');
    if(first == std::string::npos)
        return "";
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

} // namespace

std::string disassemble(const uint8_t* bytes, size_t size, int wave, uint32_t& instruction_size)
{
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    static const Llvm llvm = load();
    char text[512];
    const auto read = [&](const uint8_t* from) {
        return static_cast<uint32_t>(
            llvm.disassemble(context(llvm, wave), from, size, 0, text, sizeof text));
    };
    instruction_size = read(bytes);
    // gfx10's v_cmpx writes EXEC. Compilers before clang 16 left 0 where its number belongs, which
    // LLVM 22 does not take.
    if(uint32_t word; instruction_size == 0 && target.generation == gfx10 && size >= 8 &&
                      (std::memcpy(&word, bytes, 4), word >> 26 == 0x35) && (word & 0xff) == 0)
    {
        std::vector<uint8_t> mended(bytes, bytes + size);
        mended[0] = 126; // EXEC
        if(const uint32_t of_mended = read(mended.data()); strstr(text, "v_cmpx_") != nullptr)
            instruction_size = of_mended;
    }
    // Where an operand is none that the instruction may have, the disassembler says so in a
    // comment.
    return instruction_size == 0 || strstr(text, "/*") != nullptr ? "" : tidied(text);
}

} // namespace emu
