// Backward data of a grouped convolution, dX = dY * W.
#include "common/conv_example.hpp"

using namespace example;

struct BwdData : ConvExample<EXAMPLE_TYPE>
{
    using Direction = BackwardData<BwdData>;
    template <index_t rank>
    using Operations = GroupedOperations<BwdData, rank, Engine::EXAMPLE_ENGINE>;

    static Defaults defaults()
    {
        const auto with_groups = [](index_t g) {
            return ConvParam(2, g, 4, 192, 192, {3, 3}, {28, 28}, {1, 1}, {1, 1}, {1, 1}, {1, 1});
        };
        return {with_groups(32), with_groups(2)};
    }
};

int main(int argc, char* argv[]) { return conv_main<BwdData>(argc, argv); }
