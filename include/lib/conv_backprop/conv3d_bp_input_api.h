#pragma once
// Conv3DBackpropInput: backward data of a 3D convolution as an object inside a user's kernel.
// docs/conv3d_backprop_input.md explains its terms, and says which definitions are our own.
#include "ck/arch/user_kernel.hpp"
#include "ck/tensor_operation/gpu/conv_object/object_tiling.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

// Names that kernels of this interface use for element types.
#if !defined(CONV_BACKPROP_NO_GLOBAL_TYPES)
#if !defined(CK_LANGUAGE_CUDA) && !defined(CK_LANGUAGE_HIP) // these have `half`
using half = ck::half_t;                                    ///< f16
#endif
using bfloat16_t = ck::bhalf_t; ///< bf16
#endif

/// Goes before a kernel that contains the object.
#define CONV_BACKPROP_KERNEL CK_USER_KERNEL(256, 2)
/// Goes before each parameter of such a kernel.
#define CONV_BACKPROP_PARAMETER CK_USER_KERNEL_PARAMETER

namespace ConvCommonApi {

/// Where a tensor is.
enum class TPosition
{
    GM, ///< global memory
};

/// The order of a tensor's elements in memory; docs/conv3d_backprop_input.md has the formulas.
enum class ConvFormat
{
    ND,           ///< a list; only for the lengths of dX
    NCDHW,        ///< channels first; for weights: Cout, Cin, filter
    NDC1HWC0,     ///< dX and dY: channels in blocks of 16
    FRACTAL_Z_3D, ///< weights: channels in blocks of 16
    NDHWC,        ///< our own; for weights: Cout, filter, Cin
};

/// The type of a tensor's elements.
enum class ConvDtype
{
    FLOAT16, ///< f16
    BF16,    ///< bf16
};

/// A tensor in global memory, or its part from an offset on.
template <class T>
class GlobalTensor
{
public:
    using PrimType = T; ///< type of an element

    /// The tensor begins at buffer. elements: the size of the tensor; 0: unknown, and not checked.
    CK_HOST_DEVICE void SetGlobalBuffer(T* buffer, std::uint64_t elements = 0)
    {
        data_ = buffer;
        left_ = elements;
    }
    /// The part from element `offset` on. If the offset is beyond the tensor, kernels with checks
    /// (debug builds, the host) end.
    CK_DEVICE GlobalTensor operator[](std::uint64_t offset) const
    {
        if constexpr(ck::arch::checks_in_kernels)
            if(left_ != 0 && offset >= left_)
                ck::arch::fail("GlobalTensor: the offset is beyond the tensor");
        GlobalTensor part;
        part.SetGlobalBuffer(data_ + offset, left_ == 0 ? 0 : left_ - offset);
        return part;
    }
    CK_HOST_DEVICE const T* GetPhyAddr() const { return data_; }   ///< the first element
    CK_HOST_DEVICE T* GetPhyAddr() { return data_; }               ///< the first element
    CK_HOST_DEVICE T* data() const { return data_; }               ///< the first element
    CK_HOST_DEVICE std::uint64_t GetSize() const { return left_; } ///< elements; 0: unknown

private:
    T* data_            = nullptr;
    std::uint64_t left_ = 0;
};

} // namespace ConvCommonApi

