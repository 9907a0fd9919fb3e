#pragma once
// The launch that adds up the parts of sums.
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/grid/sum_parts.hpp"

namespace ck::tensor_operation::device {

/// Of `rows` rows of `columns` in each of `groups` groups. Completes the parameters: shares the
/// parts among threads. Milliseconds if the configuration asks for time, else 0.
template <class Sum>
float launch_sum(typename Sum::Params s,
                 long_index_t rows,
                 index_t columns,
                 long_index_t groups,
                 const StreamConfig& config)
{
    s.columns           = columns;
    s.runs_of_row       = make_divisor(Sum::runs_of_row(columns));
    const index_t units = compute_unit_count();
    s.sharers         = Sum::most_sharers(groups * rows * s.runs_of_row.value, s.part_count, units);
    s.runs            = make_divisor(Sum::block_size / s.sharers);
    const auto blocks = static_cast<index_t>(Sum::blocks_of_group(rows, columns, s.sharers));
    s.blocks_of_group = make_divisor(blocks);
    return launch_and_time_kernel<Sum>(config, static_cast<index_t>(blocks * groups), s);
}

} // namespace ck::tensor_operation::device
