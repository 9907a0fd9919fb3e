// A kernel without code for the device: nvcc 13 drops the call (one_name.py).
#include "ck/arch/kernel.hpp"

#include <type_traits>

namespace {

template <class T, int count>
struct DroppedKernel
{
    struct Params
    {};
    struct SharedStorage
    {};
    static constexpr int block_size                    = 64;
    static constexpr int min_blocks_per_cu             = 1;
    static constexpr ck::arch::Requirement requirement = ck::arch::Requirement::none;
    CK_DEVICE static void run(const Params&, SharedStorage&) {}
};

template <class F>
void with_kernel(int count, const F& f)
{
    const auto of = [&]<class T>(T) {
        if(count == 0)
            return f(DroppedKernel<T, 0>{});
        if constexpr(!std::is_same_v<T, double>)
            switch(count)
            {
            case 1:
                return f(DroppedKernel<T, 1>{});
            }
        f(DroppedKernel<T, 2>{});
    };
    of(double{});
}

template <class Kernel>
void start(Kernel)
{
    static_cast<void>(ck::arch::launch<Kernel>(1, nullptr, {}));
}

} // namespace

void start_dropped(int count)
{
    with_kernel(count, [](auto kernel) { start(kernel); });
}
