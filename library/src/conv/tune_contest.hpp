#pragma once
// Which of a spec's kernels is the fastest, of those that compute the right numbers.
#include "ck/tune.hpp"

#include "conv/tune_buffers.hpp"
#include "utility/contest.hpp"
#include <string>
#include <vector>

namespace ck::conv {

/// A kernel with its runs: launch 0 is on the buffers' set of run 0.
struct Contestant
{
    std::string kernel;
    measure::Launch launch;
};

/// How far apart two right results may be. Operands are -1, 0 and 1, so that each sum is exact in
/// every type that kernels add in, and in any order (at 14 bits, the fewest, up to millions of
/// terms): a sum that is only rounded is the same in all kernels. Roundings that an epilogue's
/// kernels do in other places are bounded by the types' half units, of both results and of the
/// sums, which are below eight times their standard deviation.
class AllowedDifference
{
public:
    explicit AllowedDifference(const ConvPlan::Prepared& plan);
    double between(double one, double other) const;

private:
    double relative_ = 0; ///< of both results together
    double absolute_ = 0;
};

/// Where the numbers of `other` are not those of `first`: "element 17 is 3, not 5; 4 of 100
/// differ"; empty where they are.
std::string difference(const std::vector<double>& first,
                       const std::vector<double>& other,
                       const AllowedDifference& allowed);

/// Measures all, the predicted choice first, and writes what was found to the result. Before one
/// wins whose numbers are not those of the predicted choice it is left out, and named in
/// result.wrong; then the others are measured again.
void choose_fastest(TuneResult& result,
                    const ConvPlan::Prepared& predicted,
                    std::vector<Contestant> all,
                    TuneBuffers& buffers,
                    const measure::Rounds& rounds);

} // namespace ck::conv
