// Finds LDS dwords that two waves touch between the same two barriers, one of them writing; and
// those that are touched while a load to them is outstanding.
#include "lds_races.hpp"

#include "observer.hpp"
#include <string>
#include <vector>

namespace emu {

namespace {

/// Who touched a dword last, and in which interval between barriers. What a wave does between the
/// halves of a barrier (gfx12) happens in the next interval, too: others may have passed it.
struct Shadow
{
    uint32_t written_at = ~0u, read_at = ~0u;
    uint16_t writer = 0, reader = 0;
    bool more_readers  = false;
    bool written_while = false, read_while = false; // between the halves of a barrier
    uint32_t load                 = 0; // index of the writer's memory operation, if it was one
    const Instruction *written_by = nullptr, *read_by = nullptr;
};
thread_local std::vector<Shadow> shadow;
thread_local uint32_t interval = 0, first_interval = 0; // the workgroup's first

void race(const Wave& w,
          const Instruction& inst,
          const char* kind,
          uint32_t dword,
          const char* verb,
          unsigned wave,
          const Instruction* by)
{
    warn_once(w,
              inst,
              std::string("LDS race (") + kind + " without barrier): dword " +
                  std::to_string(dword) + " " + verb + " by wave " + std::to_string(wave) +
                  " at '" + (by != nullptr ? by->text : "") + "'");
}

} // namespace

void start_lds_races(uint32_t bytes)
{
    shadow.assign(bytes / 4 + 4, Shadow());
    ++interval;
}

void lds_races_workgroup() { first_interval = ++interval; }

void lds_races_barrier() { ++interval; }

void check_lds_race(
    const Wave& w, const Instruction& inst, uint32_t address, uint32_t bytes, Access access)
{
    const uint16_t me = static_cast<uint16_t>(w.id);
    const bool part   = bytes < 4; // part of a dword: waves may share the rest
    for(uint32_t dword = address / 4; dword <= (address + bytes - 1) / 4; ++dword)
    {
        Shadow& s = shadow[dword];
        if(s.load != 0 && s.written_at >= first_interval && !has_waited_for(s.writer, s.load))
        {
            warn_once(w,
                      inst,
                      "missing wait: LDS is touched while a load to it is outstanding, of '" +
                          std::string(s.written_by->text) + "'");
            s.load = 0;
        }
        const auto in_interval = [](uint32_t at, bool between_halves) {
            return at == interval || (between_halves && at + 1 == interval && at >= first_interval);
        };
        const bool written = in_interval(s.written_at, s.written_while) && s.writer != me;
        if(access == Access::read)
        {
            if(written && !part)
                race(w, inst, "read after write", dword, "written", s.writer, s.written_by);
            if(s.read_at == interval && s.reader != me)
                s.more_readers = true;
            else if(s.read_at != interval)
            {
                s.read_at      = interval;
                s.reader       = me;
                s.more_readers = false;
                s.read_while   = false;
            }
            s.read_while = s.read_while || w.signalled;
            s.read_by    = &inst;
        }
        else if(access == Access::write)
        {
            if(written && !part)
                race(w, inst, "write after write", dword, "written", s.writer, s.written_by);
            if(in_interval(s.read_at, s.read_while) && (s.reader != me || s.more_readers) && !part)
                race(w, inst, "write after read", dword, "read", s.reader, s.read_by);
            s.written_at    = interval;
            s.written_while = w.signalled;
            s.writer        = me;
            s.written_by    = &inst;
            s.load          = inst.lds ? memory_operations(w) : 0;
        }
    }
}

} // namespace emu
