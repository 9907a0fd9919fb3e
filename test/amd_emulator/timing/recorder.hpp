// Records what sampled workgroups execute, for the timing model.
#pragma once
#include "../launch.hpp"
#include "../observer.hpp"
#include "launch_time.hpp"
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace emu::timing {

/// The predicted times of all launches until now, as a clock.
std::chrono::steady_clock::time_point predicted_now();

/// One launch whose time is predicted (EMU_TIME=1): which of its workgroups run, and what they did.
/// Runs in one thread.
class Recorder
{
public:
    /// Throws std::invalid_argument for a target without numbers or a workgroup that does not fit.
    Recorder(const Kernel& kernel, const LaunchDims& dims, uint32_t lds);

    /// Those that are replayed, and then neighbours of one of them.
    const std::vector<uint64_t>& workgroups() const { return workgroups_; }
    std::unique_ptr<Observer> observer();
    /// Predicts and prints.
    void report();

    void begin(const Workgroup& workgroup);
    void done(const Wave& wave, const emu::Instruction& instruction);

private:
    uint32_t source_of(uint64_t address);
    void find_footprints();
    void note_launch_before();
    void note_stores(std::span<const Access> stores, double moved);

    Machine machine_;
    Launch launch_;
    std::vector<uint64_t> workgroups_;
    std::size_t sampled_ = 0;          // workgroups that are replayed
    std::vector<uint64_t> neighbours_; // workgroups on one die
    std::vector<Instruction> program_;
    std::unordered_map<const char*, uint32_t>
        index_;                          // index of instructions in program_; key: address
    std::vector<WorkgroupTrace> traces_; // the last one is that of the workgroup that runs
    std::vector<Source> sources_;
    std::map<uint64_t, uint32_t> source_index_; // key: first address
    std::map<uint64_t, double> atomics_;        // the sample's atomics; key: address
    struct Stored
    {
        double moved = 0, different = 0; // bytes
    };
    std::map<uint32_t, Stored> stored_;   // the sample's stores; key: source
    std::unordered_set<uint64_t> pieces_; // pieces that the running workgroup has stored to
};

} // namespace emu::timing
