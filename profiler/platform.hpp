#pragma once
// The platform that this program was built for.
#include "ck/host_utility/runtime/platform.hpp"

namespace ck::profiler {

/// Whether the CPU stands in for a GPU. arch::emulated depends on a source's language, and sources
/// without kernels are plain C++ on every platform.
#if defined(CK_RUNTIME_HOST)
inline constexpr bool on_cpu = true;
#else
inline constexpr bool on_cpu = false;
#endif

} // namespace ck::profiler
