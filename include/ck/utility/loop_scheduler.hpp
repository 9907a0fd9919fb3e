#pragma once
// How a main loop interleaves its waves, in Composable Kernel's names. Accepted by the positional
// operations without effect: their schedule is a Pipeline.

namespace ck {

enum struct LoopScheduler
{
    Default,
    Interwave
};

constexpr LoopScheduler make_default_loop_scheduler() { return LoopScheduler::Default; }

} // namespace ck
