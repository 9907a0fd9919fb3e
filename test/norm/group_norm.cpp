// Plain loops, and the bounds.
#include "norm/group_norm.hpp"

#include <algorithm>
#include <sstream>

namespace ck::group_norm_test {

GroupNorm::GroupNorm(const GroupNormSpec& s, const Options& o)
    : spec(s),
      options(o),
      plan(s),
      channel_type(channel_type_of(s.type)),
      parameter_type(s.parameters_as_x ? s.type : channel_type),
      of_pixels(s.kind != NormKind::group),
      images(static_cast<std::size_t>(s.images)),
      pixels(static_cast<std::size_t>(s.pixels)),
      channels(static_cast<std::size_t>(s.channels)),
      groups(static_cast<std::size_t>(s.groups)),
      elements(images * pixels * channels),
      statistics(images * (of_pixels ? pixels : groups)),
      in_one(elements / statistics),
      x(s.type, elements, s.alignment),
      residual(s.type, s.residual ? elements : 0, s.alignment),
      y(s.type, elements, s.alignment),
      dy(s.type, elements, s.alignment),
      dx(s.type, elements, s.alignment),
      d_residual(s.type, s.residual ? elements : 0, s.alignment),
      weight(parameter_type, channels, size_of(parameter_type)),
      bias(parameter_type, channels, size_of(parameter_type)),
      mean(channel_type, statistics, size_of(channel_type)),
      inverse(channel_type, statistics, size_of(channel_type)),
      d_weight(parameter_type, channels, size_of(parameter_type)),
      d_bias(parameter_type, channels, size_of(parameter_type)),
      workspace(plan.workspace_size()),
      u(rounding(channel_type)),
      u_stored(rounding(s.type)),
      extra(of_pixels ? 2 : 0)
{
    values.weight     = weight.write(numbers(channels, 0.8L, 0.7L, 1));
    values.bias       = bias.write(numbers(channels, 0, 0.6L, 2));
    const Reals shift = numbers(images * channels, 0, 1, 5);
    Reals r(elements);
    for(std::size_t i = 0; i < r.size(); ++i)
        r[i] = o.mean + o.deviation * (shift[i / (pixels * channels) * channels + i % channels] +
                                       noise(i, 6) + noise(i, 7));
    values.x = x.write(r);
    if(s.residual)
        values.residual = residual.write(numbers(elements, 0, 1, 8));
    const std::vector<unsigned char> nan(plan.workspace_size(), 0xff);
    workspace.ToDevice(nan.data());
}

GroupNormTensors GroupNorm::tensors() const
{
    const auto given = [](bool is, const Tensor& t) { return is ? t.address() : nullptr; };
    return {.x                 = x.address(),
            .residual          = given(spec.residual, residual),
            .weight            = given(options.weight, weight),
            .bias              = given(options.bias, bias),
            .y                 = y.address(),
            .mean              = given(!has_no_mean(), mean),
            .inverse_deviation = inverse.address(),
            .dy                = dy.address(),
            .dx                = dx.address(),
            .d_residual        = given(spec.residual && options.d_residual, d_residual),
            .d_weight          = given(options.d_weight, d_weight),
            .d_bias            = given(options.d_bias, d_bias),
            .workspace         = workspace.GetDeviceBuffer()};
}

std::string GroupNorm::name() const
{
    std::ostringstream s;
    s << "kind " << static_cast<int>(spec.kind) << ", type " << static_cast<int>(spec.type) << ", "
      << images << " images, " << pixels << " pixels, " << channels << " channels, " << groups
      << " groups, activation " << static_cast<int>(spec.activation) << ", slope " << spec.slope
      << ", residual " << spec.residual << ", alignment " << spec.alignment << ", parameters as x "
      << spec.parameters_as_x;
    return s.str();
}

Real GroupNorm::additions() const
{
    // A row's threads, up to 256, have at most 32 channels, or more in several chunks.
    if(of_pixels)
        return static_cast<Real>(std::min<std::size_t>(channels, 32 + channels / 256)) + 14;
    return additions_of_channels();
}

Real GroupNorm::additions_of_channels() const
{
    // A block's 256 threads have 1 to 256 rows at a time, and every 500th row or so.
    const std::size_t rows = of_pixels ? images * pixels : pixels;
    return static_cast<Real>(std::min<std::size_t>(rows, 264 + rows / 64)) + 14;
}

Real GroupNorm::squared_deviation(Real mean_square) const
{
    const Real least = Real{spec.epsilon} * Real{spec.epsilon} / static_cast<Real>(channels);
    return spec.kind == NormKind::l2 ? std::max(mean_square, least)
                                     : mean_square + Real{spec.epsilon};
}

bool GroupNorm::is_limit(Real inverted) const
{
    return spec.kind == NormKind::l2 &&
           inverted >= (1 - 4 * u) * std::sqrt(static_cast<Real>(channels)) / Real{spec.epsilon};
}

Real GroupNorm::below_zero() const
{
    return spec.activation == GroupNormActivation::relu         ? 0
           : spec.activation == GroupNormActivation::leaky_relu ? Real{spec.slope}
                                                                : 1;
}

template <class F>
void GroupNorm::each_group(const F& f) const
{
    std::vector<std::size_t> indices(in_one);
    for(std::size_t s = 0; s < statistics; ++s)
    {
        for(std::size_t i = 0; i < indices.size(); ++i)
            if(of_pixels)
                indices[i] = s * channels + i;
            else
            {
                const std::size_t of_group = channels / groups;
                indices[i]                 = (s / groups * pixels + i / of_group) * channels +
                             s % groups * of_group + i % of_group;
            }
        f(s, indices);
    }
}

void GroupNorm::check_forward()
{
    plan.forward(tensors());
    const Real n = static_cast<Real>(in_one), adds = additions();
    Reals right(elements), bound(elements);
    Reals means(statistics), mean_bound(means), inverses(means), inverse_bound(means);
    each_group([&](std::size_t s, const std::vector<std::size_t>& indices) {
        // d is what is added: x without the pivot. A pixel's is a mean that is not exact.
        Real pivot = values.x[indices[0]], e_pivot = 0;
        if(of_pixels)
        {
            Real all = 0, magnitudes = 0;
            for(const std::size_t i : indices)
                all += values.x[i], magnitudes += std::fabs(values.x[i]);
            pivot   = has_no_mean() ? 0 : all / n;
            e_pivot = has_no_mean() ? 0 : (adds + 1) * u * magnitudes / n;
        }
        Real sum = 0, absolute = 0, squares = 0, variance = 0;
        for(const std::size_t i : indices)
        {
            const Real d = values.x[i] - pivot;
            sum += d, absolute += std::fabs(d) + e_pivot;
            squares += (std::fabs(d) + e_pivot) * (std::fabs(d) + e_pivot);
        }
        const Real from_pivot = has_no_mean() ? 0 : sum / n,
                   m          = pivot + from_pivot; // has too few digits if it is large
        for(const std::size_t i : indices)
        {
            const Real from = values.x[i] - pivot - from_pivot;
            variance += from * from / n;
        }
        // Each d is rounded once, then a sum's terms as often as there are additions.
        const Real e_mean     = has_no_mean() ? 0 : (adds + 1) * u * absolute / n,
                   e_variance = (adds + 3) * u * squares / n + 2 * std::fabs(from_pivot) * e_mean +
                                e_mean * e_mean,
                   squared = squared_deviation(variance), inverted = 1 / std::sqrt(squared),
                   e_inverse = inverted * (e_variance / squared + (2 + extra) * u);
        means[s]             = m;
        mean_bound[s]        = e_mean + u * std::fabs(m);
        inverses[s]          = inverted;
        inverse_bound[s]     = e_inverse;
        for(const std::size_t i : indices)
        {
            const std::size_t c = i % channels;
            const Real scale    = std::fabs(weight_of(c)) * inverted,
                       from     = values.x[i] - pivot - from_pivot,
                       before   = from * weight_of(c) * inverted + bias_of(c),
                       added = spec.residual ? values.residual[i] : 0, z = before + added;
            // x - mean, its product, and the sums are rounded; the mean that is subtracted, too,
            // and the shift that makes up for it.
            const Real e_z = std::fabs(weight_of(c)) * e_inverse * std::fabs(from) +
                             scale * e_mean + 4 * u * scale * (std::fabs(from) + u * std::fabs(m)) +
                             2 * u * (std::fabs(bias_of(c)) + std::fabs(before)) +
                             (spec.residual ? u * std::fabs(z) : 0) +
                             scale * 2 * u * u * std::fabs(m);
            right[i] = spec.activation == GroupNormActivation::silu ? silu(z)
                       : z > 0                                      ? z
                                                                    : z * below_zero();
            // silu is nowhere steeper than 1.1; a sigmoid is exact to a few roundings.
            bound[i] = std::max(1.1L, std::fabs(below_zero())) * (e_z + 8 * u * std::fabs(z)) +
                       u_stored * std::fabs(right[i]) + smallest_of_type();
            bound[i] *= 1.01L; // products of errors
        }
    });
    values.mean    = has_no_mean() ? Reals(statistics) : mean.read();
    values.inverse = inverse.read();
    expect("mean", values.mean, means, mean_bound);
    expect("inverse deviation", values.inverse, inverses, inverse_bound);
    expect("y", y.read(), right, bound);
}

void GroupNorm::check_backward()
{
    const Real n = static_cast<Real>(in_one), adds = additions(), more = additions_of_channels();
    const Reals stored_y = y.read();
    Reals from(elements), z(elements), e_z(elements), of_dy(elements);
    each_group([&](std::size_t s, const std::vector<std::size_t>& indices) {
        for(const std::size_t i : indices)
        {
            const std::size_t c = i % channels;
            from[i]             = values.x[i] - values.mean[s];
            const Real scaled   = from[i] * weight_of(c) * values.inverse[s];
            z[i]                = spec.residual ? stored_y[i] : scaled + bias_of(c);
            e_z[i] = 4 * u * std::fabs(scaled) + u * (std::fabs(bias_of(c)) + std::fabs(z[i]));
            // Where rounding may decide the derivative dy is 0. With a residual, y decides it.
            const bool jumps = !spec.residual && below_zero() != 1 && std::fabs(z[i]) <= e_z[i];
            of_dy[i]         = jumps ? 0 : noise(i, 9);
        }
    });
    of_dy = dy.write(of_dy);
    Reals dz(of_dy), e_dz(elements);
    for(std::size_t i = 0; i < elements; ++i)
        if(spec.activation == GroupNormActivation::silu)
        {
            dz[i]   = of_dy[i] * silu_derivative(z[i]);
            e_dz[i] = std::fabs(of_dy[i]) * (0.5L * e_z[i] + 16 * u);
        }
        else if(!(z[i] > 0))
        {
            dz[i] *= below_zero();
            e_dz[i] = 2 * u * std::fabs(dz[i]); // the slope and the product are rounded
        }
    plan.backward(tensors());

    // The last launch reads dz as it was stored.
    const bool is_stored = spec.residual && options.d_residual;
    const auto e_stored  = [&](std::size_t i) {
        const bool is_dy = z[i] > 0 || below_zero() == 1 || below_zero() == 0;
        return !is_stored || is_dy ? 0 : u_stored * std::fabs(dz[i]) + smallest_of_type();
    };
    Reals right(elements), bound(elements);
    Reals weights(channels), weight_bound(weights), biases(weights), bias_bound(weights);
    each_group([&](std::size_t s, const std::vector<std::size_t>& indices) {
        const Real inverted = values.inverse[s];
        Real sum = 0, e_sum = 0, moment = 0, e_moment = 0; // times the weight
        for(const std::size_t i : indices)
        {
            const std::size_t c = i % channels;
            const Real a = std::fabs(dz[i]), b = dz[i] * from[i], e_a = e_dz[i],
                       e_b = e_dz[i] * std::fabs(from[i]), w = std::fabs(weight_of(c));
            sum += weight_of(c) * dz[i], e_sum += w * (e_a + (adds + extra) * u * a);
            moment += weight_of(c) * b,
                e_moment += w * (e_b + (adds + 2 + extra) * u * std::fabs(b));
            weights[c] += b * inverted;
            weight_bound[c] += (e_b + (more + 2 + extra) * u * std::fabs(b)) * inverted;
            biases[c] += dz[i], bias_bound[c] += e_a + more * u * a;
        }
        if(has_no_mean())
            sum = e_sum = 0;
        if(is_limit(inverted))
            moment = e_moment = 0;
        for(const std::size_t i : indices)
        {
            const Real scale = weight_of(i % channels) * inverted,
                       part = inverted * inverted * inverted * from[i] / n, rest = inverted / n;
            right[i] = scale * dz[i] - rest * sum - part * moment;
            bound[i] =
                std::fabs(scale) * (e_dz[i] + e_stored(i)) + rest * e_sum +
                std::fabs(part) * e_moment +
                6 * u *
                    (std::fabs(scale * dz[i]) + std::fabs(rest * sum) + std::fabs(part * moment)) +
                u_stored * std::fabs(right[i]) + smallest_of_type();
            bound[i] *= 1.01L;
        }
    });
    if(is_stored)
    {
        Reals dz_bound(elements);
        for(std::size_t i = 0; i < elements; ++i)
            dz_bound[i] = 1.01L * (e_dz[i] + e_stored(i));
        expect("d_residual", d_residual.read(), dz, dz_bound);
    }
    for(std::size_t c = 0; c < channels; ++c)
    {
        const auto stored = [&](Real bound, Real value) {
            return (bound + (u + rounding(parameter_type)) * std::fabs(value)) * 1.01L +
                   (parameter_type == DataType::f16 ? smallest : 0x1p-100L);
        };
        weight_bound[c] = stored(weight_bound[c], weights[c]);
        bias_bound[c]   = stored(bias_bound[c], biases[c]);
    }
    expect("dx", dx.read(), right, bound);
    if(options.d_weight)
        expect("d_weight", d_weight.read(), weights, weight_bound);
    if(options.d_bias)
        expect("d_bias", d_bias.read(), biases, bias_bound);
}

void expect_same_bits(const GroupNormSpec& spec)
{
    GroupNorm g(spec);
    g.check_forward();
    g.check_backward();
    const auto y = g.y.raw(), dx = g.dx.raw(), d_weight = g.d_weight.raw(), d_bias = g.d_bias.raw(),
               mean = g.mean.raw(), d_residual = g.d_residual.raw();
    for(const Tensor* t : {&g.y, &g.dx, &g.d_weight, &g.d_bias, &g.mean, &g.d_residual})
        t->fill();
    g.plan.forward(g.tensors());
    g.plan.backward(g.tensors());
    EXPECT_EQ(g.y.raw(), y);
    EXPECT_EQ(g.dx.raw(), dx);
    EXPECT_EQ(g.d_weight.raw(), d_weight);
    EXPECT_EQ(g.d_bias.raw(), d_bias);
    EXPECT_EQ(g.mean.raw(), mean);
    EXPECT_EQ(g.d_residual.raw(), d_residual);
    GroupNormTensors t = g.tensors();
    if(spec.residual) // y in the place of the residual, its gradient in that of dy
    {
        t.y = g.residual.address(), t.d_residual = g.dy.address();
        g.plan.forward(t);
        EXPECT_EQ(g.residual.raw(), y);
        g.plan.backward(t);
        EXPECT_EQ(g.dy.raw(), d_residual);
        EXPECT_EQ(g.dx.raw(), dx);
        return;
    }
    t.dx = g.dy.address();
    g.plan.backward(t);
    EXPECT_EQ(g.dy.raw(), dx);
    t.y = g.x.address();
    g.plan.forward(t);
    EXPECT_EQ(g.x.raw(), y);
}

} // namespace ck::group_norm_test
