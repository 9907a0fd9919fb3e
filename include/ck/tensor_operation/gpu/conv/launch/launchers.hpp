#pragma once
// The launchers of the library's own kernels. Those of others need no line here, see
// docs/howto/add_a_kernel.md.
#include "ck/tensor_operation/gpu/conv/launch/conv_depthwise.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_filter_rows.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_first_layer.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_fused_phases.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_gemm.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_group_slabs.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_halo_tiles.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_long_filter.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_pointwise.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_sliced_k.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_tensor_maps.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_weight_group_slabs.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_weight_halo_tiles.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_weight_windows.hpp"
#include "ck/tensor_operation/gpu/conv/launch/conv_windows.hpp"
