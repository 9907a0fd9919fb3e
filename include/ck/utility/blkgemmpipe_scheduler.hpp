#pragma once
// Schedules and versions of main loops, in Composable Kernel's names. v1 has one slice in LDS, the
// later ones more: positional operations turn them into a Pipeline.

namespace ck {

enum struct BlockGemmPipelineScheduler
{
    Intrawave,
    Interwave
};

enum struct BlockGemmPipelineVersion
{
    v1,
    v2,
    v3,
    v4,
    v5
};

} // namespace ck
