// The kernels of reductions: a workgroup, a wave or a part of one, or a thread for each result.
#include "ck/library/tensor_operation_instance/gpu/reduce/reduce.hpp"

#include "ck/tensor_operation/gpu/device/impl/device_reduce_strided.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

template <class Key, index_t sharers>
const PlainKernel<typename Key::Arguments>& kernel()
{
    return ReduceLaunch<typename Key::In,
                        typename Key::Acc,
                        typename Key::Out,
                        typename Key::Reduce,
                        typename Key::InOperation,
                        typename Key::AccOperation,
                        Key::propagate_nan,
                        sharers>::get();
}

} // namespace

template <class Key>
std::span<const PlainKernel<typename Key::Arguments>> reduce_kernels()
{
    static const std::vector<PlainKernel<typename Key::Arguments>> kernels{
        kernel<Key, 256>(), kernel<Key, 16>(), kernel<Key, 1>()};
    return kernels;
}

#define CK_REDUCE_KERNELS(i)                                                                       \
    template std::span<const PlainKernel<typename tuple_element_t<i, ReduceKeys>::Arguments>>      \
    reduce_kernels<tuple_element_t<i, ReduceKeys>>()
CK_REDUCE_KERNELS(0);
CK_REDUCE_KERNELS(1);
CK_REDUCE_KERNELS(2);
CK_REDUCE_KERNELS(3);
CK_REDUCE_KERNELS(4);
CK_REDUCE_KERNELS(5);
CK_REDUCE_KERNELS(6);
CK_REDUCE_KERNELS(7);
CK_REDUCE_KERNELS(8);
CK_REDUCE_KERNELS(9);
CK_REDUCE_KERNELS(10);
CK_REDUCE_KERNELS(11);
#undef CK_REDUCE_KERNELS
static_assert(ReduceKeys::Size() == 12, "each key has a line above");

} // namespace ck::tensor_operation::device::instance
