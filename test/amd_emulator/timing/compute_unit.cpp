// The scheduler of a compute unit. Every `turn` cycles each SIMD looks at its waves, the oldest of
// the highest priority first, and issues at most one instruction of each kind, each from another
// wave.
#include "compute_unit.hpp"

#include "vector_memory.hpp"
#include <algorithm>
#include <memory>
#include <stdexcept>

namespace emu::timing {
namespace {

struct Group
{
    int left       = 0; ///< waves that have not ended
    int arrived    = 0; ///< at the barrier
    int generation = 0; ///< barriers passed
    double opened  = 0; ///< when the last one was
};

struct Wave
{
    const WaveTrace* trace = nullptr;
    std::size_t at         = 0;
    Group* group           = nullptr;
    int age = 0, simd = 0, priority = 0;
    int awaited      = -1; ///< the barrier that it has signalled
    double next      = 0;  ///< cycle from which it may issue
    double last_load = 0;
    std::vector<double> ready =
        std::vector<double>(register_count); ///< when a register can be read
    std::vector<double> ready_to_add =
        std::vector<double>(register_count); ///< as C of the same registers
    std::vector<char> of_matrix =
        std::vector<char>(register_count);               ///< its writer was a matrix instruction
    std::array<std::vector<double>, counters> under_way; ///< when each ends
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
          memory_(m, s.active_units, s.from_memory),
          simds_(static_cast<int>(m.simds)),
          lds_free_(static_cast<int>(m.lds_pipes))
    {}

    Replay run(std::span<const WorkgroupTrace* const> workgroups, int resident);

private:
    void start(const WorkgroupTrace& workgroup, double now);
    Activity step(Wave& wave, double now);
    Activity issue(Wave& wave, const Instruction& i, double now);
    bool wait_over(const Wave& wave, const Instruction& i, double now, Activity& why);
    bool operands_ready(const Wave& wave, const Instruction& i, double now, Activity& why) const;
    void finish(Wave& wave, const Instruction& i, double now);
    void pass_hints(Wave& wave);
    void open_barrier(Group& group, double now) const;

