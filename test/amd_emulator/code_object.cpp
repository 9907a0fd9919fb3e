// Loads code objects: offload bundles, ELF, kernel descriptors and metadata.
#include "code_object.hpp"

#include "memory_map.hpp"
#include "message_pack.hpp"
#include "options.hpp"
#include "target.hpp"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <string_view>
#include <sys/mman.h>

namespace emu {

namespace {

template <class T>
T get(const void* from, size_t offset)
{
    T value;
    std::memcpy(&value, static_cast<const uint8_t*>(from) + offset, sizeof value);
    return value;
}

// Offload bundles: code objects of several targets.
constexpr char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
constexpr size_t magic_size   = sizeof bundle_magic - 1;
struct Bundled
{
    std::string target; // empty: the host's
    const uint8_t* data;
    uint64_t size;
};
std::vector<Bundled> bundled(const void* data)
{
    std::vector<Bundled> found;
    const auto* const bytes = static_cast<const uint8_t*>(data);
    if(std::memcmp(bytes, bundle_magic, magic_size) != 0)
        return found;
    const auto count = get<uint64_t>(bytes, magic_size);
    size_t at        = magic_size + 8;
    for(uint64_t i = 0; i < count; ++i)
    {
        const auto offset = get<uint64_t>(bytes, at), size = get<uint64_t>(bytes, at + 8),
                   name_size = get<uint64_t>(bytes, at + 16);
        const std::string name(reinterpret_cast<const char*>(bytes) + at + 24, name_size);
        const size_t gfx           = name.rfind("gfx");
        const std::string features = gfx == std::string::npos ? "" : name.substr(gfx);
        found.push_back({features.substr(0, features.find(':')), bytes + offset, size});
        at += 24 + name_size;
    }
    return found;
}

struct Elf
{
    const uint8_t* data;
    const Elf64_Ehdr& header() const { return *reinterpret_cast<const Elf64_Ehdr*>(data); }
    const Elf64_Phdr& segment(int i) const
    {
        return reinterpret_cast<const Elf64_Phdr*>(data + header().e_phoff)[i];
    }
    const Elf64_Shdr& section(int i) const
    {
        return reinterpret_cast<const Elf64_Shdr*>(data + header().e_shoff)[i];
    }
};

/// Copies the segments to their places.
void load_segments(const Elf& elf, Code& code)
{
    uint64_t top = 0;
    for(int i = 0; i < elf.header().e_phnum; ++i)
        if(elf.segment(i).p_type == PT_LOAD)
            top = std::max<uint64_t>(top, elf.segment(i).p_vaddr + elf.segment(i).p_memsz);
    code.image_size = (top + 0x3fff) & ~0x3fffull;
    code.image      = static_cast<uint8_t*>(
        mmap(nullptr, code.image_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for(int i = 0; i < elf.header().e_phnum; ++i)
    {
        const Elf64_Phdr& segment = elf.segment(i);
        if(segment.p_type != PT_LOAD)
            continue;
        std::memcpy(code.image + segment.p_vaddr, elf.data + segment.p_offset, segment.p_filesz);
        if(segment.p_flags & PF_X)
        {
            code.text     = reinterpret_cast<uint64_t>(code.image) + segment.p_vaddr;
            code.text_end = code.text + segment.p_memsz;
        }
    }
    code.decoded = std::vector<std::atomic<Instruction*>>((code.text_end - code.text) / 4 + 1);
    mem_add(reinterpret_cast<uint64_t>(code.image), code.image_size, "code object");
}

/// The dynamic symbols; relocations name them by their index.
const Elf64_Sym* read_symbols(const Elf& elf, Code& code)
{
    const Elf64_Sym* symbols = nullptr;
    for(int i = 0; i < elf.header().e_shnum; ++i)
    {
        const Elf64_Shdr& section = elf.section(i);
        if(section.sh_type != SHT_DYNSYM)
            continue;
        symbols = reinterpret_cast<const Elf64_Sym*>(elf.data + section.sh_offset);
        const char* const names =
            reinterpret_cast<const char*>(elf.data) + elf.section(section.sh_link).sh_offset;
        for(uint64_t s = 0; s < section.sh_size / sizeof(Elf64_Sym); ++s)
            if(symbols[s].st_shndx != 0)
                code.symbols[names + symbols[s].st_name] = {reinterpret_cast<uint64_t>(code.image) +
                                                                symbols[s].st_value,
                                                            symbols[s].st_size};
    }
    return symbols;
}

bool relocate(const Elf& elf, const Elf64_Sym* symbols, Code& code, std::string& error)
{
    constexpr uint32_t absolute_64 = 3, relative_64 = 13; // R_AMDGPU_ABS64, R_AMDGPU_RELATIVE64
    uint64_t table = 0, size = 0;
    for(int i = 0; i < elf.header().e_phnum; ++i)
        if(elf.segment(i).p_type == PT_DYNAMIC)
            for(auto* entry =
                    reinterpret_cast<const Elf64_Dyn*>(elf.data + elf.segment(i).p_offset);
                entry->d_tag != DT_NULL;
                ++entry)
            {
                if(entry->d_tag == DT_RELA)
                    table = entry->d_un.d_val;
                if(entry->d_tag == DT_RELASZ)
                    size = entry->d_un.d_val;
            }
    const auto base = reinterpret_cast<uint64_t>(code.image);
    for(uint64_t at = 0; table != 0 && at < size; at += sizeof(Elf64_Rela))
    {
        const auto relocation = get<Elf64_Rela>(code.image, table + at);
        const uint32_t type   = ELF64_R_TYPE(relocation.r_info),
                       symbol = ELF64_R_SYM(relocation.r_info);
        if(type != absolute_64 && type != relative_64)
        {
            error = "unknown relocation of type " + std::to_string(type);
            return false;
        }
        uint64_t value = base + relocation.r_addend;
        if(type == absolute_64)
            value = (symbol != 0 && symbols != nullptr ? base + symbols[symbol].st_value : 0) +
                    relocation.r_addend;
        std::memcpy(code.image + relocation.r_offset, &value, 8);
    }
    return true;
}

/// The note that describes kernels.
MessagePack read_metadata(const Elf& elf)
{
    constexpr uint32_t amdgpu_metadata = 32; // NT_AMDGPU_METADATA
    MessagePack metadata;
    for(int i = 0; i < elf.header().e_phnum; ++i)
    {
        if(elf.segment(i).p_type != PT_NOTE)
            continue;
        const uint8_t* const notes = elf.data + elf.segment(i).p_offset;
        for(uint64_t at = 0; at + 12 <= elf.segment(i).p_filesz;)
        {
            const auto name_size = get<uint32_t>(notes, at), size = get<uint32_t>(notes, at + 4),
                       type        = get<uint32_t>(notes, at + 8);
            const uint64_t content = at + 12 + ((name_size + 3) & ~3u);
            if(type == amdgpu_metadata)
            {
                const uint8_t* position = notes + content;
                metadata                = read_message_pack(position, position + size);
            }
            at = content + ((size + 3) & ~3u);
        }
    }
    return metadata;
}

/// `descriptor`: 64 bytes, as LLVM's AMDGPU usage guide lays them out.
Kernel read_kernel(const MessagePack& metadata, Code& code, uint64_t descriptor)
{
    const auto* const bytes = reinterpret_cast<const uint8_t*>(descriptor);
    Kernel kernel;
    kernel.name             = metadata.string_at(".name");
    kernel.code             = &code;
    kernel.descriptor       = descriptor;
    kernel.lds              = get<uint32_t>(bytes, 0);
    kernel.scratch_per_lane = get<uint32_t>(bytes, 4);
    kernel.argument_bytes   = get<uint32_t>(bytes, 8);
    kernel.entry            = descriptor + get<int64_t>(bytes, 16);
    kernel.rsrc1            = get<uint32_t>(bytes, 48);
    kernel.rsrc2            = get<uint32_t>(bytes, 52);
    kernel.properties       = get<uint16_t>(bytes, 56);
    kernel.preloaded        = get<uint16_t>(bytes, 58);
    const bool wave32       = target.generation >= gfx10 && (kernel.properties >> 10 & 1);
    kernel.wave             = wave32 ? 32 : 64;
    const auto number       = [&](const char* key, uint32_t without) {
        return static_cast<uint32_t>(metadata.number_at(key, without));
    };
    kernel.max_threads = number(".max_flat_workgroup_size", 1024);
    kernel.vgprs       = number(".vgpr_count", 0);
    kernel.agprs       = number(".agpr_count", 0);
    kernel.sgprs       = number(".sgpr_count", 0);
    kernel.spilled     = number(".vgpr_spill_count", 0);
    if(const MessagePack* const arguments = metadata.find(".args"))
        for(const MessagePack& argument : arguments->elements)
            kernel.arguments.push_back({static_cast<uint32_t>(argument.number_at(".offset")),
                                        static_cast<uint32_t>(argument.number_at(".size")),
                                        argument.string_at(".value_kind")});
    return kernel;
}

/// The code object in `data` for the target; nullptr, with a message in `error`, for none.
const uint8_t* find_code_object(const void* data, std::string& error)
{
    if(std::memcmp(data, "CCOB", 4) == 0)
    {
        error = "compressed offload bundles are not supported (build with --no-offload-compress)";
        return nullptr;
    }
    const auto* found = static_cast<const uint8_t*>(data);
    if(std::memcmp(data, bundle_magic, magic_size) == 0)
    {
        found = nullptr;
        std::string all;
        for(const Bundled& one : bundled(data))
        {
            if(!one.target.empty())
                all += " " + one.target;
            if(one.target == target.name && one.size != 0)
                found = one.data;
        }
        if(found == nullptr)
        {
            error = "no kernels for " + target.name + "; the program was built for" + all;
            return nullptr;
        }
    }
    constexpr int amdgpu = 224; // EM_AMDGPU
    if(std::memcmp(found, ELFMAG, SELFMAG) != 0 || Elf{found}.header().e_machine != amdgpu)
    {
        error = "not an ELF code object of an AMD GPU";
        return nullptr;
    }
    return found;
}

} // namespace

std::vector<std::string> bundled_targets(const void* data)
{
    std::vector<std::string> targets;
    for(const Bundled& one : bundled(data))
        if(!one.target.empty() && one.size != 0)
            targets.push_back(one.target);
    return targets;
}

std::shared_ptr<Module> load_module(const void* data, std::string& error)
{
    register_all();
    const uint8_t* const code_object = find_code_object(data, error);
    if(code_object == nullptr)
        return nullptr;
    const Elf elf{code_object};
    auto module  = std::make_shared<Module>();
    module->code = std::make_shared<Code>();
    Code& code   = *module->code;
    load_segments(elf, code);
    if(!relocate(elf, read_symbols(elf, code), code, error))
        return nullptr;
    const MessagePack metadata = read_metadata(elf);
    code.wave                  = target.wave;
    if(const MessagePack* const kernels = metadata.find("amdhsa.kernels"))
        for(const MessagePack& one : kernels->elements)
        {
            const auto symbol = code.symbols.find(one.string_at(".symbol"));
            if(symbol == code.symbols.end())
                continue;
            const Kernel kernel = read_kernel(one, code, symbol->second.address);
            if(!module->kernels.empty() && code.wave != kernel.wave)
            {
                error = "kernels of 32 and of 64 lanes in one code object are not supported";
                return nullptr;
            }
            code.wave                    = kernel.wave;
            module->kernels[kernel.name] = kernel;
        }
    return module;
}

/// The wait or barrier that EMU_LEAVE_OUT names. Waits for what is not a hazard here (s_wait_alu)
/// are not counted.
bool is_left_out(const Instruction& inst)
{
    static std::atomic<int> reached{0};
    const std::string_view m = inst.mnemonic;
    if(options().leave_out < 0 || m == "s_wait_alu" || m == "s_wait_idle" ||
       m == "s_waitcnt_depctr" || !(m.starts_with("s_wait") || m.starts_with("s_barrier")))
        return false;
    return reached++ == options().leave_out;
}

const Instruction* Code::at(uint64_t pc)
{
    if(pc < text || pc >= text_end || (pc & 3) != 0)
        return nullptr;
    std::atomic<Instruction*>& slot = decoded[(pc - text) >> 2];
    Instruction* inst               = slot.load(std::memory_order_acquire);
    if(inst != nullptr)
        return inst;
    const std::lock_guard lock(mutex);
    inst = slot.load(std::memory_order_acquire);
    if(inst != nullptr)
        return inst;
    inst = decode_bytes(reinterpret_cast<const uint8_t*>(pc), text_end - pc, wave);
    if(is_left_out(*inst))
    {
        fprintf(stderr, "emu: leaves out '%s'\n", inst->text);
        const uint32_t size = inst->size;
        inst       = decode_text("s_nop 0", reinterpret_cast<const uint8_t*>(pc), size, wave);
        inst->size = size;
    }
    inst->pc = pc;
    if(inst->x != nullptr)
        inst->x->pc = inst->y->pc = pc;
    slot.store(inst, std::memory_order_release);
    return inst;
}

std::vector<uint8_t> kernel_arguments(const Kernel& kernel,
                                      const LaunchDims& dims,
                                      void** each,
                                      const void* packed,
                                      size_t packed_size)
{
    uint32_t size = kernel.argument_bytes;
    for(const Argument& argument : kernel.arguments)
        size = std::max(size, argument.offset + argument.size);
    std::vector<uint8_t> memory((size + 63) & ~63u);
    if(packed != nullptr)
        std::memcpy(memory.data(), packed, std::min(packed_size, memory.size()));
    const uint32_t* const grid                   = dims.grid;
    const uint32_t* const block                  = dims.block;
    const std::map<std::string, uint64_t> hidden = {
        {"hidden_block_count_x", grid[0]},
        {"hidden_block_count_y", grid[1]},
        {"hidden_block_count_z", grid[2]},
        {"hidden_group_size_x", block[0]},
        {"hidden_group_size_y", block[1]},
        {"hidden_group_size_z", block[2]},
        {"hidden_grid_dims",
         grid[2] * block[2] > 1   ? 3
         : grid[1] * block[1] > 1 ? 2
                                  : 1},
        {"hidden_private_base", 0x00020000},
        {"hidden_shared_base", 0x00010000},
        {"hidden_dynamic_lds_size", dims.dynamic_lds}}; // others are 0
    size_t next = 0;
    for(const Argument& argument : kernel.arguments)
    {
        uint8_t* const to = memory.data() + argument.offset;
        if(!argument.kind.starts_with("hidden_"))
        {
            if(each != nullptr)
                std::memcpy(to, each[next], argument.size);
            ++next;
        }
        else if(const auto found = hidden.find(argument.kind); found != hidden.end())
            std::memcpy(to, &found->second, std::min<uint32_t>(argument.size, 8));
    }
    return memory;
}

} // namespace emu
