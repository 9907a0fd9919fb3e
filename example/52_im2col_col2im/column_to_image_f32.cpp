// Makes the image from the matrix of a convolution's windows; overlapping elements are added up.
#include "ck/library/reference_tensor_operation/cpu/reference_column_to_image.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_column_to_image_impl.hpp"

#include "rearrange.hpp"

using namespace example;

struct ColumnToImageExample
{
    static constexpr bool reads_image = false;

    template <index_t rank>
    using Operation =
        ck::tensor_operation::device::DeviceColumnToImageImpl<rank,
                                                              typename Layouts<rank>::In,
                                                              float,
                                                              float,
                                                              256,                 // threads
                                                              128,                 // rows
                                                              32,                  // columns
                                                              ck::Sequence<32, 8>, // their grid
                                                              4>;                  // a vector
    template <index_t rank>
    using Reference = ck::tensor_operation::host::
        ReferenceColumnToImage<rank, typename Layouts<rank>::In, float, float>;
};

int main(int argc, char* argv[]) { return rearrange_main<ColumnToImageExample>(argc, argv); }