namespace ConvBackpropApi {

using ConvCommonApi::ConvDtype;
using ConvCommonApi::ConvFormat;
using ConvCommonApi::GlobalTensor;
using ConvCommonApi::TPosition;

/// Data from the host for a kernel; plain bytes. ck::conv_object::TilingData documents its members.
using TConv3DBackpropInputTiling = ck::conv_object::TilingData;
/// Where an element of a block is in dX: c counts from the share's first channel; d, h, w.
using ck::conv_object::Position;
/// The part of dX that a workgroup computes after it sets a start; ck::conv_object::Share documents
/// its members.
using ck::conv_object::Share;

/// Describes one tensor of the object: place, format, and type of its elements.
template <TPosition POSITION, ConvFormat FORMAT, typename TYPE>
struct ConvType
{
    static constexpr TPosition pos     = POSITION; ///< position, as given
    static constexpr ConvFormat format = FORMAT;   ///< format, as given
    using T                            = TYPE;     ///< type, as given
};

/// The values of a kernel that are known at compile time.
struct Conv3dConfig
{
    std::int32_t base = 128; ///< positions, and channels, in a block: 128 or 64
};
/// Blocks of 128 by 128.
inline constexpr Conv3dConfig CONV3D_CFG_DEFAULT{};

/// The element types of the object's tensors, which must be equal.
template <class WEIGHT_TYPE, class INPUT_TYPE, class GRAD_OUTPUT_TYPE, class GRAD_INPUT_TYPE>
struct ConvBpContext
{
    using WeightT     = typename WEIGHT_TYPE::T;      ///< element of W
    using GradOutputT = typename GRAD_OUTPUT_TYPE::T; ///< element of dY
    using GradInputT  = typename GRAD_INPUT_TYPE::T;  ///< element of dX
    static_assert(std::is_same_v<WeightT, GradOutputT> && std::is_same_v<WeightT, GradInputT>,
                  "weight, gradOutput and gradInput are of one type");
    static_assert(INPUT_TYPE::format == ConvFormat::ND, "the lengths of dX are a list, ND");
};

/// The types of an object. W, I, GO and GI are ConvTypes of W, of the lengths of dX, of dY and of
/// dX.
template <class W, class I, class GO, class GI, const Conv3dConfig& CONFIG = CONV3D_CFG_DEFAULT>
struct Conv3DBpInputCfg : ConvBpContext<W, I, GO, GI>
{
    using Weight                       = W;           ///< the ConvType of W
    using GradOutput                   = GO;          ///< the ConvType of dY
    using GradInput                    = GI;          ///< the ConvType of dX
    static constexpr std::int32_t base = CONFIG.base; ///< rows and columns of a block
};

namespace detail {

template <class T>
struct ElementOf
{
    using type = T;
};
#if defined(CK_LANGUAGE_CUDA) || defined(CK_LANGUAGE_HIP)
template <>
struct ElementOf<::__half>
{
    using type = ck::half_t;
};
#endif
#if defined(CK_LANGUAGE_CUDA)
template <>
struct ElementOf<::__nv_bfloat16>
{
    using type = ck::bhalf_t;
};
#endif

constexpr ck::conv_object::Format format_of(ConvFormat format)
{
    switch(format)
    {
    case ConvFormat::NDC1HWC0:
        return ck::conv_object::Format::ndc1hwc0;
    case ConvFormat::FRACTAL_Z_3D:
        return ck::conv_object::Format::fractal_z_3d;
    case ConvFormat::NDHWC:
        return ck::conv_object::Format::ndhwc;
    default:
        return ck::conv_object::Format::ncdhw;
    }
}

inline std::string name(ConvFormat format)
{
    switch(format)
    {
    case ConvFormat::ND:
        return "ND";
    case ConvFormat::NCDHW:
        return "NCDHW";
    case ConvFormat::NDC1HWC0:
        return "NDC1HWC0";
    case ConvFormat::FRACTAL_Z_3D:
        return "FRACTAL_Z_3D";
    case ConvFormat::NDHWC:
        return "NDHWC";
    }
    return "number " + std::to_string(static_cast<int>(format));
}

} // namespace detail

/// Implements an Intf, for its types.
template <typename Intf, class Config>
struct Conv3DBpInputImpl
{
    using Element = typename detail::ElementOf<typename Config::WeightT>::type; ///< the library's
    static_assert(std::is_same_v<Element, ck::half_t> || std::is_same_v<Element, ck::bhalf_t>,
                  "elements are half or bfloat16_t");
    /// The formats of W, dY and dX.
    static constexpr ck::conv_object::Formats formats{detail::format_of(Config::Weight::format),
                                                      detail::format_of(Config::GradOutput::format),
                                                      detail::format_of(Config::GradInput::format)};
    static_assert(formats.weight == ck::conv_object::Format::fractal_z_3d ||
                      formats.weight == ck::conv_object::Format::ncdhw ||
                      formats.weight == ck::conv_object::Format::ndhwc,
                  "weights are FRACTAL_Z_3D, NCDHW or NDHWC");
    static_assert(formats.grad_output != ck::conv_object::Format::fractal_z_3d,
                  "gradOutput is NDC1HWC0, NCDHW or NDHWC");
    static_assert(formats.grad_input != ck::conv_object::Format::fractal_z_3d,
                  "gradInput is NDC1HWC0, NCDHW or NDHWC");

