// Labels: emulated on two targets
// Forward, backward and inference of every type, compared with plain loops.
#include "norm/batch_norm.hpp"

namespace ck::batch_norm_test {
namespace {

constexpr DataType types[]{DataType::f64, DataType::f32, DataType::f16, DataType::bf16};

} // namespace

TEST(BatchNormNumbers, OfEveryNumberOfChannels)
{
    for(const DataType type : types)
        for(const long_index_t channels : {1, 3, 8, 17, 64, 96, 130})
            for(const long_index_t rows : {2, 3, 50, 331})
                check(spec_of(type, rows, channels));
}

TEST(BatchNormNumbers, OfEveryAlignment)
{
    for(const DataType type : types)
        for(std::size_t alignment = size_of(type); alignment <= 16; alignment *= 2)
            for(const long_index_t channels : {4, 16, 20})
                check(spec_of(type, 45, channels, alignment));
}

TEST(BatchNormNumbers, OfEveryActivationAndResidual)
{
    for(const DataType type : types)
        for(const auto activation : {BatchNormActivation::none,
                                     BatchNormActivation::relu,
                                     BatchNormActivation::silu,
                                     BatchNormActivation::clamp,
                                     BatchNormActivation::hard_swish})
            for(const bool residual : {false, true})
                for(const bool d_residual : {false, true})
                {
                    BatchNormSpec spec = spec_of(type, 103, 24);
                    spec.activation    = activation;
                    spec.residual      = residual;
                    if(activation == BatchNormActivation::clamp)
                        spec.least = -0.7, spec.most = 1.6; // bf16 and f16 have one nearer to 0
                    if((residual && (activation == BatchNormActivation::silu ||
                                     activation == BatchNormActivation::hard_swish)) ||
                       (d_residual && !residual))
                        continue;
                    Options options;
                    options.d_residual = d_residual;
                    options.deviation  = activation == BatchNormActivation::hard_swish ? 3 : 1;
                    check(spec, options);
                    spec.channels = 7;
                    check(spec, options);
                }
}

TEST(BatchNormNumbers, WithoutWhatMayBeNull)
{
    for(const DataType type : types)
        for(int without = 0; without < 4; ++without)
        {
            BatchNormSpec spec = spec_of(type, 77, 40);
            spec.activation    = BatchNormActivation::relu;
            BatchNorm b(spec,
                        {.weight     = without != 0,
                         .bias       = without != 1,
                         .running    = without != 2,
                         .d_channels = without != 3});
            b.check_forward();
            b.check_backward();
        }
}

TEST(BatchNormNumbers, OfAMeanThatIsLargeBesideTheDeviation)
{
    for(const long_index_t channels : {5, 64})
    {
        BatchNorm f32(spec_of(DataType::f32, 700, channels), {.mean = 1e4L, .deviation = 1e-2L});
        f32.check_forward();
        f32.check_backward();
        BatchNorm f64(spec_of(DataType::f64, 700, channels), {.mean = 1e9L, .deviation = 1e-3L});
        f64.check_forward();
        f64.check_backward();
        BatchNorm f16(spec_of(DataType::f16, 700, channels), {.mean = 1000, .deviation = 1});
        f16.check_forward();
        f16.check_backward();
    }
}

TEST(BatchNormNumbers, OfChannelsWithoutADeviation)
{
    for(const DataType type : types)
    {
        BatchNorm b(spec_of(type, 60, 16), {.mean = 1000, .deviation = 0});
        b.check_forward();
        b.check_backward();
    }
}

TEST(BatchNormNumbers, OfMomentaAndEpsilons)
{
    for(const double momentum : {0., 0.25, 1.})
    {
        BatchNormSpec spec = spec_of(DataType::f32, 30, 8);
        spec.epsilon       = momentum == 1 ? 0.125 : 1e-3;
        Options options;
        options.momentum = momentum;
        check(spec, options);
    }
}

TEST(BatchNormNumbers, OfOneRowWithoutForward)
{
    BatchNorm b(spec_of(DataType::f32, 1, 12));
    b.check_inference();
    b.values.mean    = b.mean.write(b.values.running_mean);
    b.values.inverse = b.inverse.write(b.values.weight);
    b.check_backward();
}

TEST(BatchNormNumbers, OfTheFirstChannelsOfAWiderX)
{
    for(const DataType type : types)
        for(const long_index_t channels : {1, 7, 16, 96, 260})
            for(const long_index_t wider : {1, 5, 16, 100})
                for(const long_index_t rows : {1, 50, 331})
                    for(const bool residual : {false, true})
                    {
                        BatchNormSpec spec = spec_of(type, rows, channels);
                        spec.x_stride      = channels + wider;
                        spec.activation    = BatchNormActivation::relu;
                        spec.residual      = residual;
                        BatchNorm(spec).check_inference();
                    }
    BatchNormSpec spec = spec_of(DataType::bf16, 45, 24);
    spec.x_stride      = spec.channels;
    check(spec); // as without a stride
}

TEST(BatchNormNumbers, OfDerivativesWhereThereIsNone)
{
    // Without a deviation z is the bias; with dy = 1 its gradient is the derivative, once per row.
    const Real inf = std::numeric_limits<Real>::infinity();
    struct Case
    {
        BatchNormActivation activation;
        Reals z, derivative;
    };
    for(const Case& one : {Case{BatchNormActivation::relu, {-1, 0, 1e-30L, inf}, {0, 0, 1, 1}},
                           Case{BatchNormActivation::clamp, {-0.5L, -0.25L, 2, 3}, {0, 1, 0, 0}},
                           Case{BatchNormActivation::hard_swish, {-3, -2, 2, 3}, {0, -1, 7, 1}}})
        for(const DataType type : {DataType::f64, DataType::f32, DataType::bf16})
        {
            BatchNormSpec spec = spec_of(type, 6, 4);
            spec.activation    = one.activation;
            if(spec.activation == BatchNormActivation::clamp)
                spec.least = -0.5, spec.most = 2;
            BatchNorm b(spec, {.mean = 0, .deviation = 0});
            b.bias.write(one.z);
            b.dy.write(Reals(24, 1));
            b.plan.forward(b.tensors());
            b.plan.backward(b.tensors());
            const Reals got = b.d_bias.read();
            for(std::size_t c = 0; c < 4; ++c)
            {
                const bool swish = spec.activation == BatchNormActivation::hard_swish &&
                                   std::fabs(one.z[c]) < 3; // z / 3 + 1 / 2, in sixths
                EXPECT_NEAR(static_cast<double>(got[c]),
                            static_cast<double>(one.derivative[c]) * (swish ? 1 : 6),
                            1e-6)
                    << b.name() << ", z = " << static_cast<double>(one.z[c]);
            }
        }
}

TEST(BatchNormNumbers, OfTheSameBitsInEveryCallAndInPlace)
{
    for(const long_index_t channels : {9, 64})
    {
        BatchNormSpec spec = spec_of(DataType::bf16, 3000, channels);
        spec.residual      = true;
        spec.activation    = BatchNormActivation::relu;
        BatchNorm b(spec, {.running = false});
        b.check_forward();
        b.check_backward();
        const auto y = b.y.raw(), dx = b.dx.raw(), d_residual = b.d_residual.raw(),
                   d_weight = b.d_weight.raw(), mean = b.mean.raw();
        for(const Tensor* t : {&b.dx, &b.d_residual, &b.d_weight, &b.mean})
            t->fill();
        b.y.fill();
        b.plan.forward(b.tensors());
        b.plan.backward(b.tensors());
        EXPECT_EQ(b.y.raw(), y);
        EXPECT_EQ(b.dx.raw(), dx);
        EXPECT_EQ(b.d_residual.raw(), d_residual);
        EXPECT_EQ(b.d_weight.raw(), d_weight);
        EXPECT_EQ(b.mean.raw(), mean);
        // dx in the place of x, dz in that of dy, y in that of the residual
        BatchNormTensors t = b.tensors();
        t.y                = b.residual.address();
        b.plan.forward(t);
        EXPECT_EQ(b.residual.raw(), y);
        t.dx         = b.x.address();
        t.d_residual = b.dy.address();
        b.plan.backward(t);
        EXPECT_EQ(b.x.raw(), dx);
        EXPECT_EQ(b.dy.raw(), d_residual);
    }
}

} // namespace ck::batch_norm_test
