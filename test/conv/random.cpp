// Random specs, sound and not: each gives a right result or a refusal with a reason, nothing else.
#include "conv/convolution.hpp"
#include <random>

namespace ck::conv_test {
namespace {

class Random
{
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    long_index_t number(long_index_t least, long_index_t most)
    {
        return least +
               static_cast<long_index_t>(engine_() % static_cast<unsigned>(most - least + 1));
    }
    bool one_in(long_index_t n) { return number(1, n) == 1; }
    template <class T, std::size_t n>
    T one_of(const T (&values)[n])
    {
        return values[number(0, static_cast<long_index_t>(n) - 1)];
    }
    Extents extents(std::size_t rank, long_index_t least, long_index_t most)
    {
        Extents e;
        for(std::size_t i = 0; i < rank; ++i)
            e.push_back(number(least, most));
        return e;
    }

private:
    std::mt19937 engine_;
};

ConvSpec random_spec(Random& r)
{
    const auto rank = static_cast<std::size_t>(r.number(1, 3));
    ConvSpec s;
    s.direction = static_cast<Direction>(r.number(0, 2));
    s.type      = r.one_of({DataType::f32, DataType::f16, DataType::bf16, DataType::i8});
    s.layout    = r.one_of({Layout::channels_last, Layout::channels_first});
    s.groups    = r.number(1, 3);
    s.n         = r.number(0, 3);
    s.k         = r.one_of({1, 3, 8, 16});
    s.c         = r.one_of({1, 5, 8, 32});
    s.input     = r.extents(rank, 1, 7);
    s.filter    = r.extents(rank, 1, 3);
    s.strides   = r.extents(rank, 1, 3);
    s.dilations = r.extents(rank, 1, 2);
    for(std::size_t i = 0; i < rank; ++i)
        s.pads.push_back({r.number(-1, 2), r.number(-1, 3)});
    s.transposed = r.one_in(4);
    s.beta       = r.one_in(4) ? 1 : 0;
    if(r.one_in(3))
        s.epilogue.scale = 2;
    s.epilogue.bias = r.one_in(4);
    if(r.one_in(4))
        s.epilogue.activation = Activation::relu;
    if(r.one_in(3)) // one mistake or rarity
    {
        constexpr long_index_t numbers[]{-1,
                                         0,
                                         1 << 20,
                                         (long_index_t{1} << 31) - 1,
                                         long_index_t{1} << 31,
                                         long_index_t{1} << 62};
        long_index_t* const fields[]{&s.groups,
                                     &s.n,
                                     &s.k,
                                     &s.c,
                                     &s.input[0],
                                     &s.filter[0],
                                     &s.strides[0],
                                     &s.dilations[0],
                                     &s.pads[0].low,
                                     &s.pads[0].high};
        *r.one_of(fields) = r.one_of(numbers);
    }
    return s;
}

/// Small enough to be computed by plain loops.
bool is_small(const ConvSpec& s) { return s.x_bytes() + s.w_bytes() + s.y_bytes() < 100000; }

} // namespace

TEST(RandomSpecs, AreRightOrRefused)
{
    Random random(1);
    int right = 0, refused = 0, large = 0;
    for(int i = 0; i < 1500; ++i)
    {
        const ConvSpec spec = random_spec(random);
        try
        {
            const ConvPlan p = plan(spec);
            EXPECT_EQ(deserialize(p.serialize()).kernel(), p.kernel()) << to_string(spec);
            if(!is_small(spec))
            {
                ++large;
                continue;
            }
            EXPECT_EQ(Convolution(spec).mistakes(p), 0u) << p.explain();
            ++right;
        }
        catch(const Refused& why)
        {
            EXPECT_GT(std::string(why.what()).size(), 20u);
            ++refused;
        }
    }
    std::printf("%d right, %d refused, %d too large to run\n", right, refused, large);
    EXPECT_GE(right, 100);
    EXPECT_GE(refused, 100);
}

} // namespace ck::conv_test