    using ContextData = ck::conv_object::ConvObject<Element, formats, Config::base>; ///< the work
};

/// The object, one for each workgroup: all of its 256 threads call each function together.
template <class Config_, template <typename, class> class Impl>
struct Conv3DBpInputIntf
{
    using Config      = Config_;                                               ///< as given
    using WeightT     = typename Config::WeightT;                              ///< an element of W
    using GradOutputT = typename Config::GradOutputT;                          ///< element of dY
    using GradInputT  = typename Config::GradInputT;                           ///< element of dX
    using Context     = typename Impl<Conv3DBpInputIntf, Config>::ContextData; ///< what ctx is
    using Element     = typename Impl<Conv3DBpInputIntf, Config>::Element; ///< the library's type

    /// The object's state. Set ctx.isFirstIter_ to true to restart the share.
    Context ctx;

    /// Call it once in a kernel, with the tiling that was made for its types.
    CK_DEVICE CK_INLINE void Init(const TConv3DBackpropInputTiling* tiling) { ctx.init(tiling); }

    /// Sets what the share computes: positions of dX (whole rows of W), channels of dY times filter
    /// taps, and channels of dX (a multiple of 16, or all that are left). Another M or N restarts
    /// the share.
    CK_DEVICE CK_INLINE void SetSingleShape(std::uint64_t singleShapeM,
                                            std::uint64_t singleShapeK,
                                            std::uint32_t singleShapeN)
    {
        ctx.set_single_shape(singleShapeM, singleShapeK, singleShapeN);
    }
    /// Sets where the share begins, and restarts it: the depth of dX, and its row hi as a row of dY
    /// whose rows lie `stride` apart, hi - ((Kh - 1) * dilation - padUp), which may be negative.
    CK_DEVICE CK_INLINE void SetStartPosition(std::uint32_t dinStartIdx, std::int32_t curHoStartIdx)
    {
        ctx.set_start_position(dinStartIdx, curHoStartIdx);
    }
    /// dY from the share's image and its first channel of the reduction on.
    CK_DEVICE CK_INLINE void SetGradOutput(const GlobalTensor<GradOutputT>& gradOutput)
    {
        ctx.set_grad_output(reinterpret_cast<const Element*>(gradOutput.GetPhyAddr()));
    }
    /// W from the share's first channel of dX and of the reduction on.
    CK_DEVICE CK_INLINE void SetWeight(const GlobalTensor<WeightT>& weight)
    {
        ctx.set_weight(reinterpret_cast<const Element*>(weight.GetPhyAddr()));
    }

    /// Computes the next block of the share; returns false if there is none. enPartialSum: computes
    /// the current block again, with other channels of dY, and adds to it. sync is accepted, but
    /// blocks are always complete on return.
    template <bool sync = true>
    CK_DEVICE CK_INLINE bool Iterate(bool enPartialSum = false)
    {
        return ctx.iterate(enPartialSum);
    }

    /// Calls f(float& value, const Position&) for each element of the block, between Iterate and
    /// GetTensorC. Each thread gets some of the elements.
    template <class F>
    CK_DEVICE CK_INLINE void ForEach(F&& f)
    {
        ctx.for_each(static_cast<F&&>(f));
    }

    /// Stores the block. enAtomic: 0 overwrites dX, 1 adds to it. enSequentialWrite: stores only
    /// the block, as contiguous rows of base elements.
    template <bool sync = true>
    CK_DEVICE CK_INLINE void GetTensorC(const GlobalTensor<GradInputT>& output,
                                        std::uint8_t enAtomic  = 0,
                                        bool enSequentialWrite = false)
    {
        if(enAtomic > 1)
            return ck::arch::fail("GetTensorC: enAtomic is 0, to store, or 1, to add");
        ctx.get_tensor_c(
            reinterpret_cast<Element*>(output.data()), enAtomic == 1, enSequentialWrite);
    }

    /// Ends the work; no Iterate may follow.
    CK_DEVICE CK_INLINE void End() { ctx.end(); }
};

/// The object with blocks of 128 by 128. Its parameters are ConvTypes.
template <class WEIGHT_TYPE, class INPUT_TYPE, class GRAD_OUTPUT_TYPE, class GRAD_INPUT_TYPE>
using Conv3DBackpropInput = Conv3DBpInputIntf<Conv3DBpInputCfg<WEIGHT_TYPE,
                                                               INPUT_TYPE,
                                                               GRAD_OUTPUT_TYPE,
                                                               GRAD_INPUT_TYPE,
                                                               CONV3D_CFG_DEFAULT>,
                                              Conv3DBpInputImpl>;

/// The device that tilings are made for, {target, compute units}: the current device by default.
using Platform = ck::conv_object::Device;

/// Takes a problem and divides it into shares. Setters return false and change nothing if their
/// arguments are not a valid shape; GetReason() then says why.
class Conv3DBpInputTiling
{
public:
    /// For this device.
    explicit Conv3DBpInputTiling(const Platform& platform = Platform::current())
        : platform_(platform)
    {}

