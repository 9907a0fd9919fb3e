// Launches: workgroups on worker threads, waves in turn.
#include "launch.hpp"

#include "lds_races.hpp"
#include "memory_map.hpp"
#include "observer.hpp"
#include "options.hpp"
#include "target.hpp"
#include "timing/recorder.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>

namespace emu {

namespace {

constexpr uint64_t turn = 1u << 20; // instructions that a wave runs before another has its turn
constexpr uint64_t endless_turns = 2000;       // turns without a wave at a barrier or its end
constexpr uint32_t poison        = 0x7ffd7ffd; // NaN as f32 and as two halves

/// Flushes denormals of f32, as the kernel's mode asks, while it lives.
class DenormalMode
{
public:
#if defined(__x86_64__)
    explicit DenormalMode(uint32_t rsrc1) : before_(_mm_getcsr())
    {
        constexpr uint32_t flush_and_zero = 0x8040;
        if((rsrc1 >> 16 & 3) == 0)
            _mm_setcsr(before_ | flush_and_zero);
    }
    ~DenormalMode() { _mm_setcsr(before_); }

private:
    unsigned before_;
#else
    explicit DenormalMode(uint32_t rsrc1)
    {
        if((rsrc1 >> 16 & 3) == 0)
        {
            fprintf(stderr, "emu: kernels that flush denormals are emulated on x86 alone\n");
            abort();
        }
    }
#endif
};

/// Runs until the wave waits, ends or has had `instructions`.
template <bool observed>
void run_wave(Wave& w, uint64_t instructions, const Observers& observers)
{
    Code& code          = *const_cast<Code*>(w.code);
    const uint64_t text = code.text, size = code.decoded.size();
    const auto* const decoded = code.decoded.data();
    uint64_t left             = instructions;
    for(w.state = RunState::running; left > 0 && w.state == RunState::running;)
    {
        const uint64_t at       = (w.pc - text) >> 2;
        const Instruction* inst = at < size ? decoded[at].load(std::memory_order_acquire) : nullptr;
        if(__builtin_expect(inst == nullptr, 0))
            inst = code.at(w.pc);
        if(__builtin_expect(inst == nullptr, 0))
        {
            fprintf(stderr,
                    "emu: FAULT: program counter outside the code object (%#lx)\n",
                    static_cast<unsigned long>(w.pc));
            abort();
        }
        w.pc += inst->size;
        --left;
        if constexpr(observed)
            for(const auto& observer : observers)
                observer->issue(w, *inst);
        inst->fn(w, *inst);
        if constexpr(observed)
            for(const auto& observer : observers)
                observer->done(w, *inst);
    }
    w.instructions_run += instructions - left;
    if(w.state == RunState::running)
        w.state = RunState::yielded;
}

/// What a worker thread keeps from launch to launch: waves and their scratch are large.
struct Store
{
    std::vector<std::unique_ptr<Wave>> waves;
    std::vector<std::vector<uint8_t>> scratch;

    void provide(size_t count)
    {
        while(waves.size() < count)
            waves.emplace_back(new Wave); // registers are set when it is set up
        scratch.resize(std::max(scratch.size(), count));
    }
};

/// What one thread does in a launch.
class Worker
{
public:
    /// With a recorder of the timing model, if there is one.
    Worker(const WaveSetup& setup, uint32_t lds, int number, timing::Recorder* recorder)
        : setup_{setup},
          random_{options().seed + number},
          observers_{make_observers()}
    {
        wg_.kernel   = &setup.kernel;
        wg_.lds_size = lds;
        wg_.lds.resize((lds + 63) & ~63u);
        if(options().race)
            start_lds_races(lds);
        if(recorder)
            observers_.push_back(recorder->observer());
    }

