#pragma once
// Schedules and versions of main loops, under Composable Kernel's names. v1 keeps one slice in LDS,
// later versions more: positional operations map them to a Pipeline.

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
