#pragma once
// Makes a problem from lists of lengths of packed channels-last tensors without groups.
#include "ck/tensor_operation/gpu/conv/argument/grouped_problem.hpp"

#include <array>
#include <string>
#include <vector>

namespace ck::tensor_operation::device {

/// N, K, C, and the [D][H]W lengths of what each of names[] says.
struct ProblemLists
{
    static constexpr const char* names[] = {"input lengths",
                                            "filter lengths",
                                            "output lengths",
                                            "strides",
                                            "dilations",
                                            "left pads",
                                            "right pads"};

    index_t n, k, c;
    std::array<const std::vector<index_t>*, 7> lists;
};

/// Makes a grouped problem with `rank` spatial dimensions from lists of lengths. Y is cropped to
/// the given output lengths.
inline GroupedProblem make_listed_problem(index_t rank, const ProblemLists& from)
{
    GroupedProblem r;
    for(std::size_t i = 0; i < from.lists.size(); ++i)
        if(from.lists[i]->size() != static_cast<std::size_t>(rank))
        {
            r.valid = refused("there are " + std::to_string(from.lists[i]->size()) + " " +
                              ProblemLists::names[i] + ", but a " + std::to_string(rank) +
                              "D convolution has " + std::to_string(rank));
            return r;
        }

    const auto& [input, filter, output, stride, dilation, pad_low, pad_high] = from.lists;
    ConvProblem& p                                                           = r.problem;
    p.rank                                                                   = rank;
    p.batch                                                                  = from.n;
    p.out_channels                                                           = from.k;
    p.in_channels                                                            = from.c;
    p.input    = to_spatial(*input, 1);
    p.filter   = to_spatial(*filter, 1);
    p.stride   = to_spatial(*stride, 1);
    p.dilation = to_spatial(*dilation, 1);
    p.pad_low  = to_spatial(*pad_low, 0);
    p.pad_high = to_spatial(*pad_high, 0);
    r.valid    = validate(p);
    if(!r.valid)
        return r;
    r.valid = crop_output(p, to_spatial(*output, 1));
    set_packed_strides(p);
    return r;
}

} // namespace ck::tensor_operation::device
