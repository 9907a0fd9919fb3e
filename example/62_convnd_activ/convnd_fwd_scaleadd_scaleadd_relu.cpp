// Forward convolution, scaled, with a scaled residual, a bias and an activation in the same kernel:
// Y = max(alpha1 X * W + alpha2 residual + bias, 0).
#include "activation.hpp"

using namespace example;

using element_wise::ScaleAddScaleAddRelu;

struct ConvScaleAdds : ActivationExample<EXAMPLE_TYPE, ScaleAddScaleAddRelu>
{
    using Direction = Forward<ConvScaleAdds>;
    template <index_t rank>
    using Operations = GroupedOperations<ConvScaleAdds, rank, Engine::EXAMPLE_ENGINE>;

    static ScaleAddScaleAddRelu operation() { return {2.f, 2.f}; }
    static double slope(double) { return 2; }
    static constexpr std::array d_tensors{D::residual, D::bias};
};

int main(int argc, char* argv[]) { return conv_main<ConvScaleAdds>(argc, argv); }
