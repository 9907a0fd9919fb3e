// Makes the matrix of a convolution's windows from the image.
#include "ck/library/reference_tensor_operation/cpu/reference_image_to_column.hpp"
#include "ck/tensor_operation/gpu/device/impl/device_image_to_column_impl.hpp"

#include "rearrange.hpp"

using namespace example;

struct ImageToColumnExample
{
    static constexpr bool reads_image = true;

    template <index_t rank>
    using Operation =
        ck::tensor_operation::device::DeviceImageToColumnImpl<rank,
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
        ReferenceImageToColumn<rank, typename Layouts<rank>::In, float, float>;
};

int main(int argc, char* argv[]) { return rearrange_main<ImageToColumnExample>(argc, argv); }
