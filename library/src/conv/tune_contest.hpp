#pragma once
// Finds the fastest of a spec's kernels that compute the right numbers.
#include "ck/tune.hpp"

#include "conv/tune_buffers.hpp"
#include "utility/contest.hpp"
#include <string>
#include <vector>

namespace ck::conv {

/// A kernel with its runs: launch 0 uses the buffers' set of run 0.
struct Contestant
{
    std::string kernel;
    measure::Launch launch;
};

/// The largest difference of two correct results. Operands are -1, 0 and 1, so that each sum is
/// exact in every type in which kernels add, and in any order (with 14 bits, the fewest, for up to
/// millions of terms): a sum that is only rounded is the same in all kernels. If kernels round an
/// epilogue in other places, the bound is the half units of the types, for both results and for the
/// sums, which are less than eight times their standard deviation.
class AllowedDifference
{
public:
    explicit AllowedDifference(const ConvPlan::Prepared& plan);
    double between(double one, double other) const;

private:
    double relative_ = 0; ///< for both results together
    double absolute_ = 0;
};

/// How the numbers of `other` differ from those of `first`: "element 17 is 3, not 5; 4 of 100
/// differ"; empty if they do not.
std::string difference(const std::vector<double>& first,
                       const std::vector<double>& other,
                       const AllowedDifference& allowed);

/// Measures all, the predicted choice first, and writes the findings to the result. If the winner's
/// numbers differ from those of the predicted choice, it is left out and named in result.wrong, and
/// the others are measured again.
void choose_fastest(TuneResult& result,
                    const ConvPlan::Prepared& predicted,
                    std::vector<Contestant> all,
                    TuneBuffers& buffers,
                    const measure::Rounds& rounds);

} // namespace ck::conv
