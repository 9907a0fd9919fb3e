#pragma once
// Convolutions by oneDNN's CPU engine: written by others, so it does not share our mistakes.
// oneDNN's header is not included here, because nvcc 13 aborts on it.
#include "ck/convolution/direction.hpp"
#include "ck/convolution/problem.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ck::test {

class OneDnn
{
public:
    /// What is multiplied.
    enum class Type
    {
        f32,
        bf16,
        i8,
    };
    using Order = std::array<std::size_t, 6>; ///< order of a tensor's dimensions in memory

    /// Dimensions of X and Y: n, g, c or k, d, h, w; of W: g, k, c, z, y, x.
    static constexpr Order image_order{1, 0, 2, 3, 4, 5}, filter_order{0, 1, 2, 3, 4, 5};

    OneDnn();
    ~OneDnn();

    /// The sums of a direction, packed like its result, from the two others of x, w and y: packed,
    /// integers that `type` has. For problems with output pixels. Nothing where this CPU or oneDNN
    /// has no such convolution.
    std::optional<std::vector<float>> sums(Direction direction,
                                           Type type,
                                           const ConvProblem& p,
                                           const std::vector<float>& x,
                                           const std::vector<float>& w,
                                           const std::vector<float>& y) const;

private:
    struct Engine;
    std::unique_ptr<Engine> engine_;
};

} // namespace ck::test
