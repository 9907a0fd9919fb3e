// The scheduler of a compute unit. Every `turn` cycles each SIMD looks at its waves, the oldest of
// the highest priority first, and issues at most one instruction of each kind, each from another
// wave.
#include "compute_unit.hpp"

#include "vector_memory.hpp"
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>

namespace emu::timing {
namespace {

struct Group
{
    int left                 = 0; ///< waves that have not ended
    int arrived              = 0; ///< waves that arrived at the barrier
    int generation           = 0; ///< barriers passed
    std::uint64_t repetition = 0; ///< repetition of its trace
    double opened            = 0; ///< when the last barrier opened
};

/// Why a wave does not issue, and when it is worth looking again.
struct Stall
{
    Activity why = Activity::executing;
    double until = 0;
};
constexpr double for_ever = 1e300;

struct Wave
{
    const WaveTrace* trace = nullptr;
    std::size_t at         = 0;
    Group* group           = nullptr;
    int age = 0, simd = 0, priority = 0;
    int awaited = -1; ///< the barrier that it has signalled
    Stall stall;
    double last_load   = 0;
    double last_scalar = 0; ///< when the last scalar load ends
    std::vector<double> ready =
        std::vector<double>(register_count); ///< when each register can be read
    std::vector<double> ready_to_add =
        std::vector<double>(register_count); ///< when each can be read as C
    std::vector<char> of_matrix =
        std::vector<char>(register_count);               ///< whether a matrix instruction wrote it
    std::array<std::vector<double>, counters> under_way; ///< when each operation ends
};

constexpr int slots = static_cast<int>(Unit::message) + 1;

struct Simd
{
    std::array<bool, slots> taken{};
    double vector_free = 0, matrix_free = 0;
};

class ComputeUnit
{
public:
    ComputeUnit(const Machine& m, std::span<const Instruction> program, const Surroundings& s)
        : machine_(m),
          program_(program),
          memory_(m, s.clock_mhz > 0 ? s.clock_mhz : m.clock_mhz, s.active_units, s.beyond, s.own),
          simds_(static_cast<int>(m.simds)),
          lds_free_(static_cast<int>(m.lds_pipes))
    {}

    Replay run(std::span<const WorkgroupTrace* const> workgroups, int resident);

private:
    void start(const WorkgroupTrace& workgroup, double now);
    Stall step(Wave& wave, double now);
    Stall issue(Wave& wave, const Instruction& i, double now);
    Stall wait(const Wave& wave, const Instruction& i) const;
    Stall operands(const Wave& wave, const Instruction& i) const;
    Stall finish(Wave& wave, const Instruction& i, double now);
    void pass_hints(Wave& wave);
    void open_barrier(Group& group, double now);
    double look(double now);

