#pragma once
// DeviceOperationInstanceFactory, and short names for its parameters. The factories themselves are
// in gpu/, one file for each kind of operation.
#include "ck/ck.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/tensor_operation/gpu/element/element_wise_operation.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/tuple.hpp"

namespace ck::tensor_operation::device::instance {

/// GetInstances() returns all instances of the abstract operation DeviceOp; specialised in gpu/.
template <typename DeviceOp, typename Tag = void>
struct DeviceOperationInstanceFactory;

using F64  = double;       ///< f64
using F32  = float;        ///< f32
using F16  = half_t;       ///< f16
using BF16 = bhalf_t;      ///< bf16
using I8   = std::int8_t;  ///< int8
using I32  = std::int32_t; ///< int32

using Empty_Tuple     = Tuple<>;           ///< no D tensor
using F64_Tuple       = Tuple<F64>;        ///< one D tensor
using F32_Tuple       = Tuple<F32>;        ///< one D tensor
using F32_F32_Tuple   = Tuple<F32, F32>;   ///< two D tensors
using F16_Tuple       = Tuple<F16>;        ///< one D tensor
using F16_F16_Tuple   = Tuple<F16, F16>;   ///< two D tensors
using BF16_Tuple      = Tuple<BF16>;       ///< one D tensor
using BF16_BF16_Tuple = Tuple<BF16, BF16>; ///< two D tensors
using I32_Tuple       = Tuple<I32>;        ///< one D tensor
using I32_F32_Tuple   = Tuple<I32, F32>;   ///< two D tensors
using I8_Tuple        = Tuple<I8>;         ///< one D tensor

using Row           = tensor_layout::gemm::RowMajor;    ///< row-major
using Col           = tensor_layout::gemm::ColumnMajor; ///< column-major
using Row_Tuple     = Tuple<Row>;                       ///< layout of one D tensor
using Row_Row_Tuple = Tuple<Row, Row>;                  ///< layouts of two D tensors

// Input
using tensor_layout::convolution::GNCDHW;
using tensor_layout::convolution::GNCHW;
using tensor_layout::convolution::GNCW;
using tensor_layout::convolution::GNDHWC;
using tensor_layout::convolution::GNHWC;
using tensor_layout::convolution::GNWC;
using tensor_layout::convolution::NDHWC;
using tensor_layout::convolution::NDHWGC;
using tensor_layout::convolution::NGCDHW;
using tensor_layout::convolution::NGCHW;
using tensor_layout::convolution::NGCW;
using tensor_layout::convolution::NHWC;
using tensor_layout::convolution::NHWGC;
using tensor_layout::convolution::NWC;
using tensor_layout::convolution::NWGC;

// Weight
using tensor_layout::convolution::GKCX;
using tensor_layout::convolution::GKCYX;
using tensor_layout::convolution::GKCZYX;
using tensor_layout::convolution::GKXC;
using tensor_layout::convolution::GKYXC;
using tensor_layout::convolution::GKZYXC;
using tensor_layout::convolution::KXC;
using tensor_layout::convolution::KXGC;
using tensor_layout::convolution::KYXC;
using tensor_layout::convolution::KYXGC;
using tensor_layout::convolution::KZYXC;
using tensor_layout::convolution::KZYXGC;

// Output
using tensor_layout::convolution::GNDHWK;
using tensor_layout::convolution::GNHWK;
using tensor_layout::convolution::GNKDHW;
using tensor_layout::convolution::GNKHW;
using tensor_layout::convolution::GNKW;
using tensor_layout::convolution::GNWK;
using tensor_layout::convolution::NDHWGK;
using tensor_layout::convolution::NDHWK;
using tensor_layout::convolution::NGKDHW;
using tensor_layout::convolution::NGKHW;
using tensor_layout::convolution::NGKW;
using tensor_layout::convolution::NHWGK;
using tensor_layout::convolution::NHWK;
using tensor_layout::convolution::NWGK;
using tensor_layout::convolution::NWK;

// Bias
using tensor_layout::convolution::G_K;
using GK_Tuple    = Tuple<G_K>;      ///< layout of a bias
using GK_GK_Tuple = Tuple<G_K, G_K>; ///< layouts of a bias and a scale

using element_wise::Add;
using element_wise::AddAddFastGelu;
using element_wise::AddClamp;
using element_wise::AddFastGelu;
using element_wise::AddMultiply;
using element_wise::AddRelu;
using element_wise::AddReluAdd;
using element_wise::AddSilu;
using element_wise::BiasNormalizeInInferClamp;
using element_wise::Bilinear;
using element_wise::Clamp;
using element_wise::DynamicUnaryOp;
using element_wise::FastGelu;
using element_wise::Gelu;
using element_wise::Multiply;
using element_wise::MultiplyAdd;
using element_wise::MultiplyAddFastGelu;
using element_wise::MultiplyFastGelu;
using element_wise::MultiplyMultiply;
using element_wise::PassThrough;
using element_wise::Relu;
using element_wise::Scale;
using element_wise::ScaleAdd;
using element_wise::Swish;
using element_wise::TanH;

} // namespace ck::tensor_operation::device::instance
