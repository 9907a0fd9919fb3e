#pragma once
// Versions of a main loop, in Composable Kernel's names. Accepted by the positional operations
// without effect: their schedule is a Pipeline.

namespace ck {

enum struct PipelineVersion
{
    v1,
    v2,
    v4,
    weight_only
};

} // namespace ck
