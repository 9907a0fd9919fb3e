// dX of a 3x3 convolution from dY and W, all ones, by the first instance that supports it.
#include "ck/ck.hpp"
#include "ck/library/tensor_operation_instance/gpu/convolution_backward_data.hpp"
#include "ck/library/utility/device_memory.hpp"

using namespace ck::tensor_operation::device::instance; // short names: NHWC, F32, PassThrough
using PT = PassThrough;
using Op = ck::tensor_operation::device::
    DeviceConvBwdData<2, NHWC, KYXC, NHWK, F32, F32, F32, PT, PT, PT>; // dX, W, dY

int main()
try
{
    const int n = 2, k = 8, c = 4, h = 9, w = 9;
    const std::vector<ck::index_t> image{h, w}, filter{3, 3}, one{1, 1}; // one: strides, pads ...
    std::vector<float> dx(n * h * w * c);
    DeviceMem in(sizeof(float) * n * h * w * c), weight(sizeof(float) * k * 9 * c),
        out(sizeof(float) * n * h * w * k);
    weight.SetValue(1.f);
    out.SetValue(1.f);
    for(const auto& op : DeviceOperationInstanceFactory<Op>::GetInstances())
    {
        void *x = in.GetDeviceBuffer(), *f = weight.GetDeviceBuffer(), *y = out.GetDeviceBuffer();
        const auto argument = op->MakeArgumentPointer(
            x, f, y, n, k, c, image, filter, image, one, one, one, one, PT{}, PT{}, PT{});
        if(!op->IsSupportedArgument(argument.get()))
            continue;
        op->MakeInvokerPointer()->Run(argument.get());
        in.FromDevice(dx.data());
        std::cout << op->GetTypeString() << ": dX in the corner is " << dx[0] << '\n';
        return dx[0] == 2 * 2 * k ? 0 : 1; // two by two taps reach it
    }
    throw std::runtime_error("no instance supports it");
}
catch(const std::exception& e) // no GPU, for example
{
    std::cerr << e.what() << '\n';
    return 1;
}