    /// Instructions that the workgroup's waves ran.
    uint64_t run(uint64_t id)
    {
        begin(id);
        std::vector<uint32_t> order(wg_.waves.size());
        for(uint32_t i = 0; i < order.size(); ++i)
            order[i] = options().schedule == Schedule::reversed
                           ? static_cast<uint32_t>(order.size()) - 1 - i
                           : i;
        uint64_t idle_turns = 0;
        while(!all_in(RunState::ended))
        {
            const bool random = options().schedule == Schedule::random;
            if(random)
                std::shuffle(order.begin(), order.end(), random_);
            if(!run_in_turn(order, random) && !random && ++idle_turns == endless_turns)
                endless_loop();
            pass_barrier();
        }
        for(const auto& observer : observers_)
            observer->end(wg_);
        uint64_t instructions = 0;
        for(const Wave* w : wg_.waves)
            instructions += w->instructions_run;
        return instructions;
    }

private:
    void begin(uint64_t id)
    {
        const uint32_t* const grid  = setup_.dims.grid;
        const uint32_t* const block = setup_.dims.block;
        const uint32_t wave         = setup_.kernel.wave;
        const uint32_t waves        = (block[0] * block[1] * block[2] + wave - 1) / wave;
        wg_.id[0]                   = static_cast<uint32_t>(id % grid[0]);
        wg_.id[1]                   = static_cast<uint32_t>(id / grid[0] % grid[1]);
        wg_.id[2]                   = static_cast<uint32_t>(id / grid[0] / grid[1]);
        auto* const lds             = reinterpret_cast<uint32_t*>(wg_.lds.data());
        std::fill(lds, lds + wg_.lds.size() / 4, setup_.poison);
        static thread_local Store store;
        store.provide(waves);
        wg_.waves.clear();
        for(uint32_t i = 0; i < waves; ++i)
        {
            wg_.waves.push_back(store.waves[i].get());
            set_up_wave(*wg_.waves[i], wg_, i, setup_, store.scratch[i]);
        }
        lds_races_workgroup();
        for(const auto& observer : observers_)
            observer->begin(wg_);
    }

    /// Whether a wave came to a barrier or to its end.
    bool run_in_turn(const std::vector<uint32_t>& order, bool random)
    {
        bool progress = false;
        for(const uint32_t i : order)
        {
            Wave& w = *wg_.waves[i];
            if(w.state == RunState::ended || w.state == RunState::at_barrier)
                continue;
            const uint64_t instructions = random ? 1 + random_() % 200 : turn;
            if(observers_.empty())
                run_wave<false>(w, instructions, observers_);
            else
                run_wave<true>(w, instructions, observers_);
            progress = progress || w.state != RunState::yielded;
        }
        return progress;
    }

    bool all_in(RunState state) const
    {
        return std::all_of(
            wg_.waves.begin(), wg_.waves.end(), [&](const Wave* w) { return w->state == state; });
    }

    /// Waves that have ended do not hold up the others.
    void pass_barrier()
    {
        bool waiting = false;
        for(const Wave* w : wg_.waves)
        {
            if(w->state != RunState::ended && w->state != RunState::at_barrier)
                return;
            waiting = waiting || w->state == RunState::at_barrier;
        }
        if(!waiting)
            return;
        lds_races_barrier();
        for(const auto& observer : observers_)
            observer->barrier(wg_);
        for(Wave* w : wg_.waves)
            if(w->state == RunState::at_barrier)
                w->state = RunState::running;
    }

    [[noreturn]] void endless_loop() const
    {
        fprintf(stderr,
                "emu: kernel %s: workgroup (%u,%u,%u) has run over %lu instructions without "
                "reaching a barrier "
                "or the end; endless loop?\n",
                setup_.kernel.name.c_str(),
                wg_.id[0],
                wg_.id[1],
                wg_.id[2],
                static_cast<unsigned long>(endless_turns * turn));
        abort();
    }

