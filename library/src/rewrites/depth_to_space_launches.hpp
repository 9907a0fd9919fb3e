#pragma once
// The launches around a convolution whose results are blocks of pixels of dX.
#include "ck/convolution/problem.hpp"
#include "ck/tensor_operation/gpu/grid/pixel_blocks.hpp"

#include <string>

namespace ck {
struct LaunchList;
}

namespace ck::tensor_operation::device::instance {

/// The tensors in device memory; filters and blocks are contiguous.
struct BlockTensors
{
    const void *dy, *w;
    void *filters, *blocks, *dx;
};

/// Whether there are launches for elements of this type.
bool has_depth_to_space(const std::string& type);

/// Adds the launch that makes the blocks' filters from W.
void make_block_filters(const std::string& type,
                        const ConvProblem& problem,
                        const grid::PixelBlocks& blocks,
                        const BlockTensors& tensors,
                        LaunchList& list);

/// Adds the launch that writes dX from its blocks.
void write_from_blocks(const std::string& type,
                       const ConvProblem& problem,
                       const grid::PixelBlocks& blocks,
                       const BlockTensors& tensors,
                       LaunchList& list);

} // namespace ck::tensor_operation::device::instance
