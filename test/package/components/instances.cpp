// Instances of the library, and nothing else of it.
#include "ck/ck.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"

using namespace ck::tensor_operation::device::instance;
using Op = ck::tensor_operation::device::
    DeviceConvBwdData<2, NHWC, KYXC, NHWK, F32, F32, F32, PassThrough, PassThrough, PassThrough>;

int main()
{
    const auto count = DeviceOperationInstanceFactory<Op>::GetInstances().size();
    std::cout << count << " instances\n";
    return count > 0 ? 0 : 1;
}
