// The vector L1 of a unit, its way to L2, and its share of the memory: when a load's data is there.
#pragma once
#include "trace.hpp"
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace emu::timing {

/// Where lines of an allocation come from that L1 misses, and where bytes written to it go: shares
/// of them.
struct Beyond
{
    double l2      = 0; ///< bytes that pass the last level or memory
    double memory  = 0; ///< bytes that pass memory
    double stores  = 1; ///< written bytes that pass memory
    double written = 1; ///< stored bytes that leave L2, which joins stores to the same bytes
};

class VectorMemory
{
public:
    VectorMemory(const Machine& machine,
                 double clock_mhz,
                 int active_units,
                 std::span<const Beyond> beyond,
                 std::span<const char> own = {});

    /// Cycles of work in front of the address unit.
    double queue(double now) const { return address_free_ > now ? address_free_ - now : 0; }
    /// When the data of a load is in the registers, or a store is known to be done.
    double access(double now,
                  const Step& step,
                  std::span<const Line> lines,
                  bool store,
                  bool atomic              = false,
                  std::uint64_t repetition = 0);
    /// When all bytes on their way are through.
    double drained() const
    {
        return std::max({l2_free_, last_level_free_, memory_free_, write_free_});
    }

    double lines = 0, l2_bytes = 0, last_level_bytes = 0, memory_bytes = 0;
    std::vector<double> misses; ///< lines missed in L1, by source

private:
    struct Entry
    {
        std::uint64_t line = ~std::uint64_t{0};
        double used        = 0; ///< time of the last use
        double ready       = 0; ///< time when its bytes arrive
    };
    Entry& entry(std::uint64_t line);
    /// When a line of `bytes` bytes, requested now, arrives from L2, from beyond it or from memory.
    double fetch(double now, double bytes, bool beyond, bool memory);
    /// Whether `count` lines of a load come from beyond L2, and whether from memory.
    std::pair<bool, bool> from_beyond(std::uint32_t source, double count);
    /// Passes bytes between L2 and the last level, if there is one, from `now` on; the cycle when
    /// they are through.
    double pass_last_level(double now, double bytes);
    /// The same for memory.
    double pass_memory(double now, double bytes);
    double cycles(double ns) const { return ns * 1e-3 * clock_mhz_; }

    const Machine& machine_;
    double clock_mhz_;
    double l2_rate_, last_level_rate_, memory_rate_, write_rate_; // bytes per cycle
    double address_free_ = 0, l2_free_ = 0, last_level_free_ = 0, memory_free_ = 0, write_free_ = 0,
           uses_ = 0;
    std::span<const Beyond> beyond_;
    std::span<const char> own_;
    std::vector<Beyond> owed_;   // index: source; lines due from there, negative if too many came
    std::vector<Entry> entries_; // sets of l1_ways
};

} // namespace emu::timing
