#pragma once
// Convolutions for training code: describe one, plan it once, run it with any pointers.
//
//   ck::ConvSpec spec{.type = ck::DataType::f16, .n = 32, .k = 256, .c = 64,
//                     .input = {56, 56}, .filter = {3, 3}, .pads = {{1, 1}, {1, 1}}};
//   ck::ConvPlan plan = ck::plan(spec); // from a cache; throws ck::Refused
//   plan.run({.x = x, .w = w, .y = y, .workspace = workspace, .stream = stream});
//
// docs/one_call.md explains the interface. Link composable_kernel::conv: this header contains no
// kernels.
#include "ck/convolution/direction.hpp"
#include "ck/utility/integer.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ck::utils::conv {
struct ConvParam;
}

namespace ck {

/// Element types, and types in which elements are multiplied. f8 (e4m3) and bf8 (e5m2) are the FNUZ
/// encodings of gfx942; f8_ocp and bf8_ocp are OCP's. tf32 is not an element type: it means that
/// f32 values are multiplied with 10 explicit mantissa bits. u8 is for quantized convolutions.
enum class DataType
{
    f64,
    f32,
    f16,
    bf16,
    i8,
    f8,
    bf8,
    f8_ocp,
    bf8_ocp,
    tf32,
    u8
};

/// The order of the dimensions in memory, slowest first. The channels of all groups are contiguous:
/// channel c of group g is number g * C + c.
///
///                   X                   W                    Y
///   channels_last   N, [D,] [H,] W, GC  GK, [Z,] [Y,] X, C   N, [Do,] [Ho,] Wo, GK
///   channels_first  N, GC, [D,] [H,] W  GK, C, [Z,] [Y,] X   N, GK, [Do,] [Ho,] Wo
///   strided         given by x_strides, w_strides and y_strides
///
/// PyTorch's contiguous tensors are channels_first; memory format channels_last is channels_last.
/// The W of a transposed convolution has the channels GC, K instead of GK, C.
enum class Layout
{
    channels_last,
    channels_first,
    strided
};

/// A list of at most `most` values, which allocates no memory.
template <class T, std::size_t most>
class ShortList
{
public:
    /// An empty list.
    constexpr ShortList() = default;
    /// {3, 3}
    constexpr ShortList(std::initializer_list<T> values)
    {
        for(const T& value : values)
            push_back(value);
    }
    /// The values of a vector.
    explicit ShortList(const std::vector<T>& values)
    {
        for(const T& value : values)
            push_back(value);
    }

    /// Values beyond the limit are counted but not stored; a spec that has them is refused.
    constexpr void push_back(const T& value)
    {
        if(size_ < most)
            values_[size_] = value;
        ++size_;
    }

    /// The number of values, including those beyond the limit.
    constexpr std::size_t size() const { return size_; }
    /// Whether the list is empty.
    constexpr bool empty() const { return size_ == 0; }
    /// Value i; i is less than size() and than the limit.
    constexpr const T& operator[](std::size_t i) const { return values_[i]; }
    /// The same, for writing.
    constexpr T& operator[](std::size_t i) { return values_[i]; }
    /// The first value.
    constexpr const T* begin() const { return values_.data(); }
    /// One past the last stored value.
    constexpr const T* end() const { return values_.data() + (size_ < most ? size_ : most); }

    /// Whether all values are the same.
    constexpr bool operator==(const ShortList&) const = default;

private:
    std::size_t size_ = 0;
    std::array<T, most> values_{};
};

/// [D,] [H,] W.
using Extents = ShortList<long_index_t, 3>;
/// Elements from one index to the next. X: g, n, c, then [d,] [h,] w. W: g, k, c, then [z,] [y,] x
/// (in a transposed convolution g, c, k). Y: g, n, k, then [do,] [ho,] wo.
using Strides = ShortList<long_index_t, 6>;

/// Zeros before and after the input along one dimension. A negative number crops: -2 ignores two
/// elements there. Always write both numbers: {1, 1}.
struct PadWidths
{
    /// 0 and 0.
    constexpr PadWidths() = default;
    /// {low, high}
    constexpr PadWidths(long_index_t low_, long_index_t high_) : low(low_), high(high_) {}
    /// A single number is refused: it would set only the low pad.
    template <std::integral T>
    constexpr PadWidths(T)
    {
        static_assert(sizeof(T) == 0, "ck::PadWidths: write both, low and high: {1, 1}");
    }

