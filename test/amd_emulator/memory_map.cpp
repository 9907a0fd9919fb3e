// Which addresses a program may touch.

#include "memory_map.hpp"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace emu {
namespace {
struct Range
{
    uint64_t begin, end;
    const char* what;
};
std::shared_mutex mutex;
std::map<uint64_t, Range> ranges;    // key: the first address
std::atomic<uint64_t> generation{1}; // changes with the ranges
/// The ranges that a thread found last, good for one generation.
thread_local struct
{
    uint64_t generation = 0, begin = 1, end = 0;
} recent[4];
thread_local int next_recent = 0;
} // namespace

void mem_add(uint64_t base, uint64_t bytes, const char* what)
{
    const std::unique_lock lock(mutex);
    ranges[base] = {base, base + bytes, what};
    ++generation;
}
bool mem_del(uint64_t base)
{
    const std::unique_lock lock(mutex);
    ++generation;
    return ranges.erase(base) != 0;
}

bool mem_ok(uint64_t address, uint64_t bytes)
{
    const uint64_t now = generation.load(std::memory_order_relaxed);
    for(const auto& r : recent)
        if(r.generation == now && address >= r.begin && address + bytes <= r.end)
            return true;
    const std::shared_lock lock(mutex);
    auto it = ranges.upper_bound(address);
    if(it == ranges.begin())
        return false;
    const Range& range = (--it)->second;
    if(address < range.begin || address + bytes > range.end)
        return false;
    recent[next_recent] = {now, range.begin, range.end};
    next_recent         = (next_recent + 1) & 3;
    return true;
}

bool mem_range(uint64_t address, uint64_t& base, uint64_t& bytes)
{
    const std::shared_lock lock(mutex);
    auto at = ranges.upper_bound(address);
    if(at == ranges.begin() || address >= (--at)->second.end)
        return false;
    base  = at->second.begin;
    bytes = at->second.end - base;
    return true;
}

std::string mem_near(uint64_t address)
{
    const std::shared_lock lock(mutex);
    char text[256] = "no allocation nearby";
    const auto it  = ranges.upper_bound(address);
    const auto hex = [](uint64_t x) { return static_cast<unsigned long>(x); };
    if(it != ranges.begin())
    {
        const Range& r = std::prev(it)->second;
        snprintf(text,
                 sizeof text,
                 "%s [%#lx,%#lx) size %lu: address is %ld past its end",
                 r.what,
                 hex(r.begin),
                 hex(r.end),
                 hex(r.end - r.begin),
                 static_cast<long>(address - r.end));
    }
    else if(it != ranges.end())
    {
        const Range& r = it->second;
        snprintf(text,
                 sizeof text,
                 "%s [%#lx,%#lx): address is %ld before it",
                 r.what,
                 hex(r.begin),
                 hex(r.end),
                 static_cast<long>(r.begin - address));
    }
    return text;
}
} // namespace emu
