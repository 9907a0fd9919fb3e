#pragma once
// Layout tags: the order of a tensor's dimensions in memory, slowest first, spelled in the tag's
// name. G group, N batch, C input channel, K output channel, D H W image depth, height, width, Z Y
// X filter depth, height, width. An underscore marks a place where strides are arbitrary.
#include "ck/utility/host_device.hpp"

#include <ostream>
#include <type_traits>

namespace ck::tensor_layout {

/// Base of all tags.
struct BaseTensorLayout
{};

/// Says nothing of strides: HostTensorDescriptor does not compare them with it.
struct BypassLayoutVerification : BaseTensorLayout
{
    static constexpr const char* name = "BypassLayoutVerification"; ///< in messages
};

namespace gemm {
/// Base of the tags of matrices.
struct BaseGemmLayout : BaseTensorLayout
{};
using LayoutBase = BaseGemmLayout; ///< of this namespace
} // namespace gemm

namespace convolution {
/// Base of the tags of convolutions' tensors.
struct BaseConvolutionLayout : BaseTensorLayout
{};
using LayoutBase = BaseConvolutionLayout; ///< of this namespace
} // namespace convolution

/// Prints the tag's name.
template <class Layout>
requires std::is_base_of_v<BaseTensorLayout, Layout> std::ostream& operator<<(std::ostream& os,
                                                                              const Layout&)
{
    return os << Layout::name;
}

/// A tag and its name.
#define CK_TENSOR_LAYOUT(tag)                                                                      \
    struct tag : LayoutBase                                                                        \
    {                                                                                              \
        static constexpr const char* name = #tag;                                                  \
    }
/// One, two and three spatial dimensions.
#define CK_TENSOR_LAYOUTS(tag_1d, tag_2d, tag_3d)                                                  \
    CK_TENSOR_LAYOUT(tag_1d);                                                                      \
    CK_TENSOR_LAYOUT(tag_2d);                                                                      \
    CK_TENSOR_LAYOUT(tag_3d)

namespace gemm {
CK_TENSOR_LAYOUT(RowMajor);
CK_TENSOR_LAYOUT(ColumnMajor);
} // namespace gemm

namespace convolution {

// Input
CK_TENSOR_LAYOUTS(NCW, NCHW, NCDHW);
CK_TENSOR_LAYOUTS(NWC, NHWC, NDHWC);
CK_TENSOR_LAYOUTS(GNCW, GNCHW, GNCDHW);
CK_TENSOR_LAYOUTS(GNWC, GNHWC, GNDHWC);
CK_TENSOR_LAYOUTS(NWGC, NHWGC, NDHWGC);
CK_TENSOR_LAYOUTS(NGCW, NGCHW, NGCDHW);
CK_TENSOR_LAYOUTS(G_NW_C, G_NHW_C, G_NDHW_C);

// Weight
CK_TENSOR_LAYOUTS(KCX, KCYX, KCZYX);
CK_TENSOR_LAYOUTS(KXC, KYXC, KZYXC);
CK_TENSOR_LAYOUTS(GKCX, GKCYX, GKCZYX);
CK_TENSOR_LAYOUTS(GKXC, GKYXC, GKZYXC);
CK_TENSOR_LAYOUTS(KXGC, KYXGC, KZYXGC);
CK_TENSOR_LAYOUTS(G_K_X_C, G_K_YX_C, G_K_ZYX_C);

// Output
CK_TENSOR_LAYOUTS(NKW, NKHW, NKDHW);
CK_TENSOR_LAYOUTS(NWK, NHWK, NDHWK);
CK_TENSOR_LAYOUTS(GNKW, GNKHW, GNKDHW);
CK_TENSOR_LAYOUTS(GNWK, GNHWK, GNDHWK);
CK_TENSOR_LAYOUTS(NWGK, NHWGK, NDHWGK);
CK_TENSOR_LAYOUTS(NGKW, NGKHW, NGKDHW);
CK_TENSOR_LAYOUTS(G_NW_K, G_NHW_K, G_NDHW_K);

// Bias and reduced tensors
CK_TENSOR_LAYOUT(GC);
CK_TENSOR_LAYOUT(G_C);
CK_TENSOR_LAYOUT(G_K);
CK_TENSOR_LAYOUTS(GNW, GNHW, GNDHW);
CK_TENSOR_LAYOUTS(NWG, NHWG, NDHWG);
CK_TENSOR_LAYOUTS(G_NW, G_NHW, G_NDHW);

} // namespace convolution

/// Channels in blocks of `block`; 0: as many as 32 bytes have. Images as NDC1HWC0 or NC1HWC0,
/// filters as FRACTAL_Z_3D [Z, C1, Y, X, K rounded up to 16, C0] or FRACTAL_Z; each group is a
/// tensor of its own, the last padded. See convolution/channel_blocks.hpp.
#define CK_BLOCKED_LAYOUT(tag, filter)                                                             \
    template <int block_ = 0>                                                                      \
    struct tag : LayoutBase                                                                        \
    {                                                                                              \
        static constexpr const char* name = #tag;                                                  \
        static constexpr int block        = block_;                                                \
        static constexpr bool is_filter   = filter;                                                \
    }
namespace convolution {
CK_BLOCKED_LAYOUT(NC1HWC0, false);
CK_BLOCKED_LAYOUT(NDC1HWC0, false);
CK_BLOCKED_LAYOUT(FRACTAL_Z, true);
CK_BLOCKED_LAYOUT(FRACTAL_Z_3D, true);
} // namespace convolution
#undef CK_BLOCKED_LAYOUT

#undef CK_TENSOR_LAYOUTS
#undef CK_TENSOR_LAYOUT

} // namespace ck::tensor_layout
