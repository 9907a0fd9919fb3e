#pragma once
// Backward data with strides that may be far longer than the input: of the s phases of a
// dimension at most Hi have a hi at all. Where s > Hi, the phases are numbered by their first, and
// only, hi, cls = h0 in [0, Hi), else as BackwardData does it:
//   r = (h0 + pad) mod s,  o = r mod g,  yt = (r/g) * (d/g)^-1 mod t;  taps only where o == 0
#include "ck/tensor_operation/operator_transform/backward_data.hpp"

namespace ck {

namespace detail {

/// x * y modulo m; x and y in [0, m). By doubling: kernels do it once for a tile, if ever.
CK_HOST_DEVICE constexpr index_t multiply_modulo(index_t x, index_t y, index_t m)
{
    const auto modulus = static_cast<std::uint32_t>(m);
    const auto add     = [&](std::uint32_t a, std::uint32_t b) {
        return a + b >= modulus ? a + b - modulus : a + b; // below 2^32
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

/// How one dimension is cut into phases.
struct PhasesOfDimension
{
    long_index_t count;
    bool by_pixel; // numbered by their first hi
};

/// Counts the phases of dimension i: by pixel also where filter taps times dilations do not fit
/// into 32 bits.
inline PhasesOfDimension phases_of_dimension(const ConvProblem& p, std::size_t i)
{
    const long_index_t s = p.stride[i], d = p.filter[i] == 1 ? 1 : p.dilation[i];
    const bool by_pixel = s > p.input[i] || s * d > index_limit / 2;
    return {by_pixel ? std::min(s, p.input[i]) : s, by_pixel};
}

} // namespace detail

/// Kernels whose workgroups stay for several tiles take BackwardData: there, what is asked of each
/// tile shows (H200: 1 to 7 % of short kernels), and their strides are short.
struct BackwardDataByPixel : public BackwardData
{
    struct PixelDimension
    {
        Divisor common;  // g = gcd(s, d); 0 where phases are numbered as BackwardData does it
        index_t inverse; // of d/g modulo t
    };
    PixelDimension of_pixels[3];
    /// What the first phases are: all of them where two strides are 2 at most and the third is 1.
    /// Kernels look theirs up once for a tile. More would not fit beside tensor maps in 4 KiB of
    /// parameters.
    static constexpr index_t found = 4;
    /// Residues, where what kernels read that walk along the taps follows each other: AMD's loads
    /// of parameters are 4, 8, 16, 32 or 64 bytes.
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

    /// Does what BackwardData::make does, for strides of any length.
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
    /// What phase `number` is: looked up, or found.
    CK_HOST_DEVICE constexpr Residues residues(index_t number) const;
    CK_HOST_DEVICE constexpr Residues find(index_t number) const;

    /// Phase `number` of [0, phase_count()); those of a dimension whose stride is not longer than
    /// the input most taps first.
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
    const index_t q    = quotient(r, p.common); // below t
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
