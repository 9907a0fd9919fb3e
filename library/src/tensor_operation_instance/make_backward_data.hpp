#pragma once
// From a table of tunings to operations. Only generated source files include this: it instantiates
// kernels. The kernel of a tuning is the same in any number of dimensions; all three operations are
// made in one source file, and so it is compiled once.
#include "ck/tensor_operation/gpu/device/impl/device_convnd_bwd_data_implicit_gemm.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"

#include "tensor_operation_instance/backward_data_instances.hpp"
#include <array>
#include <utility>

namespace ck::tensor_operation::device::instance {

template <index_t rank, class In, class Wei, class Out, class T, GemmTuning tuning>
std::unique_ptr<BaseOperator> make_backward_data()
{
    using element_wise::PassThrough;
    using Operation = DeviceConvNdBwdDataImplicitGemm<rank,
                                                      In,
                                                      Wei,
                                                      Out,
                                                      T,
                                                      T,
                                                      T,
                                                      PassThrough,
                                                      PassThrough,
                                                      PassThrough,
                                                      tuning>;
    using Kernel    = typename Operation::Kernel;
    static_assert(Kernel::requirement == arch::Requirement::mma_sync ||
                      arch::shared_bytes<Kernel> <= 64 << 10,
                  "a workgroup has 64 KiB of LDS on AMD");
    return std::make_unique<Operation>();
}

/// Rows [first, last) of the table.
template <class T, const auto& table, std::size_t first, std::size_t last>
BackwardDataPart make_backward_data_part()
{
    using namespace tensor_layout::convolution;
    static const auto rows = []<std::size_t... i>(std::index_sequence<i...>)
    {
        return std::array{
            BackwardDataRow{{make_backward_data<1, NWC, KXC, NWK, T, table[first + i]>,
                             make_backward_data<2, NHWC, KYXC, NHWK, T, table[first + i]>,
                             make_backward_data<3, NDHWC, KZYXC, NDHWK, T, table[first + i]>}}...};
    }
    (std::make_index_sequence<last - first>{});
    return {data_type_of<T>, rows};
}

} // namespace ck::tensor_operation::device::instance
