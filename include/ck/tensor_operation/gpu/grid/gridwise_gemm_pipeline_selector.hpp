#pragma once
// Composable Kernel's names for versions of a main loop. The positional operations accept and
// ignore them: their schedule is a Pipeline.

namespace ck {

enum struct PipelineVersion
{
    v1,
    v2,
    v4,
    weight_only
};

} // namespace ck
