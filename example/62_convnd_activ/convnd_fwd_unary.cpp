// Forward convolution with an activation in the same kernel, Y = Activation(X * W).
#include "activation.hpp"

using namespace example;

using Activation = element_wise::EXAMPLE_OPERATION;

struct ConvActivation : ActivationExample<EXAMPLE_TYPE, Activation>
{
    using Direction = Forward<ConvActivation>;
    template <index_t rank>
    using Operations = GroupedOperations<ConvActivation, rank, Engine::EXAMPLE_ENGINE>;
};

int main(int argc, char* argv[]) { return conv_main<ConvActivation>(argc, argv); }
