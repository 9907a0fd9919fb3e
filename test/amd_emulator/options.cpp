// Reads the environment variables; an invalid value ends the program.
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace emu {

namespace {

int number(const char* name, int without)
{
    const char* const text = getenv(name);
    if(text == nullptr || *text == 0)
        return without;
    char* end        = nullptr;
    const long value = strtol(text, &end, 10);
    if(*end != 0 || value < 0)
    {
        fprintf(stderr, "emu: %s is '%s', which is not a number\n", name, text);
        abort();
    }
    return static_cast<int>(value);
}

Options read()
{
    Options o{};
    const unsigned cpus        = std::thread::hardware_concurrency();
    o.threads                  = number("EMU_THREADS", cpus == 0 ? 1 : static_cast<int>(cpus));
    o.poison                   = number("EMU_POISON", 1);
    o.memory_check             = number("EMU_MEMCHECK", 1);
    o.race                     = number("EMU_RACE", 0);
    o.wait_counts              = number("EMU_WAITCNT", 0);
    o.strict                   = number("EMU_STRICT", 0);
    o.replication              = number("EMU_WMMA_REPL", 1);
    o.trace                    = number("EMU_TRACE", 0);
    o.profile                  = number("EMU_PROFILE", 0);
    o.statistics               = number("EMU_STATS", 0);
    o.time                     = number("EMU_TIME", 0);
    const char* const chip     = getenv("EMU_CHIP");
    o.chip                     = chip == nullptr ? "" : chip;
    o.leave_out                = number("EMU_LEAVE_OUT", -1);
    o.seed                     = 1;
    const char* const schedule = getenv("EMU_SCHED");
    if(schedule == nullptr || *schedule == 0)
        o.schedule = Schedule::in_order;
    else if(strcmp(schedule, "rev") == 0)
        o.schedule = Schedule::reversed;
    else
    {
        char* end  = nullptr;
        o.schedule = Schedule::random;
        if(strncmp(schedule, "rand:", 5) == 0)
            o.seed = strtoull(schedule + 5, &end, 0);
        if(end == nullptr || end == schedule + 5 || *end != 0)
        {
            fprintf(
                stderr, "emu: EMU_SCHED is '%s', which is neither rev nor rand:SEED\n", schedule);
            abort();
        }
    }
    return o;
}

} // namespace

const Options& options()
{
    static const Options read_once = read();
    return read_once;
}

} // namespace emu
