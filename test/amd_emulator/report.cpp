// Describes where faults and warnings happened.
#include "code_object.hpp"
#include "memory_map.hpp"
#include "wave.hpp"
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

namespace emu {

namespace {

std::mutex mutex;

void describe(const char* kind,
              const Wave& w,
              const Instruction& inst,
              const std::string& why,
              int lane,
              uint64_t address)
{
    const Workgroup& wg        = *w.wg;
    const Kernel* const kernel = wg.kernel;
    fprintf(stderr,
            "emu: %s: %s\n  kernel %s  workgroup (%u,%u,%u) wave %u",
            kind,
            why.c_str(),
            kernel != nullptr ? kernel->name.c_str() : "?",
            wg.id[0],
            wg.id[1],
            wg.id[2],
            w.id);
    if(lane >= 0)
        fprintf(stderr, " lane %d", lane);
    if(address != 0)
        fprintf(stderr, " address %#lx", static_cast<unsigned long>(address));
    fprintf(stderr,
            "\n  pc +%#lx: %s\n",
            static_cast<unsigned long>(kernel != nullptr ? inst.pc - kernel->entry : inst.pc),
            inst.text);
    if(address > 0x10000) // not an offset into LDS or scratch
        fprintf(stderr, "  nearest: %s\n", mem_near(address).c_str());
}

} // namespace

void fault(
    const Wave& w, const Instruction& inst, const std::string& why, int lane, uint64_t address)
{
    {
        const std::lock_guard lock(mutex);
        describe("FAULT", w, inst, why, lane, address);
        fflush(stderr);
        fflush(stdout);
    }
    abort();
}

void warn_once(const Wave& w, const Instruction& inst, const std::string& why)
{
    static std::set<std::pair<const Instruction*, std::string>> warned;
    const std::lock_guard lock(mutex);
    if(warned.insert({&inst, why.substr(0, why.find(':'))}).second)
        describe("WARNING", w, inst, why, -1, 0);
}

} // namespace emu
