// A kernel with two names: its template argument was copied from a reference to const
// (one_name.py).
#include "ck/arch/kernel.hpp"

namespace {

struct Window
{
    int rows;
};
struct Tuning
{
    Window window;
};
constexpr Tuning tuning_of(const Window& window) { return {window}; }

template <Tuning tuning>
struct TwiceNamedKernel
{
    struct Params
    {};
    struct SharedStorage
    {};
    static constexpr int block_size                    = 64 * tuning.window.rows;
    static constexpr int min_blocks_per_cu             = 1;
    static constexpr ck::arch::Requirement requirement = ck::arch::Requirement::none;
    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

template <class Kernel>
hipError_t start()
{
    return ck::arch::launch<Kernel>(1, nullptr, {});
}

constexpr Tuning tunings[] = {tuning_of({1})};

} // namespace

hipError_t start_twice_named() { return start<TwiceNamedKernel<tunings[0]>>(); }
