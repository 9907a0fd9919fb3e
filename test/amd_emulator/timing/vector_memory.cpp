// A set-associative L1 with lines under way, and servers of a constant rate behind it.
#include "vector_memory.hpp"

#include <algorithm>

namespace emu::timing {

VectorMemory::VectorMemory(const Machine& machine,
                           int active_units,
                           std::span<const double> from_memory)
    : machine_(machine),
      l2_rate_(std::min(machine.l2_rate, machine.l2_rate_chip / active_units)),
      memory_rate_(machine.memory_gb_s * 1e3 / machine.clock_mhz / active_units),
      from_memory_(from_memory),
      owed_(from_memory.size()),
      entries_(static_cast<std::size_t>(machine.l1_bytes / machine.l1_line))
{}

VectorMemory::Entry& VectorMemory::entry(std::uint64_t line)
{
    const auto ways        = static_cast<std::size_t>(machine_.l1_ways);
    const std::size_t sets = entries_.size() / ways;
    const auto set         = entries_.begin() + static_cast<std::ptrdiff_t>(line % sets * ways);
    const auto set_end     = set + static_cast<std::ptrdiff_t>(ways);
    const auto there = std::find_if(set, set_end, [&](const Entry& e) { return e.line == line; });
    return there != set_end ? *there
                            : *std::min_element(set, set_end, [](const Entry& a, const Entry& b) {
                                  return a.used < b.used;
                              });
}

double VectorMemory::fetch(double now, std::uint32_t source, double bytes)
{
    l2_free_ = std::max(l2_free_, now) + bytes / l2_rate_;
    l2_bytes += bytes;
    if(source < owed_.size() && (owed_[source] += from_memory_[source]) >= 1)
    {
        owed_[source] -= 1;
        return pass_memory(l2_free_, bytes) +
               machine_.memory_latency_ns * 1e-3 * machine_.clock_mhz;
    }
    return l2_free_ + machine_.l2_latency;
}

double VectorMemory::pass_memory(double now, double bytes)
{
    memory_bytes += bytes;
    return memory_free_ = std::max(memory_free_, now) + bytes / memory_rate_;
}

double
VectorMemory::access(double now, const Step& step, std::span<const Line> lines_touched, bool store)
{
    const double start = std::max(now, address_free_);
    address_free_      = start + step.cycles;
    if(store) // written through to L2, whose lines go to memory later
    {
        const double bytes = step.cycles * machine_.l1_rate;
        l2_free_           = std::max(l2_free_, start) + bytes / l2_rate_;
        l2_bytes += bytes;
        pass_memory(l2_free_, bytes);
        return l2_free_ + machine_.l2_latency;
    }
    double done = address_free_ + machine_.l1_latency;
    for(const Line& line : lines_touched)
    {
        Entry& e = entry(line.number);
        e.used   = ++uses_;
        ++lines;
        if(e.line != line.number)
        {
            if(misses.size() <= line.source)
                misses.resize(line.source + 1);
            ++misses[line.source];
            e.line  = line.number;
            e.ready = fetch(start, line.source, machine_.l1_line);
        }
        done = std::max(done, e.ready);
    }
    return done;
}

} // namespace emu::timing
