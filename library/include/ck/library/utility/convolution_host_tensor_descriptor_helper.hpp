#pragma once
// Descriptors of contiguous convolution tensors: lengths and strides in logical order (G, N, C,
// spatial; G, K, C, filter; G, N, K, spatial), with the strides of the layout tag. A tag's name is
// the order in memory, slowest first.
#include "ck/library/utility/convolution_parameter.hpp"
#include "ck/library/utility/host_tensor.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ck::utils::conv {

namespace detail {

/// `lengths` are those of the dimensions `logical` (such as GNCHW), G first. A layout without G
/// must have one group. Throws std::runtime_error if a layout is not an order of these dimensions.
HostTensorDescriptor make_packed_descriptor(std::string_view layout,
                                            std::string_view logical,
                                            const std::vector<long_index_t>& lengths);

std::vector<long_index_t> concatenate(std::vector<long_index_t> first,
                                      const std::vector<long_index_t>& second);

/// For example, "GNC", "DHW" and 2 give "GNCHW".
std::string logical_order(const char* outer, const char* spatial, long_index_t num_dim_spatial);

} // namespace detail

/// The input: lengths and strides in the order G N C [D] H W, contiguous in the order of the tag.
/// Throws std::runtime_error if the tag is for another tensor or rank.
template <class InLayout>
HostTensorDescriptor make_input_host_tensor_descriptor_g_n_c_wis_packed(const ConvParam& param)
{
    return detail::make_packed_descriptor(
        InLayout::name,
        detail::logical_order("GNC", "DHW", param.num_dim_spatial_),
        detail::concatenate({param.G_, param.N_, param.C_}, param.input_spatial_lengths_));
}

/// The filters: lengths and strides in the order G K C [Z] Y X, contiguous in the order of the tag.
/// Throws std::runtime_error if the tag is for another tensor or rank.
template <class WeiLayout>
HostTensorDescriptor make_weight_host_tensor_descriptor_g_k_c_xs_packed(const ConvParam& param)
{
    return detail::make_packed_descriptor(
        WeiLayout::name,
        detail::logical_order("GKC", "ZYX", param.num_dim_spatial_),
        detail::concatenate({param.G_, param.K_, param.C_}, param.filter_spatial_lengths_));
}

/// The output: lengths and strides in the order G N K [D] H W, contiguous in the order of the tag.
/// Throws std::runtime_error if the tag is for another tensor or rank.
template <class OutLayout>
HostTensorDescriptor make_output_host_tensor_descriptor_g_n_k_wos_packed(const ConvParam& param)
{
    return detail::make_packed_descriptor(
        OutLayout::name,
        detail::logical_order("GNK", "DHW", param.num_dim_spatial_),
        detail::concatenate({param.G_, param.N_, param.K_}, param.output_spatial_lengths_));
}

} // namespace ck::utils::conv
