// Backward weight of a grouped convolution, dW = dY * X.
#include "common/conv_example.hpp"

using namespace example;

struct BwdWeight : ConvExample<EXAMPLE_TYPE>
{
    using Direction = BackwardWeight<BwdWeight>;
    template <index_t rank>
    using Operations = GroupedOperations<BwdWeight, rank, Engine::EXAMPLE_ENGINE>;

    static Defaults defaults()
    {
        const auto with = [](index_t g, index_t k) {
            return ConvParam(3,
                             g,
                             1,
                             k,
                             256,
                             {3, 3, 3},
                             {14, 14, 14},
                             {1, 1, 1},
                             {1, 1, 1},
                             {1, 1, 1},
                             {1, 1, 1});
        };
        return {with(4, 128), with(1, 64)};
    }
};

int main(int argc, char* argv[]) { return conv_main<BwdWeight>(argc, argv); }
