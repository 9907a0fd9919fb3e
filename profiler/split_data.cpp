// The kernel that fills memory.
#include "split_data.hpp"

#include "ck/arch/index.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include <algorithm>
#include <stdexcept>

namespace ck::profiler {

namespace {

template <class T>
struct Fill
{
    struct Params
    {
        T* to;
        HashedTensor from;
        long_index_t first, count;
        index_t threads; ///< threads of all blocks
    };
    struct SharedStorage
    {};
    static constexpr index_t block_size        = 256;
    static constexpr index_t min_blocks_per_cu = 1;
    static constexpr auto requirement          = arch::Requirement::none;

    CK_DEVICE static void run(const Params& p, SharedStorage&)
    {
        const long_index_t begin =
            static_cast<long_index_t>(arch::block_index()) * block_size + arch::thread_index();
        for(long_index_t i = begin; i < p.count; i += p.threads)
            p.to[i] = type_convert<T>(p.from[p.first + i]);
    }
};

template <class T>
void fill_as(void* to, const HashedTensor& from, long_index_t first, long_index_t count)
{
    const auto blocks = static_cast<index_t>(std::clamp<long_index_t>(count / 4096, 1, 4096));
    launch_and_time_kernel<Fill<T>>(
        {}, blocks, {static_cast<T*>(to), from, first, count, blocks * Fill<T>::block_size});
}

} // namespace

void fill(void* to, DataType type, const HashedTensor& from, long_index_t first, long_index_t count)
{
    switch(type)
    {
    case DataType::f32:
        return fill_as<float>(to, from, first, count);
    case DataType::f16:
        return fill_as<half_t>(to, from, first, count);
    case DataType::bf16:
        return fill_as<bhalf_t>(to, from, first, count);
    default:
        throw std::logic_error(std::string("no kernel fills with ") + name(type));
    }
}

} // namespace ck::profiler
