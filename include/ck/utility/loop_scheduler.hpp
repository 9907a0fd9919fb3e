#pragma once
// How a main loop interleaves its waves, under Composable Kernel's names. The positional operations
// accept them without effect: their schedule is a Pipeline.

namespace ck {

enum struct LoopScheduler
{
    Default,
    Interwave
};

constexpr LoopScheduler make_default_loop_scheduler() { return LoopScheduler::Default; }

} // namespace ck