    long_index_t low  = 0; ///< before index 0
    long_index_t high = 0; ///< after the last index

    /// Whether both are the same.
    bool operator==(const PadWidths&) const = default;
};

/// The function applied to the result before it is stored.
enum class Activation
{
    none,
    relu,         ///< max(x, 0)
    silu,         ///< x / (1 + e^-x)
    gelu,         ///< x times the normal distribution function of x
    clamp,        ///< x limited to the epilogue's range
    leaky_relu,   ///< x, or Epilogue::slope * x where x < 0
    hard_swish,   ///< x * min(max(x + 3, 0), 6) / 6
    hard_sigmoid, ///< min(max(x + 3, 0), 6) / 6
    sigmoid       ///< 1 / (1 + e^-x)
};

/// Whether a tensor of the result's shape is added, and where.
enum class Residual
{
    none,
    before_activation,
    after_activation
};

/// result = activation(scale * sum + bias + residual before) + residual after
///
/// The bias has one number for each channel of the result, G * K (backward data: G * C). The
/// residual has the result's shape and strides. Both have the result's type, except if the
/// convolution is quantized. An int8 result is rounded to nearest, ties to even, and saturates.
struct Epilogue
{
    float scale           = 1;                ///< factor of the sum; finite
    bool bias             = false;            ///< whether run() takes a bias
    Residual residual     = Residual::none;   ///< where run()'s residual is added
    Activation activation = Activation::none; ///< applied to the scaled sum with its bias
    float least           = 0;                ///< lower limit of Activation::clamp
    float most            = 0; ///< upper limit of Activation::clamp; at least `least`
    float slope           = 0; ///< slope of Activation::leaky_relu where x < 0; finite

    /// Whether all fields are the same.
    bool operator==(const Epilogue&) const = default;
};

/// A quantized convolution. There are two kinds: of integers, and of eight-bit floats with scales.
///
/// Integers, only forward: X and W are i8 or u8, and sums are integers.
///
///   result = activation(scale * (sum + bias) + residual before) + residual after
///   sum      = sum of (X - x_zero_point) * (W - w_zero_point); padding has X's zero point
///   residual = residual_scale * (residual - residual_zero_point)
///
/// The result is i8, u8, f16, bf16 or f32. It is the exact number, rounded once, to nearest, ties
/// to even. If it is i8 or u8, y_zero_point is then added, and the sum saturates. The bias is
/// int32.
///
/// Eight-bit floats, in any direction: each operand is f8_ocp or bf8_ocp.
///
///   result = activation(scales * sum + bias + residual before) + residual after
///   scales = Epilogue::scale * scale of operand * scale of other operand * scale of channel
///
/// The result and the residual are f16, bf16 or f32, and the bias is f32. Products are exact. They
/// are added in f32; instructions that keep fewer bits add at most 128 of them. Every activation is
/// supported. The formula is computed in f32, from left to right, and rounded once to the result's
/// type. Zero points and residual_scale must have their defaults.
struct Quantization
{
    /// Whether the convolution is quantized. If not, all other fields must have their defaults.
    bool enabled = false;
    /// Whether run() takes ConvTensors::scale, which has one scale for each of Y's G * K channels:
    /// finite, f32. If not, Epilogue::scale applies to all channels. Only forward.
    bool channel_scale      = false;
    int x_zero_point        = 0; ///< in the range of X's type
    int w_zero_point        = 0; ///< in the range of W's type
    int y_zero_point        = 0; ///< in the range of Y's type; only for i8 and u8
    float residual_scale    = 1; ///< factor of the residual; finite
    int residual_zero_point = 0; ///< in the range of the residual's type; only for i8 and u8
    std::optional<DataType> residual_type{}; ///< i8, u8, f16, bf16 or f32; default: the result's
    /// Whether run() takes a scale of each operand: two of ConvTensors' x_scale, w_scale and
    /// y_scale. With channel_scale, W's scales are in `scale`, and w_scale is not read. Only for
    /// eight-bit floats.
    bool tensor_scales = false;
    /// Whether run() writes ConvTensors::amax. Only for eight-bit floats.
    bool amax = false;

