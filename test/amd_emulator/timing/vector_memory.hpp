// The vector L1 of a unit, its way to L2, and its share of the memory: when a load's data is there.
#pragma once
#include "trace.hpp"
#include <cstdint>
#include <span>
#include <vector>

namespace emu::timing {

class VectorMemory
{
public:
    /// `from_memory`: by source, the share of lines missed in L1 that come from memory.
    VectorMemory(const Machine& machine, int active_units, std::span<const double> from_memory);

    /// Cycles of work in front of the address unit.
    double queue(double now) const { return address_free_ > now ? address_free_ - now : 0; }
    /// When the data of a load is in the registers, or a store is known to be done.
    double access(double now, const Step& step, std::span<const Line> lines, bool store);

    double lines = 0, l2_bytes = 0, memory_bytes = 0;
    std::vector<double> misses; ///< lines missed in L1, by source

private:
    struct Entry
    {
        std::uint64_t line = ~std::uint64_t{0};
        double used        = 0; ///< when it was used last
        double ready       = 0; ///< when its bytes are there
    };
    Entry& entry(std::uint64_t line);
    /// When a line of so many bytes, asked for now, comes from L2 or from memory.
    double fetch(double now, std::uint32_t source, double bytes);
    /// Passes bytes between memory and L2 from `now` on; the cycle when they are through.
    double pass_memory(double now, double bytes);

    const Machine& machine_;
    double l2_rate_, memory_rate_; // bytes a cycle
    double address_free_ = 0, l2_free_ = 0, memory_free_ = 0, uses_ = 0;
    std::span<const double> from_memory_;
    std::vector<double> owed_;   // by source: lines that memory still owes, a fraction
    std::vector<Entry> entries_; // sets of l1_ways
};

} // namespace emu::timing
