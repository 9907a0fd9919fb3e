#pragma once
// Backward data for strides that may be far longer than the input: at most Hi of the s phases of a
// dimension contain a position hi. If s > Hi, phases are numbered by their first (and only) hi, cls
// = h0 in [0, Hi); otherwise as in BackwardData:
//   r = (h0 + pad) mod s,  o = r mod g,  yt = (r/g) * (d/g)^-1 mod t;  taps only where o == 0
#include "ck/tensor_operation/operator_transform/backward_data.hpp"

namespace ck {

namespace detail {

/// x * y mod m for x, y in [0, m), by doubling. Kernels do this at most once per tile.
CK_HOST_DEVICE constexpr index_t multiply_modulo(index_t x, index_t y, index_t m)
{
    const auto modulus = static_cast<std::uint32_t>(m);
    const auto add     = [&](std::uint32_t a, std::uint32_t b) {
        return a + b >= modulus ? a + b - modulus : a + b; // the sum is below 2^32
    };
    std::uint32_t product = 0, factor = static_cast<std::uint32_t>(x);
    for(auto rest = static_cast<std::uint32_t>(y); rest > 0; rest >>= 1)
    {
        if(rest & 1)
            product = add(product, factor);
        factor = add(factor, factor);
    }
    return static_cast<index_t>(product);
}

/// The y in [0, m) with x * y = 1 modulo m; x and m have no common factor.
constexpr index_t inverse_modulo(long_index_t x, long_index_t m)
{
    long_index_t r = m, next_r = x % m, y = 0, next_y = 1; // Euclid's algorithm, extended
    while(next_r != 0)
    {
        const long_index_t q = r / next_r, r2 = r - q * next_r, y2 = y - q * next_y;
        r      = next_r;
        next_r = r2;
        y      = next_y;
        next_y = y2;
    }
    return static_cast<index_t>(m == 1 ? 0 : (y % m + m) % m);
}

/// How one dimension is divided into phases.
struct PhasesOfDimension
{
    long_index_t count;
    bool by_pixel; // numbered by their first hi
};

/// Counts the phases of dimension i. Numbers them by pixel also if filter taps times dilations do
/// not fit 32 bits.
inline PhasesOfDimension phases_of_dimension(const ConvProblem& p, std::size_t i)
{
    const long_index_t s = p.stride[i], d = p.filter[i] == 1 ? 1 : p.dilation[i];
    const bool by_pixel = s > p.input[i] || s * d > index_limit / 2;
    return {by_pixel ? std::min(s, p.input[i]) : s, by_pixel};
}

} // namespace detail

/// Kernels whose workgroups process several tiles use BackwardData instead: their strides are
/// short, and work per tile is visible there (H200: 1 to 7 % of short kernels).
struct BackwardDataByPixel : public BackwardData
{
    struct PixelDimension
    {
        Divisor common;  // g = gcd(s, d); 0 if phases are numbered as in BackwardData
        index_t inverse; // inverse of d/g modulo t
    };
    PixelDimension of_pixels[3];
    /// The first phases, computed on the host: all of them if two strides are at most 2 and the
    /// third is 1. Kernels look them up once per tile. More would not fit next to tensor maps in
    /// the 4 KiB of kernel parameters.
    static constexpr index_t found = 4;
    /// Residues in an order that keeps adjacent what kernels read together while they go along
    /// the taps: AMD loads parameters in 4, 8, 16, 32 or 64 bytes.
    struct Found
    {
        struct
        {
            Divisor rows;
            index_t taps, h0, yt, ho0;
        } part[3];
        struct
        {
            std::uint32_t multiplier, shift;
        } of_taps[3];