    /// Whether all fields are the same.
    bool operator==(const Quantization&) const = default;
};

/// One convolution, in one of three directions. Fields with a default may be left out.
///
///   forward          Y[n,ho,wo,gk] = sum over y, x, c of X[n,hi,wi,gc] * W[gk,y,x,c]
///   backward_data    dX from dY and W
///   backward_weight  dW from dY and X
///   with hi = ho * stride + y * dilation - pad low,
///   Ho = (Hi + pads - (Y - 1) * dilation - 1) / stride + 1
struct ConvSpec
{
    Direction direction = Direction::forward; ///< which of the three is computed
    DataType type       = DataType::f32;      ///< type of X, W and Y, unless one of these differs:
    std::optional<DataType> x_type{};         ///< type of X; default: type
    std::optional<DataType> w_type{}; ///< type of W; default: type. dW may be f32 for bf16 tensors
    std::optional<DataType> y_type{}; ///< type of Y; default: type
    /// The type that operands are rounded to before they are multiplied: f32 to tf32, or f16 to f8.
    /// Default: they are not rounded.
    std::optional<DataType> compute{};
    Layout layout       = Layout::channels_last; ///< layout of X, W and Y
    long_index_t groups = 1;        ///< number of groups, each with its own k and c channels
    long_index_t n      = 1;        ///< number of images; may be 0
    long_index_t k      = 1;        ///< output channels of one group
    long_index_t c      = 1;        ///< input channels of one group
    Extents input{};                ///< 1 to 3 lengths; their number is the rank
    Extents filter{};               ///< one length for each dimension
    Extents strides{};              ///< default: 1
    Extents dilations{};            ///< default: 1
    ShortList<PadWidths, 3> pads{}; ///< low and high pad of each dimension; default: 0
    bool transposed = false;        ///< like PyTorch's conv_transpose: strides make Y larger
    Extents output_padding{}; ///< only transposed: rows added at the high end of Y; default: 0
    Strides x_strides{};      ///< in elements; only for Layout::strided
    Strides w_strides{};      ///< likewise
    Strides y_strides{};      ///< likewise
    /// 0: the result overwrites the old contents; 1: it is added to them, and the sum is rounded
    /// once.
    float beta = 0;
    Epilogue epilogue{}; ///< applied to the sum
    /// Whether backward weight also computes the gradient of the bias: the sum of dY over all axes
    /// except channels. Only f64, f32, f16 and bf16.
    bool bias_gradient = false;
    /// Alignment in bytes of the addresses given to run(): a power of two, at most 16. Smaller
    /// values may be slower.
    std::size_t alignment = 16;
    Quantization quantization{}; ///< for i8, u8, and eight-bit floats with scales

    /// Whether all fields are the same.
    bool operator==(const ConvSpec&) const = default;

    /// [Do,] [Ho,] Wo. Throws Refused if the spec is not a valid convolution.
    Extents output() const;
    /// Bytes from the first to the last element of X. Throws Refused in the same case.
    std::size_t x_bytes() const;
    /// Bytes of W. Throws Refused in the same case.
    std::size_t w_bytes() const;
    /// Bytes of Y. Throws Refused in the same case.
    std::size_t y_bytes() const;
};

/// Returns a channels-last spec of the given direction and type with the sizes of Composable
/// Kernel's ConvParam. Throws Refused if the lists of left and right pads differ in length.
ConvSpec make_spec(const utils::conv::ConvParam& param,
                   Direction direction = Direction::forward,
                   DataType type       = DataType::f32);
/// Returns the sizes of a spec. Throws Refused if the spec is invalid or transposed.
utils::conv::ConvParam to_conv_param(const ConvSpec& spec);

/// What a plan may use.
struct PlanOptions
{
    /// In bytes. Kernels that would use more either make do with less, for example with fewer
    /// partial sums, or are not used. Default: 256 MiB, or a quarter of the tensors' bytes if that
    /// is more.
    std::optional<std::size_t> workspace_limit{};
    /// A regular expression. Only kernels whose names contain a match are used; if it is empty, all
    /// are. The syntax is ECMAScript's, without back-references and lookahead, so that a search
    /// takes time linear in the length of the name.
    std::string allow{};
    /// A regular expression likewise. Kernels whose names contain a match are not used.
    std::string forbid{};
    /// Whether an image's result has the same bits in a batch of any size n. All batches then use
    /// one kernel, the one predicted to be the fastest for 32 images, and each sum is computed in
    /// one order. Backward weight is refused, since it sums over images.
    bool batch_invariant = false;

