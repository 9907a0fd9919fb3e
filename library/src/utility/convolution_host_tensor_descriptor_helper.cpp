// Strides from the name of a layout.
#include "ck/library/utility/convolution_host_tensor_descriptor_helper.hpp"

#include <stdexcept>

namespace ck::utils::conv::detail {

HostTensorDescriptor make_packed_descriptor(std::string_view layout,
                                            std::string_view logical,
                                            const std::vector<long_index_t>& lengths)
{
    std::string order(layout);
    if(order.find('G') == std::string::npos) // the group has length 1 and is slowest
        order.insert(0, "G");

    std::vector<std::size_t> strides(lengths.size(), 0);
    std::size_t found = 0, stride = 1;
    for(auto letter = order.rbegin(); letter != order.rend(); ++letter)
    {
        const std::size_t d = logical.find(*letter);
        if(d == std::string_view::npos || strides[d] != 0)
            break;
        strides[d] = stride;
        stride     = math::saturating_product(stride, static_cast<std::size_t>(lengths[d]));
        ++found;
        if(stride == 0) // an empty tensor: any strides, but each dimension counts once
            stride = 1;
    }
    if(found != order.size() || found != logical.size())
        throw std::runtime_error("unsupported layout " + std::string(layout) +
                                 ": not a packed order of the dimensions " + std::string(logical));
    if(order.size() != layout.size() && lengths[0] != 1)
        throw std::runtime_error("unsupported layout " + std::string(layout) +
                                 ": it has no group, but G is " + std::to_string(lengths[0]));
    return {lengths, strides};
}

std::vector<long_index_t> concatenate(std::vector<long_index_t> first,
                                      const std::vector<long_index_t>& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

std::string logical_order(const char* outer, const char* spatial, long_index_t num_dim_spatial)
{
    return std::string(outer) + (spatial + (3 - num_dim_spatial));
}

} // namespace ck::utils::conv::detail
