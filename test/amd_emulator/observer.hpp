// Observers of running instructions: traces, profiles, checks. Without observers, waves run on a
// faster path.
#pragma once

#include "wave.hpp"
#include <memory>
#include <vector>

namespace emu {

/// One watches one worker thread, which runs one workgroup at a time.
class Observer
{
public:
    virtual ~Observer() = default;
    /// The waves have their first registers; none has run.
    virtual void begin(const Workgroup&) {}
    /// The instruction is about to run: operands are as it will read them.
    virtual void issue(const Wave&, const Instruction&) {}
    /// It has run.
    virtual void done(const Wave&, const Instruction&) {}
    /// All waves are at a barrier and go on.
    virtual void barrier(const Workgroup&) {}
    /// All waves have ended.
    virtual void end(const Workgroup&) {}
};
using Observers = std::vector<std::unique_ptr<Observer>>;

/// Makes the observers that the options ask for.
Observers make_observers();

std::unique_ptr<Observer> make_trace();
std::unique_ptr<Observer> make_profile();
std::unique_ptr<Observer> make_wait_counts();

/// Vector memory operations that a wave of this thread's workgroup has issued, and whether its
/// waits have seen the `number`-th done. Without the observer of wait counts: none, and yes.
uint32_t memory_operations(const Wave& wave);
bool has_waited_for(unsigned wave, uint32_t number);

} // namespace emu