    /// Lengths of W: output and input channels, then the filter.
    bool SetWeightShape(
        std::int64_t cout, std::int64_t cin, std::int64_t d, std::int64_t h, std::int64_t w)
    {
        return in_range("SetWeightShape",
                        {{"cout", cout}, {"cin", cin}, {"d", d}, {"h", h}, {"w", w}},
                        1) &&
               set(tiling_.weight, {cout, cin, {d, h, w}});
    }
    /// Lengths of dY.
    bool SetGradOutputShape(
        std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w)
    {
        return in_range(
                   "SetGradOutputShape", {{"n", n}, {"c", c}, {"d", d}, {"h", h}, {"w", w}}, 1) &&
               set(tiling_.grad_output, {n, c, {d, h, w}});
    }
    /// Lengths of dX. Not for a transposed convolution, whose lengths follow from the others.
    bool
    SetInputShape(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w)
    {
        return in_range("SetInputShape", {{"n", n}, {"c", c}, {"d", d}, {"h", h}, {"w", w}}, 1) &&
               set(tiling_.input, {n, c, {d, h, w}});
    }
    /// Pads of dX at both ends of D, H and W. Negative pads crop.
    bool SetPadding(std::int64_t front,
                    std::int64_t back,
                    std::int64_t up,
                    std::int64_t down,
                    std::int64_t left,
                    std::int64_t right)
    {
        return in_range("SetPadding",
                        {{"front", front},
                         {"back", back},
                         {"up", up},
                         {"down", down},
                         {"left", left},
                         {"right", right}},
                        -most) &&
               set(tiling_.pad_low, {front, up, left}) &&
               set(tiling_.pad_high, {back, down, right});
    }
    /// Strides of the forward convolution.
    bool SetStride(std::int64_t d, std::int64_t h, std::int64_t w)
    {
        return in_range("SetStride", {{"d", d}, {"h", h}, {"w", w}}, 1) &&
               set(tiling_.stride, {d, h, w});
    }
    /// Dilations of the filter.
    bool SetDilation(std::int64_t d, std::int64_t h, std::int64_t w)
    {
        return in_range("SetDilation", {{"d", d}, {"h", h}, {"w", w}}, 1) &&
               set(tiling_.dilation, {d, h, w});
    }
    /// Sets the output padding of a transposed convolution, each less than its stride or dilation.
    bool SetOutputPadding(std::int64_t d, std::int64_t h, std::int64_t w)
    {
        return in_range("SetOutputPadding", {{"d", d}, {"h", h}, {"w", w}}, 0) &&
               set(tiling_.output_padding, {d, h, w});
    }

    /// Place, format and type of W: FRACTAL_Z_3D, NCDHW or NDHWC.
    bool SetWeightType(TPosition position, ConvFormat format, ConvDtype type)
    {
        return set_type("SetWeightType",
                        tiling_.formats.weight,
                        position,
                        format,
                        ConvFormat::FRACTAL_Z_3D,
                        type,
                        0);
    }
    /// Place, format and type of dY: NDC1HWC0, NCDHW or NDHWC.
    bool SetGradOutputType(TPosition position, ConvFormat format, ConvDtype type)
    {
        return set_type("SetGradOutputType",
                        tiling_.formats.grad_output,
                        position,
                        format,
                        ConvFormat::NDC1HWC0,
                        type,
                        1);
    }
    /// Place, format and type of dX: NDC1HWC0, NCDHW or NDHWC.
    bool SetGradInputType(TPosition position, ConvFormat format, ConvDtype type)
    {
        return set_type("SetGradInputType",
                        tiling_.formats.grad_input,
                        position,
                        format,
                        ConvFormat::NDC1HWC0,
                        type,
                        2);
    }

    /// Sets the base of the kernel's Conv3dConfig: 128 or 64.
    bool SetBase(std::int32_t base)
    {
        if(base != 128 && base != 64)
            return refuse("SetBase: base is " + std::to_string(base) + ", but must be 128 or 64");
        tiling_.base = base;
        return true;
    }
    /// The share that the caller wants: positions of dX, whole rows of W, and channels, a multiple
    /// of 16 or all. 0: chosen for the device.
    bool SetSingleShape(std::int64_t singleShapeM, std::int64_t singleShapeN)
    {
        if(!in_range("SetSingleShape",
                     {{"singleShapeM", singleShapeM}, {"singleShapeN", singleShapeN}},
                     0))
            return false;
        tiling_.single_m = singleShapeM;
        tiling_.single_n = singleShapeN;
        return true;
    }

