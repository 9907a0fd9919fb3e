#pragma once
// What this program was built for.

namespace ck::profiler {

/// Whether the CPU stands in for a GPU. arch::emulated says it of a source's language, and sources
/// without kernels are plain C++ on every platform.
#if defined(CK_PLATFORM_AMD) || defined(CK_PLATFORM_NVIDIA)
inline constexpr bool on_cpu = false;
#else
inline constexpr bool on_cpu = true;
#endif

} // namespace ck::profiler