    const WaveSetup& setup_;
    std::mt19937_64 random_;
    Observers observers_;
    Workgroup wg_;
};

/// Whether the kernel and the target allow the launch; says why not.
Launched check(const Kernel& kernel, const LaunchDims& dims, uint32_t threads, uint32_t lds)
{
    if(threads == 0 || dims.grid[0] == 0 || dims.grid[1] == 0 || dims.grid[2] == 0)
        return Launched::empty;
    if(threads > kernel.max_threads)
    {
        fprintf(stderr,
                "emu: launch of %s with %u threads exceeds max_flat_workgroup_size %u\n",
                kernel.name.c_str(),
                threads,
                kernel.max_threads);
        return Launched::refused;
    }
    if(lds > target.lds)
    {
        fprintf(stderr,
                "emu: launch of %s needs %u bytes of LDS, %s has %u\n",
                kernel.name.c_str(),
                lds,
                target.name.c_str(),
                target.lds);
        return Launched::refused;
    }
    return Launched::done;
}

void print_statistics(const WaveSetup& setup, uint32_t lds, uint64_t instructions, double seconds)
{
    const Kernel& k     = setup.kernel;
    const LaunchDims& d = setup.dims;
    fprintf(stderr,
            "emu: %s grid %ux%ux%u block %ux%ux%u lds %u scratch %u vgpr %u agpr %u sgpr %u spill "
            "%u: %lu wave "
            "instructions, %.3f s, %.1f M/s\n",
            k.name.c_str(),
            d.grid[0],
            d.grid[1],
            d.grid[2],
            d.block[0],
            d.block[1],
            d.block[2],
            lds,
            k.scratch_per_lane,
            k.vgprs,
            k.agprs,
            k.sgprs,
            k.spilled,
            static_cast<unsigned long>(instructions),
            seconds,
            static_cast<double>(instructions) / seconds / 1e6);
}

/// Bytes of scratch a lane; calls whose depth is not known get some.
uint32_t scratch_per_lane(const Kernel& kernel)
{
    const bool dynamic_stack = kernel.properties >> 11 & 1;
    return (kernel.scratch_per_lane + (dynamic_stack ? 16384 : 0) + 15) & ~15u;
}

} // namespace

Launched run_kernel(const Kernel& kernel, const LaunchDims& dims, void* arguments)
{
    const uint32_t* const block = dims.block;
    const uint32_t* const grid  = dims.grid;
    const uint32_t lds          = kernel.lds + dims.dynamic_lds;
    const Launched checked      = check(kernel, dims, block[0] * block[1] * block[2], lds);
    if(checked != Launched::done)
        return checked;
    DispatchPacket packet{};
    for(int axis = 0; axis < 3; ++axis)
    {
        packet.block[axis]   = static_cast<uint16_t>(block[axis]);
        packet.threads[axis] = grid[axis] * block[axis];
    }
    packet.scratch_per_lane = kernel.scratch_per_lane;
    packet.lds              = lds;
    packet.descriptor       = kernel.descriptor;
    packet.arguments        = reinterpret_cast<uint64_t>(arguments);
    mem_add(reinterpret_cast<uint64_t>(&packet), sizeof packet, "dispatch packet");
    const WaveSetup setup{
        kernel, dims, packet, arguments, scratch_per_lane(kernel), options().poison ? poison : 0};

    const uint64_t workgroups = static_cast<uint64_t>(grid[0]) * grid[1] * grid[2];
    std::atomic<uint64_t> next{0}, instructions{0};
    std::unique_ptr<timing::Recorder> recorder;
    if(options().time)
        recorder = std::make_unique<timing::Recorder>(kernel, dims, lds);
    const auto work = [&](int number) {
        const DenormalMode mode(kernel.rsrc1);
        Worker worker(setup, lds, number, recorder.get());
        if(recorder)
            for(const uint64_t id : recorder->workgroups())
                instructions += worker.run(id);
        else
            for(uint64_t id = next++; id < workgroups; id = next++)
                instructions += worker.run(id);
    };
    const auto start = std::chrono::steady_clock::now();
    const auto threads =
        recorder ? 1 : std::min<uint64_t>(workgroups, std::max(1, options().threads));
    if(threads == 1)
        work(0);
    else
    {
        std::vector<std::thread> workers;
        for(uint64_t i = 0; i < threads; ++i)
            workers.emplace_back(work, static_cast<int>(i));
        for(std::thread& worker : workers)
            worker.join();
    }
    if(recorder)
        recorder->report();
    mem_del(reinterpret_cast<uint64_t>(&packet));
    if(options().statistics)
        print_statistics(
            setup,
            lds,
            instructions,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    return Launched::done;
}

} // namespace emu
