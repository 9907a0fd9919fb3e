// Plain loops, and the bounds.
#include "norm/batch_norm.hpp"

#include <sstream>

namespace ck::batch_norm_test {

namespace {

// Not the standard library's: nvcc compiles what is constexpr for the device, which has no long
// double.
Real clamped(Real z, Real least, Real most) { return z < least ? least : z > most ? most : z; }
Real nearest(Real z, Real a, Real b)
{
    const Real to_a = std::fabs(z - a), to_b = std::fabs(z - b);
    return to_a < to_b ? to_a : to_b;
}

} // namespace

BatchNorm::BatchNorm(const BatchNormSpec& s, const Options& o)
    : spec(s),
      options(o),
      plan(s),
      channel_type(channel_type_of(s.type)),
      rows(static_cast<std::size_t>(s.rows)),
      channels(static_cast<std::size_t>(s.channels)),
      x(s.type, (rows - 1) * x_stride() + channels, s.alignment),
      residual(s.type, rows * channels, s.alignment),
      y(s.type, rows * channels, s.alignment),
      dy(s.type, rows * channels, s.alignment),
      dx(s.type, rows * channels, s.alignment),
      d_residual(s.type, rows * channels, s.alignment),
      weight(channel_type, channels, size_of(channel_type)),
      bias(channel_type, channels, size_of(channel_type)),
      mean(channel_type, channels, size_of(channel_type)),
      inverse(channel_type, channels, size_of(channel_type)),
      running_mean(channel_type, channels, size_of(channel_type)),
      running_variance(channel_type, channels, size_of(channel_type)),
      d_weight(channel_type, channels, size_of(channel_type)),
      d_bias(channel_type, channels, size_of(channel_type)),
      workspace(plan.workspace_size()),
      u(rounding(channel_type)),
      u_stored(rounding(s.type))
{
    const auto of_channels = [&](Real from, Real by, std::uint32_t seed) {
        return numbers(channels, from, by, seed);
    };
    values.weight           = weight.write(of_channels(0.8L, 0.7L, 1));
    values.bias             = bias.write(of_channels(0, 0.6L, 2));
    values.running_mean     = running_mean.write(of_channels(0.3L, 1, 3));
    values.running_variance = running_variance.write(of_channels(1, 0.9L, 4));
    const Reals shift       = of_channels(0, 1, 5);
    Reals r(rows * channels), of_residual(rows * channels);
    for(std::size_t i = 0; i < r.size(); ++i)
    {
        r[i]           = o.mean + o.deviation * (shift[i % channels] + noise(i, 6) + noise(i, 7));
        of_residual[i] = noise(i, 8);
    }
    Reals wide(x.size(), std::numeric_limits<Real>::quiet_NaN());
    for(std::size_t i = 0; i < r.size(); ++i)
        wide[i / channels * x_stride() + i % channels] = r[i];
    wide = x.write(wide);
    for(std::size_t i = 0; i < r.size(); ++i)
        r[i] = wide[i / channels * x_stride() + i % channels];
    values.x        = r;
    values.residual = residual.write(of_residual);
    const std::vector<unsigned char> nan(plan.workspace_size(), 0xff);
    workspace.ToDevice(nan.data());
}

BatchNormTensors BatchNorm::tensors() const
{
    const auto given = [](bool is, const Tensor& t) { return is ? t.address() : nullptr; };
    return {.x                 = x.address(),
            .residual          = given(spec.residual, residual),
            .weight            = given(options.weight, weight),
            .bias              = given(options.bias, bias),
            .y                 = y.address(),
            .mean              = mean.address(),
            .inverse_deviation = inverse.address(),
            .running_mean      = given(options.running, running_mean),
            .running_variance  = given(options.running, running_variance),
            .dy                = dy.address(),
            .dx                = dx.address(),
            .d_residual        = given(spec.residual && options.d_residual, d_residual),
            .d_weight          = given(options.d_channels, d_weight),
            .d_bias            = given(options.d_channels, d_bias),
            .momentum          = options.momentum,
            .workspace         = workspace.GetDeviceBuffer()};
}

std::string BatchNorm::name() const
{
    std::ostringstream s;
    s << "type " << static_cast<int>(spec.type) << ", " << rows << " rows, " << channels
      << " channels, activation " << static_cast<int>(spec.activation) << ", residual "
      << spec.residual << ", alignment " << spec.alignment << ", x_stride " << spec.x_stride;
    return s.str();
}

Real BatchNorm::activated(Real z) const
{
    switch(spec.activation)
    {
    case BatchNormActivation::none:
        break;
    case BatchNormActivation::relu:
        return z > 0 ? z : 0;
    case BatchNormActivation::silu:
        return silu(z);
    case BatchNormActivation::clamp:
        return clamped(z, spec.least, spec.most);
    case BatchNormActivation::hard_swish:
        return z * clamped(z + 3, 0, 6) / 6;
    }
    return z;
}

Real BatchNorm::derivative(Real z) const
{
    switch(spec.activation)
    {
    case BatchNormActivation::none:
        break;
    case BatchNormActivation::relu:
        return z > 0 ? 1 : 0;
    case BatchNormActivation::silu:
        return silu_derivative(z);
    case BatchNormActivation::clamp:
        return z > spec.least && z < spec.most ? 1 : 0;
    case BatchNormActivation::hard_swish:
        return z <= -3 ? 0 : z < 3 ? z / 3 + 0.5L : 1;
    }
    return 1;
}

Real BatchNorm::to_jump(Real z) const
{
    switch(spec.activation)
    {
    case BatchNormActivation::none:
    case BatchNormActivation::silu:
        break;
    case BatchNormActivation::relu:
        return std::fabs(z);
    case BatchNormActivation::clamp:
        return nearest(z, spec.least, spec.most);
    case BatchNormActivation::hard_swish:
        return nearest(z, -3, 3);
    }
    return 1;
}

void BatchNorm::check_forward()
{
    plan.forward(tensors());
    const Real n = static_cast<Real>(rows), adds = additions();
    Reals right(rows * channels), bound(right.size());
    Reals means(channels), mean_bound(channels), inverses(channels), inverse_bound(channels);
    Reals new_mean(channels), new_mean_bound(channels), new_variance(channels),
        new_variance_bound(channels);
    for(std::size_t c = 0; c < channels; ++c)
    {
        const auto at = [&](std::size_t r) { return values.x[r * channels + c]; };
        // d is what is added: x without the pivot.
        Real sum = 0, absolute = 0, squares = 0, variance = 0;
        for(std::size_t r = 0; r < rows; ++r)
        {
            const Real d = at(r) - at(0);
            sum += d, absolute += std::fabs(d), squares += d * d;
        }
        const Real from_pivot = sum / n,
                   m          = at(0) + from_pivot; // has too few digits if it is large
        for(std::size_t r = 0; r < rows; ++r)
        {
            const Real from = at(r) - at(0) - from_pivot;
            variance += from * from / n;
        }
        // Each d is rounded once, then a sum's terms as often as there are additions.
        const Real e_mean     = (adds + 1) * u * absolute / n,
                   e_variance = (adds + 3) * u * squares / n + 2 * std::fabs(sum / n) * e_mean +
                                e_mean * e_mean,
                   inverted  = 1 / std::sqrt(variance + Real{spec.epsilon}),
                   e_inverse = inverted * (e_variance / (variance + Real{spec.epsilon}) + 2 * u);
        means[c]             = m;
        mean_bound[c]        = e_mean + u * std::fabs(m);
        inverses[c]          = inverted;
        inverse_bound[c]     = e_inverse;
        const Real momentum = options.momentum, unbiased = n / (n - 1);
        new_mean[c] = (1 - momentum) * values.running_mean[c] + momentum * m;
        new_mean_bound[c] =
            momentum * e_mean +
            3 * u * ((1 - momentum) * std::fabs(values.running_mean[c]) + momentum * std::fabs(m));
        new_variance[c] =
            (1 - momentum) * values.running_variance[c] + momentum * variance * unbiased;
        new_variance_bound[c] = momentum * e_variance * unbiased + 4 * u * new_variance[c];
        const Real scale      = std::fabs(weight_of(c)) * inverted;
        for(std::size_t r = 0; r < rows; ++r)
        {
            const std::size_t i = r * channels + c;
            const Real from     = at(r) - at(0) - from_pivot,
                       added    = spec.residual ? values.residual[i] : 0,
                       before = from * weight_of(c) * inverted + bias_of(c), z = before + added;
            // x - mean, its product, and two sums are rounded; the mean that is subtracted, too,
            // and the shift that makes up for it.
            const Real e_z = std::fabs(weight_of(c)) * e_inverse * std::fabs(from) +
                             scale * e_mean + 4 * u * scale * (std::fabs(from) + u * std::fabs(m)) +
                             2 * u * (std::fabs(bias_of(c)) + std::fabs(before) + std::fabs(z)) +
                             scale * 2 * u * u * std::fabs(m);
            right[i] = activated(z);
            // No activation is steeper than 1.5; a sigmoid is exact to a few roundings.
            bound[i] = 1.5L * e_z + 8 * u * std::fabs(z) + u_stored * std::fabs(right[i]) +
                       (spec.type == DataType::f16 ? smallest : 0x1p-100L);
            bound[i] *= 1.01L; // products of errors
        }
    }
    values.mean    = mean.read();
    values.inverse = inverse.read();
    expect("mean", values.mean, means, mean_bound);
    expect("inverse deviation", values.inverse, inverses, inverse_bound);
    expect("y", y.read(), right, bound);
    if(options.running)
    {
        expect("running mean", running_mean.read(), new_mean, new_mean_bound);
        expect("running variance", running_variance.read(), new_variance, new_variance_bound);
    }
}

void BatchNorm::check_backward()
{
    const Real n = static_cast<Real>(rows), adds = additions();
    const bool of_y      = spec.residual && spec.activation != BatchNormActivation::none;
    const Reals stored_y = y.read();
    // Where rounding may decide the derivative dy is 0.
    Reals of_dy(rows * channels), z(rows * channels), e_z(rows * channels);
    for(std::size_t i = 0; i < z.size(); ++i)
    {
        const std::size_t c = i % channels;
        const Real from = values.x[i] - values.mean[c], scale = weight_of(c) * values.inverse[c];
        z[i] = of_y ? stored_y[i] : from * scale + bias_of(c);
        e_z[i] =
            of_y ? 0
                 : 4 * u * std::fabs(from * scale) + u * (std::fabs(bias_of(c)) + std::fabs(z[i]));
        of_dy[i] = !of_y && to_jump(z[i]) <= e_z[i] ? 0 : noise(i, 9);
    }
    of_dy = dy.write(of_dy);
    Reals e_dz(of_dy.size()); // no second derivative is above a half; of the others none is rounded
    if(spec.activation == BatchNormActivation::silu ||
       spec.activation == BatchNormActivation::hard_swish)
        for(std::size_t i = 0; i < e_dz.size(); ++i)
            e_dz[i] = std::fabs(of_dy[i]) * (0.5L * e_z[i] + 16 * u);
    plan.backward(tensors());

    Reals right(rows * channels), bound(right.size()), dz(right.size());
    Reals weights(channels), weight_bound(channels), biases(channels), bias_bound(channels);
    // As in the stored type of a residual's sum.
    const auto stored = [&](double limit) {
        return with_type(spec.type, [&]<class T>(T) {
            return static_cast<Real>(type_convert<double>(type_convert<T>(limit)));
        });
    };
    for(std::size_t c = 0; c < channels; ++c)
    {
        const Real scale = weight_of(c) * values.inverse[c];
        Real sum = 0, e_sum = 0, moment = 0, e_moment = 0;
        for(std::size_t r = 0; r < rows; ++r)
        {
            const std::size_t i = r * channels + c;
            Real slope          = derivative(z[i]);
            if(of_y && spec.activation == BatchNormActivation::clamp)
                slope = z[i] > stored(spec.least) && z[i] < stored(spec.most) ? 1 : 0;
            dz[i]           = of_dy[i] * slope;
            const Real from = values.x[i] - values.mean[c];
            sum += dz[i], moment += dz[i] * from;
            e_sum += e_dz[i] + adds * u * std::fabs(dz[i]);
            e_moment += e_dz[i] * std::fabs(from) + (adds + 2) * u * std::fabs(dz[i] * from);
        }
        const Real inverted = values.inverse[c];
        weights[c]          = moment * inverted;
        weight_bound[c]     = (e_moment * inverted + u * std::fabs(weights[c])) * 1.01L + 0x1p-100L;
        biases[c]           = sum;
        bias_bound[c]       = (e_sum + u * std::fabs(sum)) * 1.01L + 0x1p-100L;
        for(std::size_t r = 0; r < rows; ++r)
        {
            const std::size_t i = r * channels + c;
            const Real from     = values.x[i] - values.mean[c];
            const Real part     = inverted * inverted * from / n;
            right[i]            = scale * (dz[i] - sum / n - part * moment);
            bound[i] =
                std::fabs(scale) *
                    (e_dz[i] + e_sum / n + std::fabs(part) * e_moment +
                     6 * u * (std::fabs(dz[i]) + std::fabs(sum / n) + std::fabs(part * moment))) +
                u_stored * std::fabs(right[i]) +
                (spec.type == DataType::f16 ? smallest : 0x1p-100L);
            bound[i] *= 1.01L;
        }
    }
    expect("dx", dx.read(), right, bound);
    if(options.d_channels)
    {
        expect("d_weight", d_weight.read(), weights, weight_bound);
        expect("d_bias", d_bias.read(), biases, bias_bound);
    }
    if(spec.residual && options.d_residual)
        expect("d_residual", d_residual.read(), dz, Reals(dz.size()));
}

void BatchNorm::check_inference()
{
    plan.inference(tensors());
    Reals right(rows * channels), bound(right.size());
    for(std::size_t i = 0; i < right.size(); ++i)
    {
        const std::size_t c = i % channels;
        const Real from     = values.x[i] - values.running_mean[c],
                   scale =
                       weight_of(c) / std::sqrt(values.running_variance[c] + Real{spec.epsilon}),
                   added  = spec.residual ? values.residual[i] : 0,
                   before = from * scale + bias_of(c), z = before + added;
        right[i] = activated(z);
        // The variance with epsilon, its root and the quotient are rounded, epsilon before.
        const Real e_z =
            8 * u * std::fabs(from * scale) + 2 * u * (std::fabs(before) + std::fabs(z));
        bound[i] = (1.5L * e_z + 8 * u * std::fabs(z) + u_stored * std::fabs(right[i]) +
                    (spec.type == DataType::f16 ? smallest : 0x1p-100L)) *
                   1.01L;
    }
    expect("y of inference", y.read(), right, bound);
}

} // namespace ck::batch_norm_test
