// The kernel that sums lists.
#include "distributed/sum_in_order.hpp"

#include "ck/arch/index.hpp"
#include "ck/host_utility/kernel_launch.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ck::distributed {

namespace {

struct SumInOrder
{
    struct Params
    {
        float* sums;
        const float* others;
        long_index_t count;
        index_t lists, own;
        index_t threads; ///< in all blocks
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size        = 256;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr auto requirement          = arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const long_index_t first =
            static_cast<long_index_t>(arch::block_index()) * block_size + arch::thread_index();
        for(long_index_t i = first; i < p.count; i += p.threads)
        {
            float sum         = 0;
            const float* next = p.others + i;
            for(index_t list = 0; list < p.lists; ++list)
            {
                const float number = list == p.own ? p.sums[i] : *next;
                if(list != p.own)
                    next += p.count;
                sum = list == 0 ? number : sum + number;
            }
            p.sums[i] = sum;
        }
    }
};

} // namespace

long_index_t checked_count(std::size_t count)
{
    constexpr auto most =
        static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / sizeof(float);
    if(count > most)
        throw std::invalid_argument("a sum of " + std::to_string(count) +
                                    " numbers, but must be of at most " + std::to_string(most));
    return static_cast<long_index_t>(count);
}

void sum_in_order(
    float* sums, const float* others, long_index_t count, int lists, int own, hipStream_t stream)
{
    if(count == 0)
        return;
    const auto blocks = static_cast<index_t>(
        std::min<long_index_t>((count + 1023) / 1024, 1024)); // at least 4 numbers for each thread
    launch_and_time_kernel<SumInOrder>(
        {stream}, blocks, {sums, others, count, lists, own, blocks * SumInOrder::block_size});
}

} // namespace ck::distributed