    const Machine& machine_;
    std::span<const Instruction> program_;
    VectorMemory memory_;
    std::vector<Simd> simds_;
    std::vector<double> lds_free_;
    std::vector<std::unique_ptr<Group>> groups_;
    std::vector<std::unique_ptr<Wave>> waves_; // the oldest first
    int running_ = 0;                          // workgroups
    int placed_  = 0;                          // waves ever placed
    std::map<const WorkgroupTrace*, std::uint64_t> started_;
    Replay result_;
};

void ComputeUnit::start(const WorkgroupTrace& workgroup, double now)
{
    groups_.push_back(std::make_unique<Group>());
    Group& group     = *groups_.back();
    group.left       = static_cast<int>(workgroup.waves.size());
    group.repetition = started_[&workgroup]++;
    // SIMDs in turn, each round from the next one on, so that one wave of each workgroup which does
    // more than the others is not always on the same. A guess: the hardware's rule is not known.
    const int simds = static_cast<int>(simds_.size());
    for(const WaveTrace& trace : workgroup.waves)
    {
        auto wave   = std::make_unique<Wave>();
        wave->trace = &trace;
        wave->group = &group;
        wave->age   = placed_++;
        wave->simd  = (wave->age + wave->age / simds) % simds;
        wave->stall = {Activity::executing, now};
        waves_.push_back(std::move(wave));
    }
    ++running_;
}

void ComputeUnit::pass_hints(Wave& wave)
{
    while(wave.at < wave.trace->steps.size())
    {
        const Instruction& i = program_[wave.trace->steps[wave.at].instruction];
        if(i.unit != Unit::hint)
            return;
        if(i.priority >= 0)
            wave.priority = i.priority;
        ++wave.at;
    }
}

/// Until no more instructions are under way than the counters' limits allow.
Stall ComputeUnit::wait(const Wave& wave, const Instruction& i) const
{
    Stall stall;
    for(int c = 0; c < counters; ++c)
    {
        std::vector<double> ends = wave.under_way[c];
        const auto limit         = static_cast<std::size_t>(i.at_most[c]);
        if(ends.size() <= limit)
            continue;
        std::nth_element(ends.begin(),
                         ends.begin() + static_cast<std::ptrdiff_t>(limit),
                         ends.end(),
                         std::greater<>());
        if(ends[limit] > stall.until)
            stall = {c == lds && ends[limit] > wave.last_scalar ? Activity::lds : Activity::memory,
                     ends[limit]};
    }
    return stall;
}

/// Until registers can be read, and results written behind earlier ones.
Stall ComputeUnit::operands(const Wave& wave, const Instruction& i) const
{
    Stall stall;
    const auto check = [&](const Registers& r, const std::vector<double>& when) {
        for(int k = r.first; k < r.first + r.count; ++k)
            if(when[k] > stall.until)
                stall = {wave.of_matrix[k] ? Activity::matrix : Activity::issue, when[k]};
    };
    for(const Registers& r : i.read)
        check(r, wave.ready);
    if(i.matrix)
        check(i.accumulated, wave.ready_to_add);
    else
        for(const Registers& r : i.written)
            check(r, wave.ready);
    return stall;
}

/// The instruction is issued: its results, and the turn of the wave.
Stall ComputeUnit::finish(Wave& wave, const Instruction& i, double now)
{
    ++wave.at;
    if(!i.counts)
        for(const Registers& r : i.written)
            for(int k = r.first; k < r.first + r.count; ++k)
            {
                wave.ready[k]        = now + i.latency;
                wave.ready_to_add[k] = now + (i.matrix ? i.cycles : i.latency);
                wave.of_matrix[k]    = i.matrix;
            }
    return {Activity::executing, now + machine_.turn};
}

Stall ComputeUnit::issue(Wave& wave, const Instruction& i, double now)
{
    Simd& simd       = simds_[wave.simd];
    bool& taken      = simd.taken[static_cast<int>(i.unit)];
    const Step& step = wave.trace->steps[wave.at];
    if(const Stall stall = operands(wave, i); stall.until > now)
        return stall;
    if(i.unit == Unit::vector && simd.vector_free > now)
        return {Activity::issue, simd.vector_free};
    if(taken)
        return {Activity::issue, now + machine_.turn};
    double end = now;
    switch(i.unit)
    {
    case Unit::vector:
        if(i.matrix && simd.matrix_free > now)
            return {Activity::matrix, simd.matrix_free};
        simd.vector_free =
            now + (i.matrix && machine_.matrix_blocks_vector == 0 ? machine_.turn : i.cycles);
        if(!i.matrix)
            result_.vector_cycles += i.cycles;
        else
        {
            simd.matrix_free = now + i.cycles;
            result_.matrix_cycles += i.cycles;
        }
        break;
    case Unit::lds: {
        double& free = *std::min_element(lds_free_.begin(), lds_free_.end());
        if(free - now > machine_.lds_queue)
            return {Activity::lds, free - machine_.lds_queue};
        free = std::max(free, now) + step.cycles;
        end  = free + machine_.lds_latency;
        result_.lds_cycles += step.cycles;
        result_.lds_conflicts += step.conflicts;
        break;
    }
    case Unit::memory:
        if(const double queue = memory_.queue(now); queue > machine_.memory_queue)
            return {Activity::memory, now + queue - machine_.memory_queue};
        end = memory_.access(now,
                             step,
                             std::span(wave.trace->lines).subspan(step.first_line, step.lines),
                             i.is_store,
                             i.is_atomic,
                             wave.group->repetition);
        end = wave.last_load = std::max(end, wave.last_load); // loads end in order
        if(step.lds_cycles > 0)                               // when LDS gets it is not modelled
        {
            double& free = *std::min_element(lds_free_.begin(), lds_free_.end());
            free         = std::max(free, now) + step.lds_cycles;
            result_.lds_cycles += step.lds_cycles;
        }
        break;
    case Unit::scalar:
        if(i.scalar_load)
            end = wave.last_scalar = now + machine_.scalar_load_latency;
        break;
    default:
        break;
    }
    taken = true;
    if(i.counts)
    {
        auto& ends = wave.under_way[i.counter];
        std::erase_if(ends, [&](double e) { return e <= now; });
        ends.push_back(end);
    }
    const Stall stall = finish(wave, i, now);
    return i.unit == Unit::branch ? Stall{Activity::executing, now + machine_.branch_cycles}
                                  : stall;
}

/// A barrier opens when all waves that have not ended are there.
void ComputeUnit::open_barrier(Group& group, double now)
{
    if(group.arrived == 0 || group.arrived < group.left)
        return;
    group.arrived = 0;
    group.opened  = now + machine_.barrier_cycles;
    ++group.generation;
    for(const auto& wave : waves_)
        if(wave->group == &group && wave->stall.why == Activity::barrier)
            wave->stall.until = group.opened;
}

Stall ComputeUnit::step(Wave& wave, double now)
{
    const Instruction& i = program_[wave.trace->steps[wave.at].instruction];
    Group& group         = *wave.group;
    switch(i.unit)
    {
    case Unit::wait:
        if(const Stall stall = wait(wave, i); stall.until > now)
            return stall;
        return finish(wave, i, now);
    case Unit::idle:
        finish(wave, i, now);
        return {Activity::executing, now + i.turns * machine_.turn};
    case Unit::barrier_signal:
    case Unit::barrier:
    case Unit::barrier_wait:
        if(wave.awaited < 0 && i.unit != Unit::barrier_wait)
        {
            wave.awaited = group.generation;
            ++group.arrived;
            open_barrier(group, now);
        }
        if(i.unit != Unit::barrier_signal)
        {
            if(wave.awaited == group.generation)
                return {Activity::barrier, for_ever};
            if(wave.awaited >= 0 && group.opened > now)
                return {Activity::barrier, group.opened};
            wave.awaited = -1;
        }
        return finish(wave, i, now);
    default:
        return issue(wave, i, now);
    }
}

/// Gives each wave a turn. Returns when the next one can do something.
double ComputeUnit::look(double now)
{
    for(Simd& simd : simds_)
        simd.taken.fill(false);
    std::sort(waves_.begin(), waves_.end(), [](const auto& a, const auto& b) {
        return a->priority != b->priority ? a->priority > b->priority : a->age < b->age;
    });
    for(const auto& wave : waves_)
    {
        if(wave->stall.until <= now)
        {
            pass_hints(*wave);
            if(wave->at < wave->trace->steps.size())
                wave->stall = step(*wave, now);
        }
    }
    double wake = for_ever;
    for(const auto& wave : waves_)
        wake = std::min(wake, wave->stall.until);
    // SIMDs look at their waves only at whole turns.
    wake = std::max(now + machine_.turn, std::ceil(wake / machine_.turn) * machine_.turn);
    for(const auto& wave : waves_)
        result_.wave_cycles[static_cast<int>(wave->stall.why)] += wake - now;
    return wake;
}

Replay ComputeUnit::run(std::span<const WorkgroupTrace* const> workgroups, int resident)
{
    double now       = 0;
    std::size_t next = 0;
    while(true)
    {
        while(running_ < resident && next < workgroups.size())
            start(*workgroups[next++], now);
        if(!running_)
            break;
        const double wake = look(now);
        if(wake >= for_ever)
            throw std::runtime_error(
                "the timing model's waves wait for each other for ever, at '" +
                program_[waves_.front()->trace->steps[waves_.front()->at].instruction].text + "'");
        now = wake;
        std::erase_if(waves_, [&](const auto& wave) {
            pass_hints(*wave);
            if(wave->at < wave->trace->steps.size() || wave->stall.until > now)
                return false;
            if(--wave->group->left == 0)
                --running_;
            return true;
        });
        for(const auto& group : groups_)
            open_barrier(*group, now);
    }
    result_.cycles           = std::max(now, memory_.drained());
    result_.l1_lines         = memory_.lines;
    result_.l1_misses        = memory_.misses;
    result_.l2_bytes         = memory_.l2_bytes;
    result_.last_level_bytes = memory_.last_level_bytes;
    result_.memory_bytes     = memory_.memory_bytes;
    return result_;
}

} // namespace

Replay replay(const Machine& machine,
              std::span<const Instruction> instructions,
              std::span<const WorkgroupTrace* const> workgroups,
              const Surroundings& surroundings)
{
    if(surroundings.resident < 1)
        throw std::invalid_argument("no workgroup fits on a unit of " + machine.target);
    return ComputeUnit(machine, instructions, surroundings).run(workgroups, surroundings.resident);
}

} // namespace emu::timing
