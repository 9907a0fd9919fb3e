// A convolution whose result is mixed with another tensor in the same kernel: alpha times the
// result + beta times the residual, in any direction.
#include "activation.hpp"

using namespace example;

using element_wise::Bilinear;

struct ConvBilinear : ActivationExample<EXAMPLE_TYPE, Bilinear>
{
    using Direction = EXAMPLE_DIRECTION<ConvBilinear>;
    template <index_t rank>
    using Operations = GroupedOperations<ConvBilinear, rank, Engine::EXAMPLE_ENGINE>;

    static Bilinear operation() { return {1.5f, .5f}; }
    static double slope(double) { return 1.5; }
    static constexpr std::array d_tensors{D::residual};
};

int main(int argc, char* argv[]) { return conv_main<ConvBilinear>(argc, argv); }
