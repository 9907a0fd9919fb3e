// Backward data of a grouped convolution (the forward pass of a transposed convolution) with bias
// and activation in one kernel: dX = max(dY * W + bias, 0).
#include "common/conv_example.hpp"

using namespace example;

struct BwdDataBiasRelu : ConvExample<EXAMPLE_TYPE>
{
    using Direction = BackwardData<BwdDataBiasRelu>;
    using Operation = ck::tensor_operation::element_wise::AddRelu;
    template <index_t rank>
    using Operations = GroupedOperations<BwdDataBiasRelu, rank, Engine::EXAMPLE_ENGINE>;

    static Operation operation() { return {}; }
    static constexpr std::array d_tensors{D::bias};

    static Defaults defaults()
    {
        const auto with_groups = [](index_t g) {
            return ConvParam(2, g, 4, 192, 192, {3, 3}, {28, 28}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
        };
        return {with_groups(32), with_groups(2)};
    }
};

int main(int argc, char* argv[]) { return conv_main<BwdDataBiasRelu>(argc, argv); }
