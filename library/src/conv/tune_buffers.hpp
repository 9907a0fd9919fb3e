#pragma once
// The memory of a spec's measurements: several sets in turns, so that no cache holds them, with the
// same numbers each time.
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

    /// All runs share one, one after the other on a stream.
    void require_workspace(std::size_t bytes);
    /// For the i-th run, of a plan with a workspace of so many bytes.
    ConvTensors set(int i, std::size_t workspace, hipStream_t stream) const;

    /// Operands of the set of run 0: -1, 0 and 1, or the numbers of the measurements again. The
    /// result is overwritten: with bytes of ones, which are NaN or -1; with zeros where a run adds.
    void fill(bool small_integers);
    /// Of run 0, when all that was started has ended.
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