    const Machine& machine_;
    std::span<const Instruction> program_;
    VectorMemory memory_;
    std::vector<Simd> simds_;
    std::vector<double> lds_free_;
    std::vector<std::unique_ptr<Group>> groups_;
    std::vector<std::unique_ptr<Wave>> waves_; // the oldest first
    int running_ = 0;                          // workgroups
    int placed_  = 0;                          // waves ever placed
    Replay result_;
};

void ComputeUnit::start(const WorkgroupTrace& workgroup, double now)
{
    groups_.push_back(std::make_unique<Group>());
    Group& group = *groups_.back();
    group.left   = static_cast<int>(workgroup.waves.size());
    for(const WaveTrace& trace : workgroup.waves)
    {
        auto wave   = std::make_unique<Wave>();
        wave->trace = &trace;
        wave->group = &group;
        wave->age   = placed_++;
        wave->simd  = wave->age % static_cast<int>(simds_.size());
        wave->next  = now;
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

bool ComputeUnit::wait_over(const Wave& wave, const Instruction& i, double now, Activity& why)
{
    for(int c = 0; c < counters; ++c)
    {
        const auto& ends = wave.under_way[c];
        if(std::count_if(ends.begin(), ends.end(), [&](double end) { return end > now; }) >
           i.at_most[c])
        {
            why = c == lds ? Activity::lds : Activity::memory;
            return false;
        }
    }
    return true;
}

bool ComputeUnit::operands_ready(const Wave& wave,
                                 const Instruction& i,
                                 double now,
                                 Activity& why) const
{
    const auto check = [&](const Registers& r, const std::vector<double>& when) {
        for(int k = r.first; k < r.first + r.count; ++k)
            if(when[k] > now)
            {
                why = wave.of_matrix[k] ? Activity::matrix : Activity::issue;
                return false;
            }
        return true;
    };
    for(const Registers& r : i.read)
        if(!check(r, wave.ready))
            return false;
    if(i.matrix)
        return check(i.accumulated, wave.ready_to_add);
    for(const Registers& r : i.written)
        if(!check(r, wave.ready))
            return false;
    return true;
}

/// The instruction is issued: its results, and the turn of the wave.
void ComputeUnit::finish(Wave& wave, const Instruction& i, double now)
{
    ++wave.at;
    wave.next = now + machine_.turn;
    if(!i.counts)
        for(const Registers& r : i.written)
            for(int k = r.first; k < r.first + r.count; ++k)
            {
                wave.ready[k]        = now + i.latency;
                wave.ready_to_add[k] = now + (i.matrix ? i.cycles : i.latency);
                wave.of_matrix[k]    = i.matrix;
            }
}

Activity ComputeUnit::issue(Wave& wave, const Instruction& i, double now)
{
    Simd& simd       = simds_[wave.simd];
    bool& taken      = simd.taken[static_cast<int>(i.unit)];
    const Step& step = wave.trace->steps[wave.at];
    Activity why     = Activity::issue;
    if(!operands_ready(wave, i, now, why))
        return why;
    if(taken || (i.unit == Unit::vector && simd.vector_free > now))
        return Activity::issue;
    double end = now;
    switch(i.unit)
    {
    case Unit::vector:
        if(i.matrix && simd.matrix_free > now)
            return Activity::matrix;
        simd.vector_free =
            now + (i.matrix && machine_.matrix_blocks_vector == 0 ? machine_.turn : i.cycles);
        if(i.matrix)
        {
            simd.matrix_free = now + i.cycles;
            result_.matrix_cycles += i.cycles;
        }
        break;
    case Unit::lds: {
        double& free = *std::min_element(lds_free_.begin(), lds_free_.end());
        if(free - now > machine_.lds_queue)
            return Activity::lds;
        free = std::max(free, now) + step.cycles;
        end  = free + machine_.lds_latency;
        result_.lds_cycles += step.cycles;
        result_.lds_conflicts += step.conflicts;
        break;
    }
    case Unit::memory:
        if(memory_.queue(now) > machine_.memory_queue)
            return Activity::memory;
        end = memory_.access(now,
                             step,
                             std::span(wave.trace->lines).subspan(step.first_line, step.lines),
                             i.is_store);
        end = wave.last_load = std::max(end, wave.last_load); // they end in order
        break;
    case Unit::scalar:
        if(i.scalar_load)
            end = now + machine_.scalar_load_latency;
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
    finish(wave, i, now);
    if(i.unit == Unit::branch)
        wave.next = now + machine_.branch_cycles;
    return Activity::executing;
}

/// A barrier opens when all waves that have not ended are there.
void ComputeUnit::open_barrier(Group& group, double now) const
{
    if(group.arrived == 0 || group.arrived < group.left)
        return;
    group.arrived = 0;
    group.opened  = now + machine_.barrier_cycles;
    ++group.generation;
}

Activity ComputeUnit::step(Wave& wave, double now)
{
    if(wave.next > now)
        return Activity::executing;
    pass_hints(wave);
    if(wave.at == wave.trace->steps.size())
        return Activity::executing; // ended, see run()
    const Instruction& i = program_[wave.trace->steps[wave.at].instruction];
    Group& group         = *wave.group;
    Activity why         = Activity::executing;
    switch(i.unit)
    {
    case Unit::wait:
        if(!wait_over(wave, i, now, why))
            return why;
        finish(wave, i, now);
        return Activity::executing;
    case Unit::idle:
        finish(wave, i, now);
        wave.next = now + i.turns * machine_.turn;
        return Activity::executing;
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
            if(wave.awaited >= 0 && (group.generation == wave.awaited || group.opened > now))
                return Activity::barrier;
            wave.awaited = -1;
        }
        finish(wave, i, now);
        return Activity::executing;
    default:
        return issue(wave, i, now);
    }
}

Replay ComputeUnit::run(std::span<const WorkgroupTrace* const> workgroups, int resident)
{
    double now = 0, moved = 0;
    std::size_t next = 0;
    while(true)
    {
        while(running_ < resident && next < workgroups.size())
            start(*workgroups[next++], now);
        if(!running_)
            break;
        for(Simd& simd : simds_)
            simd.taken.fill(false);
        std::sort(waves_.begin(), waves_.end(), [](const auto& a, const auto& b) {
            return a->priority != b->priority ? a->priority > b->priority : a->age < b->age;
        });
        for(const auto& wave : waves_)
        {
            const std::size_t before = wave->at;
            const Activity a         = step(*wave, now);
            result_.wave_cycles[static_cast<int>(a)] += machine_.turn;
            if(wave->at != before)
                moved = now;
        }
        now += machine_.turn;
        std::erase_if(waves_, [&](const auto& wave) {
            pass_hints(*wave);
            if(wave->at < wave->trace->steps.size() || wave->next > now)
                return false;
            if(--wave->group->left == 0)
                --running_;
            open_barrier(*wave->group, now);
            return true;
        });
        if(now - moved > 1e6)
            throw std::runtime_error(
                "the timing model's waves wait for ever: at '" +
                program_[waves_.front()->trace->steps[waves_.front()->at].instruction].text + "'");
    }
    result_.cycles       = now;
    result_.l1_lines     = memory_.lines;
    result_.l1_misses    = memory_.misses;
    result_.l2_bytes     = memory_.l2_bytes;
    result_.memory_bytes = memory_.memory_bytes;
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