    /// Whether all fields are the same.
    bool operator==(const PlanOptions&) const = default;
};

/// A kernel that could have been chosen.
struct Candidate
{
    std::string kernel;        ///< its name: engine and tuning
    std::string why_not;       ///< why it is not used; empty: it computes the spec
    double predicted      = 0; ///< clock cycles, only for comparing; 0: there is no model
    std::size_t workspace = 0; ///< bytes
};

/// Thrown if no plan can be made, or if a plan cannot run. The message names the value and the rule
/// that it breaks. If no kernel computes the spec, candidates() says why each kernel does not.
class Refused : public std::runtime_error
{
public:
    /// candidates: kernels, each with a reason of its own.
    explicit Refused(const std::string& reason, std::vector<Candidate> candidates = {});

    /// Empty if the reason does not come from kernels.
    const std::vector<Candidate>& candidates() const { return *candidates_; }

private:
    std::shared_ptr<const std::vector<Candidate>> candidates_;
};

/// The memory of one run, on the plan's device. The direction's result is written, and the other
/// tensors are read: forward writes y, backward_data x, backward_weight w. A result must not share
/// memory with other tensors, except that the residual may be the result itself.
struct ConvTensors
{
    const void* x = nullptr; ///< X or dX, ConvSpec::x_bytes() bytes
    const void* w = nullptr; ///< W or dW, ConvSpec::w_bytes() bytes
    const void* y = nullptr; ///< Y or dY, ConvSpec::y_bytes() bytes
    /// Contiguous. With Epilogue::bias, the bias, which is read. With ConvSpec::bias_gradient, G *
    /// K sums of dW's type, which are written.
    const void* bias     = nullptr;
    const void* residual = nullptr; ///< for Epilogue::residual, in the result's layout
    /// The plan's workspace_size() bytes, at a multiple of 16. Its contents do not matter.
    void* workspace   = nullptr;
    void* stream      = nullptr; ///< hipStream_t or cudaStream_t; null: the default stream
    const void* scale = nullptr; ///< for Quantization::channel_scale: G * K values, f32, contiguous
    const void* x_scale = nullptr; ///< for Quantization::tensor_scales, if X is read: one f32
    const void* w_scale = nullptr; ///< likewise, if W is read; not read with channel_scale
    const void* y_scale = nullptr; ///< likewise, if dY is read
    /// For Quantization::amax: one f32. run() writes the largest magnitude in the result before it
    /// is rounded, or NaN if any number is NaN, or 0 if the result is empty.
    const void* amax = nullptr;
};

/// One convolution, ready to run on one device. Copies share the plan. A plan never changes, and
/// any number of threads may use it at a time. Runs that may overlap need separate results and
/// workspaces. Every run gives the same bits.
class ConvPlan
{
public:
    /// The plan's contents; defined in the library.
    struct Prepared;

    /// For the library only: users call plan().
    explicit ConvPlan(std::shared_ptr<const Prepared> prepared);

    /// The spec that the plan was made from.
    const ConvSpec& spec() const;
    /// Name of the kernel: engine and tuning.
    const std::string& kernel() const;
    /// The bytes of workspace that run() needs; may be 0.
    std::size_t workspace_size() const;
    /// Several lines of text: the spec, the kernel, and why each other kernel was not chosen.
    std::string explain() const;
    /// One line of text, which names the kernel. In the same version of the library,
    /// deserialize() makes the same plan from it.
    std::string serialize() const;

    /// Enqueues the convolution on the stream and returns. A graph can capture the call. Throws
    /// Refused if an address is null or not aligned, the workspace is missing, memory overlaps, or
    /// another device is current. Throws std::runtime_error if the GPU's runtime reports an error.
    void run(const ConvTensors& tensors) const;

private:
    std::shared_ptr<const Prepared> prepared_;
};

/// Makes a plan with the kernel that is predicted to be the fastest on the current device, and runs
/// nothing. If tune() has measured the spec on this device, the plan uses the winner instead,
/// except with PlanOptions::batch_invariant. Plans are cached for each device, so a second call
/// with a spec is a look-up. Throws Refused if the spec or the options break a rule, or if no
/// kernel computes the spec.
ConvPlan plan(const ConvSpec& spec, const PlanOptions& options = {});

/// Makes the plan that ConvPlan::serialize() described, with the same kernel. Throws Refused if the
/// text is not such a line, or if this library or device lacks the kernel.
ConvPlan deserialize(const std::string& text);

/// Empties the cache. Existing plans stay valid.
void clear_plan_cache();
/// The number of cached plans.
std::size_t plan_cache_size();

/// A type's name, such as "f16".
const char* name(DataType type);
/// The spec as one line of text, as explain() prints it.
std::string to_string(const ConvSpec& spec);

} // namespace ck
