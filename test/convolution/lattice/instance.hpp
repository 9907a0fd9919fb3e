#pragma once
// Kernels under test, whatever the direction: an operation with one tuning and one type, for
// problems of any rank.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"
#include "ck/utility/number.hpp"

#include "convolution/lattice/problems.hpp"
#include "convolution/lattice/tensors.hpp"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ck::test {

/// The last `rank` values, as operations take them.
inline std::vector<index_t> values(const Spatial& s, index_t rank)
{
    return std::vector<index_t>(s.end() - rank, s.end());
}

/// Arrays [g, n, c, (d, h,) w] and of spatial values, as grouped operations take them.
template <class Index, index_t rank>
std::array<Index, rank + 3> whole(const std::array<long_index_t, 6>& v)
{
    std::array<Index, rank + 3> r{};
    for(std::size_t i = 0; i < r.size(); ++i)
        r[i] = static_cast<Index>(v[i < 3 ? i : i + 3 - rank]);
    return r;
}
template <class Index, index_t rank>
std::array<Index, rank> spatial(const Spatial& v)
{
    std::array<Index, rank> r{};
    for(std::size_t i = 0; i < r.size(); ++i)
        r[i] = static_cast<Index>(v[i + 3 - rank]);
    return r;
}

/// Whether problems go through the operation of their rank, and without groups through that without
/// groups: with kernels of dot products, which every device has, but not where tunings are few. All
/// others go through the operation for groups in three dimensions, whose kernel is the same type:
/// what operations add does not depend on the instruction, and compiling it takes a third of the
/// time.
constexpr bool by_every_operation(const GemmTuning& tuning)
{
    return !first_tunings && instruction_of(tuning).requirement == arch::Requirement::none;
}

/// Calls f(Number<rank>{}).
template <class F>
auto with_rank(index_t rank, F&& f)
{
    return rank == 1 ? f(Number<1>{}) : rank == 2 ? f(Number<2>{}) : f(Number<3>{});
}

class Instance
{
public:
    Instance(Direction direction, std::string engine, Type type, const GemmTuning& tuning)
        : direction_(direction),
          engine_(std::move(engine)),
          type_(type),
          tuning_(tuning)
    {}
    virtual ~Instance() = default;

    /// Why the device or the operation refuses; empty when it would run.
    virtual std::string refusal(const ConvProblem&) const = 0;
    /// Runs and waits.
    virtual void run(const ConvProblem&, void* x, void* w, void* y) const = 0;
    /// Checks a problem that is not refused once more with a ChannelEpilogue, if kernels take one.
    virtual void expect_right_epilogue(const ConvProblem&) const {}
    virtual std::string name() const = 0;

    Direction direction() const { return direction_; }
    const std::string& engine() const { return engine_; }
    Type type() const { return type_; }
    const GemmTuning& tuning() const { return tuning_; }
    bool multiplies_in_tf32() const
    {
        return tuning_.instruction == arch::Matrix::mma_f32_16x8x8_tf32;
    }
    Fit fit() const
    {
        // Vectors are powers of two. Forward: A and B along C, C along K; backward data: A along K,
        // B and C along C.
        const bool forward = direction_ == Direction::forward;
        const index_t a = tuning_.a_vector, b = tuning_.b_vector, c = tuning_.c_vector;
        return {forward ? c : a,
                forward ? math::max(a, b) : math::max(b, c),
                tuning_.block_tile.m,
                tuning_.block_tile.n,
                tuning_.block_tile.k,
                forward};
    }

private:
    Direction direction_;
    std::string engine_;
    Type type_;
    GemmTuning tuning_;
};

using Instances = std::vector<std::unique_ptr<Instance>>;

/// The instances of all engines and of the program's direction, in the order of their files.
const Instances& all_instances();

#if defined(CK_LANGUAGE_HIP)
inline constexpr bool amd = true;
#else
inline constexpr bool amd = false;
#endif

/// Adds Of<T, tuning>, the tunings of one engine; only the first where first_tunings says so, and
/// where none runs: mma.sync on AMD.
template <template <class, GemmTuning> class Of, class T, GemmTuning first, GemmTuning... more>
void add_instances(Instances& all, const char* engine)
{
    all.push_back(std::unique_ptr<Instance>(new Of<T, first>(engine)));
    constexpr bool runs_nowhere = amd && arch::is_mma_sync(instruction_of(first).requirement);
    if constexpr(!first_tunings && !runs_nowhere)
        (all.push_back(std::unique_ptr<Instance>(new Of<T, more>(engine))), ...);
}

} // namespace ck::test