        static constexpr Found make(const Residues& r)
        {
            Found f{};
            const Residue* from[] = {&r.d, &r.h, &r.w};
            for(std::size_t i = 0; i < 3; ++i)
            {
                const auto& [rows, taps, h0, yt, ho0] = *from[i];
                f.part[i]                             = {rows, taps.value, h0, yt, ho0};
                f.of_taps[i]                          = {taps.multiplier, taps.shift};
            }
            return f;
        }
        CK_HOST_DEVICE CK_INLINE constexpr Residue residue(index_t i) const
        {
            const auto& [rows, taps, h0, yt, ho0] = part[i];
            return {rows, {taps, of_taps[i].multiplier, of_taps[i].shift}, h0, yt, ho0};
        }
    };
    Found first[found];

    /// Like BackwardData::make, for strides of any length.
    static BackwardDataByPixel make(const ConvProblem& problem, index_t batch)
    {
        BackwardDataByPixel r{BackwardData::make_dimensions(problem, batch), {}, {}};
        Spatial count{};
        for(std::size_t i = 0; i < 3; ++i)
        {
            const auto [phases, by_pixel] = detail::phases_of_dimension(problem, i);
            const Dimension& d            = r.dimension[i];
            const index_t t = d.tap_step.value, g = d.stride.value / t;
            count[i]       = phases;
            r.of_pixels[i] = {make_divisor(by_pixel ? g : 0),
                              detail::inverse_modulo(d.dilation / g, t)};
        }
        r.set_phases(count);
        for(index_t number = 0; number < math::min(found, r.phases); ++number)
            r.first[number] = Found::make(r.find(number));
        return r;
    }

    CK_HOST_DEVICE static constexpr Residue
    residue(const Dimension& d, const PixelDimension& p, index_t phase);
    /// The residues of phase `number`: looked up or computed.
    CK_HOST_DEVICE constexpr Residues residues(index_t number) const;
    CK_HOST_DEVICE constexpr Residues find(index_t number) const;

    /// Phase `number` in [0, phase_count()). In dimensions whose stride is not longer than the
    /// input, phases with most taps come first.
    CK_HOST_DEVICE CK_INLINE constexpr Phase make_phase(index_t number, index_t images) const
    {
        return BackwardData::make_phase(residues(number), images);
    }
};

CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Residue
BackwardDataByPixel::residue(const Dimension& d, const PixelDimension& p, index_t phase)
{
    if(p.common.value == 0)
        return BackwardData::residue(d, phase);
    const bool wraps   = phase < d.pad_rest; // (h0 + pad) mod s is h0 - pad_rest, or s more
    const index_t r    = phase - d.pad_rest + (wraps ? d.stride.value : 0);
    const index_t q    = quotient(r, p.common); // the quotient is below t
    const index_t yt   = detail::multiply_modulo(q, p.inverse, d.tap_step.value);
    const bool has_tap = r == q * p.common.value && yt < d.filter;
    const Divisor none = make_divisor(0);
    return {select(phase < d.rows_rest, d.rows_more, d.rows),
            select(has_tap, select(yt < d.taps_rest, d.taps_more, d.taps), none),
            phase,
            has_tap ? yt : 0,
            d.pad_steps - (wraps ? 1 : 0) - (has_tap ? quotient(d.dilation * yt, d.stride) : 0)};
}

CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Residues
BackwardDataByPixel::find(index_t number) const
{
    const index_t cd = quotient(number, phases_hw), in_hw = number - cd * phases_hw.value;
    const index_t ch = quotient(in_hw, phases_w), cw = in_hw - ch * phases_w.value;
    return {residue(dimension[0], of_pixels[0], cd),
            residue(dimension[1], of_pixels[1], ch),
            residue(dimension[2], of_pixels[2], cw)};
}

CK_HOST_DEVICE CK_INLINE constexpr BackwardData::Residues
BackwardDataByPixel::residues(index_t number) const
{
    const auto n = static_cast<std::uint32_t>(number);
    if(n >= found)
        return find(number);
    const Found& f = math::element_at(first, n);
    return {f.residue(0), f.residue(1), f.residue(2)};
}

} // namespace ck
