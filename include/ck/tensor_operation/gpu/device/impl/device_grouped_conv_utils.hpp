#pragma once
// Tests, under Composable Kernel's names, which layouts three tensors have. The order is In, Wei,
// Out in every direction.
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"

#include <type_traits>

namespace ck::tensor_operation::device {

namespace detail {

template <class In, class Wei, class Out, class WantedIn, class WantedWei, class WantedOut>
inline constexpr bool layouts_are =
    std::is_same_v<In, WantedIn>&& std::is_same_v<Wei, WantedWei>&& std::is_same_v<Out, WantedOut>;

} // namespace detail

/// Whether the layouts are NWGC, GKXC and NWGK.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NWGC_GKXC_NWGK()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, NWGC, GKXC, NWGK>;
}
/// Whether the layouts are GNWC, GKXC and GNWK.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_GNWC_GKXC_GNWK()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, GNWC, GKXC, GNWK>;
}
/// Whether the layouts are NGCW, GKXC and NGKW.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NGCW_GKXC_NGKW()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, NGCW, GKXC, NGKW>;
}
/// Whether the layouts are NHWGC, GKYXC and NHWGK.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NHWGC_GKYXC_NHWGK()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, NHWGC, GKYXC, NHWGK>;
}
/// Whether the layouts are GNHWC, GKYXC and GNHWK.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_GNHWC_GKYXC_GNHWK()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, GNHWC, GKYXC, GNHWK>;
}
/// Whether the layouts are NGCHW, GKYXC and NGKHW.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NGCHW_GKYXC_NGKHW()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, NGCHW, GKYXC, NGKHW>;
}
/// Whether the layouts are NDHWGC, GKZYXC and NDHWGK.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NDHWGC_GKZYXC_NDHWGK()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, NDHWGC, GKZYXC, NDHWGK>;
}
/// Whether the layouts are GNDHWC, GKZYXC and GNDHWK.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_GNDHWC_GKZYXC_GNDHWK()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, GNDHWC, GKZYXC, GNDHWK>;
}
/// Whether the layouts are NGCDHW, GKZYXC and NGKDHW.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NGCDHW_GKZYXC_NGKDHW()
{
    using namespace tensor_layout::convolution;
    return detail::layouts_are<InLayout, WeiLayout, OutLayout, NGCDHW, GKZYXC, NGKDHW>;
}

/// Whether, in any rank, images are N, spatial, G, channels, and filters are G, K, spatial, C.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NSpatialGC_GKSpatial_NSpatialGK()
{
    return is_NWGC_GKXC_NWGK<InLayout, WeiLayout, OutLayout>() ||
           is_NHWGC_GKYXC_NHWGK<InLayout, WeiLayout, OutLayout>() ||
           is_NDHWGC_GKZYXC_NDHWGK<InLayout, WeiLayout, OutLayout>();
}

/// Whether, in any rank, images are G, N, spatial, channels, and filters are G, K, spatial, C.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_GNSpatialC_GKSpatial_GNSpatialK()
{
    return is_GNWC_GKXC_GNWK<InLayout, WeiLayout, OutLayout>() ||
           is_GNHWC_GKYXC_GNHWK<InLayout, WeiLayout, OutLayout>() ||
           is_GNDHWC_GKZYXC_GNDHWK<InLayout, WeiLayout, OutLayout>();
}

/// Whether, in any rank, images are N, G, channels, spatial, and filters are G, K, spatial, C.
template <typename InLayout, typename WeiLayout, typename OutLayout>
constexpr bool is_NGCSpatial_GKSpatial_NGKSpatial()
{
    return is_NGCW_GKXC_NGKW<InLayout, WeiLayout, OutLayout>() ||
           is_NGCHW_GKYXC_NGKHW<InLayout, WeiLayout, OutLayout>() ||
           is_NGCDHW_GKZYXC_NGKDHW<InLayout, WeiLayout, OutLayout>();
}

} // namespace ck::tensor_operation::device
