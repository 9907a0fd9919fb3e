// Forward convolution, Y = X * W.
#include "common/conv_example.hpp"

using namespace example;

struct ConvFwd : ConvExample<EXAMPLE_TYPE>
{
    using Direction = Forward<ConvFwd>;
    template <index_t rank>
    using Operations = GroupedOperations<ConvFwd, rank, Engine::EXAMPLE_ENGINE>;

    static Defaults defaults()
    {
        const auto with_batch = [](index_t n) {
            return ConvParam(2, 1, n, 256, 192, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
        };
        return {with_batch(128), with_batch(4)};
    }
};

int main(int argc, char* argv[]) { return conv_main<ConvFwd>(argc, argv); }
