// A set-associative L1 with outstanding lines, followed by servers with a constant rate.
#include "vector_memory.hpp"

#include <algorithm>

namespace emu::timing {

VectorMemory::VectorMemory(const Machine& machine,
                           double clock_mhz,
                           int active_units,
                           std::span<const Beyond> beyond,
                           std::span<const char> own)
    : machine_(machine),
      clock_mhz_(clock_mhz),
      l2_rate_(std::min(machine.l2_rate, machine.l2_rate_chip / active_units)),
      last_level_rate_(machine.last_level_gb_s * 1e3 / clock_mhz / active_units),
      memory_rate_(machine.memory_gb_s * 1e3 / clock_mhz / active_units),
      write_rate_(machine.write_gb_s * 1e3 / clock_mhz / active_units),
      beyond_(beyond),
      own_(own),
      owed_(beyond.size()),
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

double VectorMemory::fetch(double now, double bytes, bool beyond, bool memory)
{
    l2_free_ = std::max(l2_free_, now) + bytes / l2_rate_;
    l2_bytes += bytes;
    if(!beyond)
        return l2_free_ + machine_.l2_latency;
    const double through = pass_last_level(l2_free_, bytes);
    if(!memory)
        return through + cycles(machine_.last_level_latency_ns);
    return pass_memory(through, bytes) + cycles(machine_.memory_latency_ns);
}

/// Lines that a load misses are new together: all of them come from further away, or none.
std::pair<bool, bool> VectorMemory::from_beyond(std::uint32_t source, double count)
{
    if(source >= owed_.size())
        return {};
    Beyond& owed = owed_[source];
    owed.l2 += count * beyond_[source].l2;
    owed.memory += count * beyond_[source].memory;
    const bool l2 = owed.l2 >= count / 2, memory = l2 && owed.memory >= count / 2;
    owed.l2 -= l2 ? count : 0;
    owed.memory -= memory ? count : 0;
    return {l2, memory};
}

double VectorMemory::pass_last_level(double now, double bytes)
{
    if(machine_.last_level_bytes == 0)
        return now;
    last_level_bytes += bytes;
    return last_level_free_ = std::max(last_level_free_, now) + bytes / last_level_rate_;
}

double VectorMemory::pass_memory(double now, double bytes)
{
    memory_bytes += bytes;
    return memory_free_ = std::max(memory_free_, now) + bytes / memory_rate_;
}

double VectorMemory::access(double now,
                            const Step& step,
                            std::span<const Line> lines_touched,
                            bool store,
                            bool atomic,
                            std::uint64_t repetition)
{
    const double start   = std::max(now, address_free_);
    address_free_        = start + step.cycles;
    const auto number_of = [&](const Line& line) {
        return line.source < own_.size() && own_[line.source] ? line.number + (repetition << 48)
                                                              : line.number;
    };
    if(store || atomic) // done in L2, whose lines go on later
    {
        const double bytes = step.cycles * machine_.l1_rate;
        l2_free_           = std::max(l2_free_, start) + bytes / l2_rate_;
        if(step.atomics > 1) // they run one after the other
            l2_free_ += (step.atomics - 1) * machine_.atomic_cycles;
        l2_bytes += bytes;
        // An atomic operation reads what it writes.
        const std::uint32_t from = lines_touched.empty() ? 0 : lines_touched[0].source;
        const Beyond beyond      = from < beyond_.size() ? beyond_[from] : Beyond{};
        const double leave       = bytes * beyond.written;
        write_free_              = std::max(write_free_, l2_free_) + leave / write_rate_;
        pass_memory(pass_last_level(l2_free_, atomic ? bytes * 2 : leave), leave * beyond.stores);
        if(!atomic) // their lines take places of L1: a fit, as the latency
            for(const Line& line : lines_touched)
            {
                Entry& e = entry(number_of(line));
                e.used   = ++uses_;
                e.line   = number_of(line);
                e.ready  = 0;
            }
        return l2_free_ + (atomic ? machine_.l2_latency : machine_.store_latency);
    }
    double done = address_free_ + machine_.l1_latency, missed = 0;
    for(const Line& line : lines_touched)
        missed += entry(number_of(line)).line != number_of(line);
    const auto [beyond, memory] =
        from_beyond(lines_touched.empty() ? 0 : lines_touched[0].source, missed);
    for(const Line& line : lines_touched)
    {
        const std::uint64_t number = number_of(line);
        Entry& e                   = entry(number);
        e.used                     = ++uses_;
        ++lines;
        if(e.line != number)
        {
            if(misses.size() <= line.source)
                misses.resize(line.source + 1);
            ++misses[line.source];
            e.line  = number;
            e.ready = fetch(start, machine_.l1_line, beyond, memory);
        }
        done = std::max(done, e.ready);
    }
    return done;
}

} // namespace emu::timing
