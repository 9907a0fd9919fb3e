// Calls the library utility, by whatever name it is linked.
#include "ck/library/utility/host_tensor.hpp"

#include <iostream>

int main()
{
    const HostTensorDescriptor descriptor({2, 3});
    std::cout << descriptor << '\n';
    return descriptor.GetElementSize() == 6 ? 0 : 1;
}
