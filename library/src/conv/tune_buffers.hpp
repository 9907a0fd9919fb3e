#pragma once
// The memory of a spec's measurements: several sets that take turns, so that no cache holds them,
// with the same numbers each time.
#include "ck/library/utility/device_memory.hpp"

#include "conv/prepared.hpp"
#include "utility/numbers.hpp"
#include "utility/replay.hpp"
#include <vector>

namespace ck::conv {

class TuneBuffers
{
public:
    explicit TuneBuffers(const ConvPlan::Prepared& plan);

    /// All runs share one workspace; they run one after another on a stream.
    void require_workspace(std::size_t bytes);
    /// The tensors of run i, for a plan with a workspace of `workspace` bytes.
    ConvTensors set(int i, std::size_t workspace, hipStream_t stream) const;

    /// Fills the operands of run 0 with -1, 0 and 1, or with the measurements' numbers again. Fills
    /// the result with bytes of ones, which are NaN or -1, or with zeros if a run adds to it.
    void fill(bool small_integers);
    /// The result of run 0, after everything that was started has ended.
    std::vector<double> result() const;

private:
    std::vector<double> numbers_of(std::size_t slot, bool small_integers) const;
    const measure::NumberType& type_of_slot(std::size_t slot) const;

    ConvSpec spec_;
    std::size_t result_;
    std::vector<std::array<DeviceMem, slot_workspace>> sets_;
    DeviceMem workspace_;
};

} // namespace ck::conv
