// Max pooling and its gradient compared with plain loops: exact, since the largest of some numbers
// is one of them, and gradients are small integers.
#include "ck/max_pool.hpp"

#include "norm/tensor.hpp"
#include <limits>
#include <sstream>

namespace ck {
namespace {

using norm_test::Real;
using norm_test::Reals;
using norm_test::Tensor;
using Lengths = MaxPoolSpec::Lengths;

const DataType types[] = {DataType::f64, DataType::f32, DataType::f16, DataType::bf16};

std::size_t elements(const MaxPoolSpec& s, const Lengths& l)
{
    return static_cast<std::size_t>(s.images * l[0] * l[1] * l[2] * s.channels);
}

std::string text(const MaxPoolSpec& s)
{
    std::ostringstream t;
    t << "type " << static_cast<int>(s.type) << ", " << s.images << " images, " << s.channels
      << " channels, alignment " << s.alignment;
    for(std::size_t d = 0; d < 3; ++d)
        t << "; " << s.input[d] << ", window " << s.window[d] << ", stride " << s.strides[d]
          << ", pad " << s.pads[d] << ", dilation " << s.dilations[d] << " -> " << s.output[d];
    return t.str();
}

struct Expected
{
    Reals y, dx;
    std::vector<std::size_t> taps;
};

/// f(element of y, element of x, number of the tap) for all taps in the input, in their order.
template <class F>
void each_tap(const MaxPoolSpec& s, const F& f)
{
    const auto at = [&](const Lengths& l, long_index_t n, const Lengths& i, long_index_t c) {
        return static_cast<std::size_t>(
            (((n * l[0] + i[0]) * l[1] + i[1]) * l[2] + i[2]) * s.channels + c);
    };
    const auto all = [](const Lengths& l, const auto& g) {
        for(Lengths i{}; i[0] < l[0]; ++i[0])
            for(i[1] = 0; i[1] < l[1]; ++i[1])
                for(i[2] = 0; i[2] < l[2]; ++i[2])
                    g(i);
    };
    for(long_index_t n = 0; n < s.images; ++n)
        all(s.output, [&](const Lengths& o) {
            all(s.window, [&](const Lengths& t) {
                Lengths i{};
                for(std::size_t d = 0; d < 3; ++d)
                    if(i[d] = o[d] * s.strides[d] - s.pads[d] + t[d] * s.dilations[d];
                       i[d] < 0 || i[d] >= s.input[d])
                        return;
                for(long_index_t c = 0; c < s.channels; ++c)
                    f(at(s.output, n, o, c),
                      at(s.input, n, i, c),
                      static_cast<std::size_t>((t[0] * s.window[1] + t[1]) * s.window[2] + t[2]));
            });
        });
}

Expected expected(const MaxPoolSpec& s, const Reals& x, const Reals& dy)
{
    const std::size_t count = elements(s, s.output), none = ~std::size_t{0};
    Expected e{Reals(count), Reals(x.size()), std::vector<std::size_t>(count, none)};
    std::vector<std::size_t> from(count);
    each_tap(s, [&](std::size_t y, std::size_t i, std::size_t tap) {
        if(e.taps[y] == none || x[i] > e.y[y])
            e.y[y] = x[i], e.taps[y] = tap, from[y] = i;
    });
    for(std::size_t y = 0; y < count; ++y)
        e.dx[from[y]] += dy[y];
    return e;
}

void run(const MaxPoolSpec& s)
{
    SCOPED_TRACE(text(s));
    const MaxPoolPlan plan(s);
    const Tensor x(s.type, elements(s, s.input), s.alignment),
        y(s.type, elements(s, s.output), s.alignment),
        dy(s.type, elements(s, s.output), s.alignment),
        dx(s.type, elements(s, s.input), s.alignment);
    const test::GuardedMemory taps(elements(s, s.output));
    Reals values(x.size()), gradients(y.size());
    for(std::size_t i = 0; i < values.size(); ++i) // few different ones: ties are frequent
        values[i] = std::floor(6 * norm_test::noise(i, 1));
    for(std::size_t i = 0; i < gradients.size(); ++i)
        gradients[i] = std::floor(3 * norm_test::noise(i, 2));
    x.write(values), dy.write(gradients);
    const Expected right = expected(s, values, gradients);

    plan.forward({.x = x.address(), .y = y.address()});
    EXPECT_EQ(y.read(), right.y) << "without taps";
    y.fill();
    plan.forward({.x = x.address(), .y = y.address(), .taps = taps.address()});
    EXPECT_EQ(y.read(), right.y);
    std::vector<unsigned char> stored(y.size());
    HIP_CHECK_ERROR(hipMemcpy(stored.data(), taps.address(), stored.size(), hipMemcpyDeviceToHost));
    EXPECT_EQ(std::vector<std::size_t>(stored.begin(), stored.end()), right.taps);
    plan.backward({.taps = taps.address(), .dy = dy.address(), .dx = dx.address()});
    EXPECT_EQ(dx.read(), right.dx);
}

/// With every type, and with and without vectors of channels.
void run_all(MaxPoolSpec s)
{
    for(const DataType type : types)
        for(const bool vectors : {true, false})
        {
            s.type      = type;
            s.channels  = vectors ? 24 : 5;
            s.alignment = vectors ? 16 : norm_test::size_of(type);
            run(s);
        }
}

TEST(MaxPool, OfImages)
{
    run_all({.images  = 2,
             .input   = {1, 9, 7},
             .window  = {1, 3, 3},
             .strides = {1, 2, 2},
             .pads    = {0, 1, 1},
             .output  = {1, 5, 4}});
}

TEST(MaxPool, OfVolumes)
{
    run_all({.images  = 2,
             .input   = {4, 6, 5},
             .window  = {2, 3, 2},
             .strides = {2, 1, 3},
             .pads    = {1, 0, 0},
             .output  = {2, 4, 2}});
}

TEST(MaxPool, OfSequences)
{
    run_all({.images  = 3,
             .input   = {1, 1, 31},
             .window  = {1, 1, 4},
             .strides = {1, 1, 3},
             .pads    = {0, 0, 2},
             .output  = {1, 1, 11}}); // the last window begins at the last pixel but two
}

TEST(MaxPool, WithDilations)
{
    run_all({.images    = 1,
             .input     = {3, 11, 13},
             .window    = {2, 3, 4},
             .strides   = {1, 2, 1},
             .pads      = {1, 3, 5},
             .dilations = {2, 3, 2},
             .output    = {3, 6, 12}});
}

TEST(MaxPool, WindowsWithGapsBetweenThem)
{
    run_all({.images  = 2,
             .input   = {1, 10, 11},
             .window  = {1, 1, 2},
             .strides = {1, 3, 4},
             .output  = {1, 4, 3}});
}

TEST(MaxPool, AlignmentWithoutVectors)
{
    for(const DataType type : types)
        run({.type      = type,
             .images    = 1,
             .channels  = 16,
             .input     = {1, 5, 5},
             .window    = {1, 5, 5},
             .pads      = {0, 2, 2},
             .output    = {1, 5, 5},
             .alignment = norm_test::size_of(type)});
}

TEST(MaxPool, NanAndInfinities)
{
    const Real nan = std::numeric_limits<Real>::quiet_NaN(),
               inf = std::numeric_limits<Real>::infinity();
    for(const DataType type : types)
    {
        SCOPED_TRACE(static_cast<int>(type));
        const MaxPoolSpec s{.type      = type,
                            .images    = 1,
                            .channels  = 1,
                            .input     = {1, 1, 12},
                            .window    = {1, 1, 3},
                            .strides   = {1, 1, 3},
                            .output    = {1, 1, 4},
                            .alignment = norm_test::size_of(type)};
        const Tensor x(type, 12, s.alignment), y(type, 4, s.alignment);
        x.write({nan, 1, 2, 3, nan, 5, -inf, -inf, -inf, 1, inf, -inf});
        MaxPoolPlan(s).forward({.x = x.address(), .y = y.address()});
        const Reals got = y.read();
        EXPECT_TRUE(std::isnan(got[0]) && std::isnan(got[1]));
        EXPECT_EQ(got[2], -inf);
        EXPECT_EQ(got[3], inf);
    }
}

} // namespace
} // namespace ck
