#pragma once
// What the instance library holds, without any of its templates: families of operations that share
// a C++ type, and for each the list of its instances.
#include "ck/convolution/direction.hpp"
#include "ck/tensor_operation/gpu/device/device_base.hpp"
#include "ck/tensor_operation/gpu/device/tensor_layout.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/integer.hpp"

#include <memory>
#include <span>
#include <string>

namespace ck::tensor_operation::device::instance {

/// `unknown`: a type that no instance has; its family is empty.
enum class DataType
{
    unknown,
    f16,
    bf16,
    f32,
    i8
};
enum class Layout
{
    unknown,
    nwc,
    nhwc,
    ndhwc,
    kxc,
    kyxc,
    kzyxc,
    nwk,
    nhwk,
    ndhwk
};

template <class T>
inline constexpr DataType data_type_of = DataType::unknown;
template <>
inline constexpr DataType data_type_of<half_t> = DataType::f16;
template <>
inline constexpr DataType data_type_of<bhalf_t> = DataType::bf16;
template <>
inline constexpr DataType data_type_of<float> = DataType::f32;
template <>
inline constexpr DataType data_type_of<std::int8_t> = DataType::i8;

template <class Tag>
inline constexpr Layout layout_of = Layout::unknown;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::NWC> = Layout::nwc;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::NHWC> = Layout::nhwc;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::NDHWC> = Layout::ndhwc;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::KXC> = Layout::kxc;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::KYXC> = Layout::kyxc;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::KZYXC> = Layout::kzyxc;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::NWK> = Layout::nwk;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::NHWK> = Layout::nhwk;
template <>
inline constexpr Layout layout_of<tensor_layout::convolution::NDHWK> = Layout::ndhwk;

/// Everything that decides the C++ type of an operation, its element-wise operations being
/// PassThrough.
struct Family
{
    Direction direction;
    index_t rank; ///< spatial dimensions
    Layout in_layout, wei_layout, out_layout;
    DataType in_type, wei_type, out_type;

    bool operator==(const Family&) const = default;
};

/// One operation of a family.
struct Instance
{
    std::string name; ///< its GetTypeString(), unique in the family and stable
    std::unique_ptr<BaseOperator> (*make)();
};

/// The instances of a family in order of preference, always the same; empty for a family that the
/// library does not have. Lives as long as the program.
std::span<const Instance> instances_of(const Family& family);

} // namespace ck::tensor_operation::device::instance
