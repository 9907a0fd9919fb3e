#pragma once
// The convolutions that the tests of forward and backward data compute: corners that have names,
// and seeded draws over the whole lattice of sizes, groups and layouts. Channels are made to fit a
// kernel's vectors and to lie on and beside the edges of its tiles.
#include "ck/convolution/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define CK_TEST_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CK_TEST_SANITIZED true
#endif
#endif

namespace ck::test {

/// Sanitizers make kernels compile and run several times longer.
#if defined(CK_TEST_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized     = false;
#endif

/// Whether only an engine's first tuning is tested, because each takes long to compile or to run.
/// See CK_EMULATED_TESTS in cmake/tests.cmake.
#if defined(CK_TEST_FIRST_TUNINGS)
inline constexpr bool first_tunings = true;
#else
inline constexpr bool first_tunings = sanitized;
#endif

/// What a kernel asks of the channels, and where its tiles end.
struct Fit
{
    index_t k_multiple, c_multiple;  // channels must be multiples of these
    index_t tile_rows, tile_columns; // size of one block
    index_t tile_k;                  // reduction elements of one slice
    bool forward = false;            // the reduction is C and the columns are K
};

struct NamedProblem
{
    std::string name;
    ConvProblem problem;
};

/// How much of the lattice a program computes. CK_TEST_SHAPES=all or small decides. Without it:
/// all; small under sanitizers and for a second run in another thread order
/// (CK_HOST_SCHEDULE_SEED), if there is a first (CK_TEST_ORDERS in cmake/tests.cmake). Every engine
/// runs either way.
bool small_run();

/// The corners, then `drawn` problems that depend on the seed. A small run leaves out two of
/// three tile edges and most of the draws, never a corner.
std::vector<NamedProblem> problems(const Fit& fit, std::uint32_t seed);

/// Whether it has one group and packed channel-last tensors.
bool is_plain(const ConvProblem& p);

/// Describes the sizes in one line.
std::string text(const ConvProblem& p);

} // namespace ck::test
