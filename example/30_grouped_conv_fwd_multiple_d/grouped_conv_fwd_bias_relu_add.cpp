// Forward grouped convolution with bias, activation and residual in one kernel: Y = max(X * W +
// bias, 0) + residual.
#include "common/conv_example.hpp"

using namespace example;

struct ConvBiasReluAdd : ConvExample<EXAMPLE_TYPE>
{
    using Direction = Forward<ConvBiasReluAdd>;
    using Operation = ck::tensor_operation::element_wise::AddReluAdd;
    template <index_t rank>
    using Operations = GroupedOperations<ConvBiasReluAdd, rank, Engine::EXAMPLE_ENGINE>;

    static Operation operation() { return {}; }
    static constexpr std::array d_tensors{D::bias, D::residual};

    static Defaults defaults()
    {
        const auto with_groups = [](index_t g) {
            return ConvParam(2, g, 2, 256, 192, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
        };
        return {with_groups(32), with_groups(2)};
    }
};

int main(int argc, char* argv[]) { return conv_main<ConvBiasReluAdd>(argc, argv); }