    /// Writes the tiling. Returns 0, or -1 if there is no tiling; GetReason() then says why.
    std::int64_t GetTiling(TConv3DBackpropInputTiling& tiling)
    {
        const auto made = [&]() -> ck::Support {
            if(type_[0] != type_[1] || type_[0] != type_[2])
                return ck::refused("weight, gradOutput and gradInput are of different types");
            ck::conv_object::ObjectTiling all = tiling_;
            all.type = type_[0] == ConvDtype::FLOAT16 ? ck::conv_object::DataType::f16
                                                      : ck::conv_object::DataType::bf16;
            return all.make(platform_, tiling);
        }();
        reason_ = made ? std::string() : made.reason;
        return made ? 0 : -1;
    }
    /// Why the last refused call of a setter or of GetTiling was refused: the value and the rule.
    /// Empty before any refusal, and after a GetTiling that returned 0.
    const std::string& GetReason() const { return reason_; }

private:
    static constexpr std::int64_t most = std::int64_t{1} << 30;

    struct Named
    {
        const char* name;
        std::int64_t value;
    };

    bool refuse(std::string reason)
    {
        reason_ = std::move(reason);
        return false;
    }
    bool in_range(const char* setter, std::initializer_list<Named> values, std::int64_t least)
    {
        for(const Named& v : values)
            if(v.value < least || v.value > most)
                return refuse(std::string(setter) + ": " + v.name + " is " +
                              std::to_string(v.value) + ", but must be from " +
                              std::to_string(least) + " to " + std::to_string(most));
        return true;
    }
    static bool set(ck::Spatial& to, const ck::Spatial& values)
    {
        to = values;
        return true;
    }
    static bool set(std::optional<ck::conv_object::Lengths>& to,
                    const ck::conv_object::Lengths& lengths)
    {
        to = lengths;
        return true;
    }
    /// blocked: this operand's format with blocks of channels.
    bool set_type(const char* setter,
                  ck::conv_object::Format& to,
                  TPosition position,
                  ConvFormat format,
                  ConvFormat blocked,
                  ConvDtype type,
                  int operand)
    {
        if(position != TPosition::GM)
            return refuse(std::string(setter) + ": the position is number " +
                          std::to_string(static_cast<int>(position)) + ", but must be GM");
        if(format != blocked && format != ConvFormat::NCDHW && format != ConvFormat::NDHWC)
            return refuse(std::string(setter) + ": the format is " + detail::name(format) +
                          ", but must be " + detail::name(blocked) + ", NCDHW or NDHWC");
        if(type != ConvDtype::FLOAT16 && type != ConvDtype::BF16)
            return refuse(std::string(setter) + ": the type is number " +
                          std::to_string(static_cast<int>(type)) + ", but must be FLOAT16 or BF16");
        to             = detail::format_of(format);
        type_[operand] = type;
        return true;
    }

    Platform platform_;
    ck::conv_object::ObjectTiling tiling_;
    ConvDtype type_[3] = {ConvDtype::FLOAT16, ConvDtype::FLOAT16, ConvDtype::FLOAT16};
    std::string reason_;
};

/// Launches a kernel with the tiling's workgroups on the stream; returns the launch's error.
template <class... Parameters, class... Arguments>
hipError_t Launch(const TConv3DBackpropInputTiling& tiling,
                  hipStream_t stream,
                  void (*kernel)(Parameters...),
                  const Arguments&... arguments)
{
    return ck::arch::launch_function(kernel,
                                     static_cast<ck::index_t>(tiling.workgroups()),
                                     static_cast<ck::index_t>(tiling.threads()),
                                     tiling.ldsBytes(),
                                     stream,
                                     arguments...);
}

/// Call it before launching a kernel with <<<workgroups, threads, ldsBytes>>>.
template <class... Parameters>
hipError_t AllowLds(const TConv3DBackpropInputTiling& tiling, void (*kernel)(Parameters...))
{
    return ck::arch::allow_shared_bytes_of(kernel, tiling.ldsBytes());
}

/// The index of the calling workgroup.
CK_DEVICE CK_INLINE std::uint32_t GetBlockIdx()
{
    return static_cast<std::uint32_t>(ck::arch::block_index());
}

} // namespace ConvBackpropApi
