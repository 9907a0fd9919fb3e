// Results, biases, their gradients and residuals in tensors whose dimensions have any order in
// memory, and gaps: nothing may follow the order in memory instead of the channels' numbers.
#include "conv/random_spec.hpp"

namespace ck::conv_test {
namespace {

/// Small, with epilogues or a bias gradient; most are sound.
ConvSpec any_layout(Random& r)
{
    ConvSpec s;
    const auto rank = static_cast<std::size_t>(r.number(1, 3));
    s.direction     = static_cast<Direction>(r.number(0, 2));
    s.type          = r.one_of({DataType::f64, DataType::f32, DataType::f16, DataType::bf16});
    s.groups        = r.number(1, 4);
    s.n             = r.number(1, 3);
    s.k             = r.one_of({1, 2, 3, 8, 9});
    s.c             = r.one_of({1, 2, 3, 8, 9});
    s.input         = r.extents(rank, 1, rank == 3 ? 3 : 6);
    s.filter        = r.extents(rank, 1, 1);
    s.transposed    = r.one_in(4);
    if(s.direction == Direction::backward_weight)
        s.bias_gradient = true;
    else
    {
        s.epilogue.bias = !r.one_in(4);
        s.epilogue.residual =
            r.one_of({Residual::none, Residual::before_activation, Residual::after_activation});
        if(r.one_in(2))
            s.epilogue.activation =
                r.one_of({Activation::relu, Activation::silu, Activation::gelu});
        if(r.one_in(4))
            s.epilogue.scale = 2;
    }
    if(r.one_in(3))
        s.beta = 1;
    if(r.one_in(4))
        s.alignment = std::max<std::size_t>(element(name(s.type)).size, r.one_of({1, 2, 4, 8}));
    if(r.one_in(4))
        s.layout = r.one_of({Layout::channels_last, Layout::channels_first});
    else
    {
        const TensorLengths x = Convolution::x_lengths(s), w = Convolution::w_lengths(s),
                            y = Convolution::y_lengths(s);
        s.layout              = Layout::strided;
        s.x_strides           = random_strides(x, rank, r);
        s.w_strides           = random_strides(w, rank, r);
        s.y_strides           = random_strides(y, rank, r);
    }
    return s;
}

} // namespace

TEST(AnyLayout, OfAResultAndWhatIsAddedIsRight)
{
    Random random(51);
    std::map<std::string, int> right, refused;
    for(int i = 0; i < 400; ++i)
    {
        const ConvSpec spec = any_layout(random);
        PlanOptions options;
        if(random.one_in(4))
            options.workspace_limit = 0;
        for(const char* const allow : {"", "^SeparateEpilogue<"})
        {
            options.allow = allow;
            std::string what;
            const Outcome outcome = outcome_of(spec, options, what);
            EXPECT_NE(outcome, Outcome::wrong) << to_string(spec) << '\n' << what;
            ++(outcome == Outcome::right ? right : refused)[allow];
        }
    }
    for(const char* const allow : {"", "^SeparateEpilogue<"})
        std::printf("%s: %d right, %d refused\n", allow, right[allow], refused[allow]);
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_GE(right[""], 250);
    EXPECT_GE(right["^SeparateEpilogue<"], 80);
#endif
}

} // namespace ck::conv_test
