// Converts types, lengths and strides; groups become channels.
#include "cudnn_problem.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

namespace ck::profiler {

namespace {

[[noreturn]] void refuse(const std::string& reason)
{
    throw std::runtime_error("cuDNN does not compute this: " + reason);
}

cudnnDataType_t type_of(const std::string& type)
{
    static const struct
    {
        const char* name;
        cudnnDataType_t type;
    } types[] = {{"f64", CUDNN_DATA_DOUBLE},
                 {"f32", CUDNN_DATA_FLOAT},
                 {"f16", CUDNN_DATA_HALF},
                 {"bf16", CUDNN_DATA_BFLOAT16},
                 {"i8", CUDNN_DATA_INT8},
                 {"f8_ocp", CUDNN_DATA_FP8_E4M3},
                 {"bf8_ocp", CUDNN_DATA_FP8_E5M2}};
    for(const auto& t : types)
        if(type == t.name)
            return t.type;
    refuse("it has no type " + type);
}

/// Contiguous strides in the order of `lengths`, whose dimension 1 is the channels.
std::vector<std::int64_t> packed(const std::vector<std::int64_t>& lengths, CudnnOrder order)
{
    std::vector<std::size_t> slowest_first(lengths.size());
    std::iota(slowest_first.begin(), slowest_first.end(), std::size_t{0});
    if(order == CudnnOrder::channels_last)
        std::rotate(slowest_first.begin() + 1, slowest_first.begin() + 2, slowest_first.end());
    std::vector<std::int64_t> strides(lengths.size());
    std::int64_t next = 1;
    for(std::size_t i = lengths.size(); i-- > 0;)
    {
        strides[slowest_first[i]] = next;
        next *= lengths[slowest_first[i]];
    }
    return strides;
}

/// Strides that differ only in dimensions of one element describe the same memory.
bool same_memory(const std::vector<std::int64_t>& lengths,
                 const std::vector<std::int64_t>& a,
                 const std::vector<std::int64_t>& b)
{
    for(std::size_t i = 0; i < lengths.size(); ++i)
        if(lengths[i] > 1 && a[i] != b[i])
            return false;
    return true;
}

/// merged: the dimension that includes the groups, 1 (channels) or, for W, 0 (K).
CudnnTensor tensor(const char* what,
                   const std::string& type,
                   const TensorLengths& lengths,
                   const TensorStrides& strides,
                   std::size_t merged,
                   std::size_t rank)
{
    const std::size_t inner = 1 + merged; // the dimension that is not merged
    CudnnTensor t{type_of(type), {lengths[1], lengths[2]}, {strides[1], strides[2]}, {}};
    if(lengths[0] > 1)
    {
        if(lengths[inner] == 1)
            t.strides[merged] = strides[0];
        else if(strides[0] != lengths[inner] * strides[inner])
            refuse(std::string("the groups of ") + what + " do not lie among its " +
                   (merged == 1 ? "channels" : "output channels") + ", as in nhwgc and ngchw");
    }
    t.lengths[merged] *= lengths[0];
    for(std::size_t i = 6 - rank; i < 6; ++i)
    {
        t.lengths.push_back(lengths[i]);
        t.strides.push_back(strides[i]);
    }
    t.order = CudnnOrder::other;
    for(const CudnnOrder order : {CudnnOrder::channels_last, CudnnOrder::channels_first})
        if(const auto strides_of_order = packed(t.lengths, order);
           same_memory(t.lengths, t.strides, strides_of_order))
        {
            t.order   = order;
            t.strides = strides_of_order;
            break;
        }
    return t;
}

} // namespace

CudnnProblem cudnn_problem(const ConvRequest& request, const ConvProblem& p)
{
    const tensor_operation::device::instance::Family& family = request.family;
    const Direction direction                                = family.direction;
    const bool forward                                       = direction == Direction::forward;
    const bool weight = direction == Direction::backward_weight;
    if(!family.d.empty() || family.operation_a != "PassThrough" ||
       family.operation_b != "PassThrough" || family.operation_c != "PassThrough")
        refuse("operations on elements are not compared, the operation is " + family.operation_c);
    const bool tf32 = family.compute_a == "tf32" && family.compute_b == "tf32";
    if(!tf32 && (family.compute_a != family.a || family.compute_b != family.b))
        refuse("it multiplies operands as they are, not " + family.a + " as " + family.compute_a +
               " and " + family.b + " as " + family.compute_b);
    for(std::size_t i = 0; i < 3; ++i)
        if(p.pad_low[i] < 0 || p.pad_high[i] < 0)
            refuse("a pad is negative");

    // A, B and C of the GEMM: see Family.
    const std::string& x   = forward ? family.a : weight ? family.b : family.c;
    const std::string& w   = weight ? family.c : family.b;
    const std::string& y   = forward ? family.c : family.a;
    const std::size_t rank = p.rank == 3 ? 3 : 2;
    const auto of_rank     = [&](const Spatial& s) {
        return std::vector<std::int64_t>(s.end() - static_cast<std::ptrdiff_t>(rank), s.end());
    };
    CudnnProblem r{direction,
                   tensor("X", x, p.input_lengths(), p.input_strides, 1, rank),
                   tensor("W", w, p.filter_lengths(), p.filter_strides, 0, rank),
                   tensor("Y", y, p.output_lengths(), p.output_strides, 1, rank),
                   family.a == "f64"  ? CUDNN_DATA_DOUBLE
                   : family.a == "i8" ? CUDNN_DATA_INT32
                                      : CUDNN_DATA_FLOAT,
                   tf32,
                   p.groups,
                   of_rank(p.stride),
                   of_rank(p.dilation),
                   of_rank(p.pad_low),
                   of_rank(p.pad_high)};
    // A tensor with one channel, or one pixel, has both orders: use the order of the others.
    const std::array<CudnnTensor*, 3> all{&r.x, &r.w, &r.y};
    if(std::any_of(all.begin(), all.end(), [](const CudnnTensor* t) {
           return t->order == CudnnOrder::channels_first;
       }))
        for(CudnnTensor* const t : all)
            if(const auto strides = packed(t->lengths, CudnnOrder::channels_first);
               same_memory(t->lengths, t->strides, strides))
            {
                t->order   = CudnnOrder::channels_first;
                t->strides = strides;
            }
    return r;
}

const char* name(CudnnOrder order)
{
    switch(order)
    {
    case CudnnOrder::channels_last:
        return "channels last";
    case CudnnOrder::channels_first:
        return "channels first";
    case CudnnOrder::other:
        break;
    }
    return "neither channels last nor first";
}

} // namespace ck::profiler
