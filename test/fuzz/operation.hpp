#pragma once
// Operations under test, whatever the interface; and what is asked of them.
#include "ck/tensor_operation/gpu/device/device_base.hpp"

#include "fuzz/call.hpp"
#include <memory>

namespace ck::fuzz {

/// What an operation is, besides its functions.
struct Traits
{
    std::string engine;
    std::size_t rank          = 3;
    std::size_t d_count       = 0;
    std::size_t element_bytes = 2;
    bool wide                 = false; ///< lengths and strides of 64 bits
    bool lists                = false; ///< takes lists, for packed tensors
    bool takes_all            = false; ///< every sound problem with all strides
};

/// One of the operations that clients hold.
class Operation
{
public:
    explicit Operation(Traits traits) : traits(std::move(traits)) {}
    virtual ~Operation() = default;

    using Pointers = std::array<void*, tensor_count>;
    using Base     = tensor_operation::device::BaseOperator;

    virtual Base& base()                                                                      = 0;
    virtual std::unique_ptr<tensor_operation::device::BaseArgument> argument(const Call&,
                                                                             const Pointers&) = 0;
    virtual std::unique_ptr<tensor_operation::device::BaseInvoker> invoker()                  = 0;
    /// The predicted time of a supported argument; 0 if there is no model.
    virtual double predicted(const tensor_operation::device::BaseArgument&) = 0;

    const Traits traits;
    long supported = 0, ran = 0; ///< calls
};
using Operations = std::vector<std::unique_ptr<Operation>>;

/// Makes the operations of the program's direction.
Operations make_operations();
extern const Direction direction;

/// Asks every operation about the call and has one of them run it. Prints what was found and aborts
/// where an answer or a number is wrong.
void check(const Operations& operations, const Call& call);

/// The first elements of an array of six or three, of another type.
template <class Index, std::size_t rank>
std::array<Index, rank + 3> array_of(const Lengths& v)
{
    std::array<Index, rank + 3> r{};
    for(std::size_t i = 0; i < r.size(); ++i)
        r[i] = static_cast<Index>(v[i < 3 ? i : i + 3 - rank]);
    return r;
}
template <class Index, std::size_t rank>
std::array<Index, rank> array_of(const Spatial& v)
{
    std::array<Index, rank> r{};
    for(std::size_t i = 0; i < r.size(); ++i)
        r[i] = static_cast<Index>(v[i + 3 - rank]);
    return r;
}
/// Lengths or strides, and pointers, of the D tensors.
template <class Index, std::size_t rank, std::size_t count>
auto d_arrays(const Call& call, Lengths TensorArgument::*member)
{
    std::array<std::array<Index, rank + 3>, count> r{};
    for(std::size_t i = 0; i < count; ++i)
        r[i] = array_of<Index, rank>(call.tensors[tensor_d0 + i].*member);
    return r;
}
template <std::size_t count>
std::array<const void*, count> d_pointers(const Operation::Pointers& p)
{
    std::array<const void*, count> r{};
    for(std::size_t i = 0; i < count; ++i)
        r[i] = p[tensor_d0 + i];
    return r;
}
/// What an interface takes that takes lists.
template <std::size_t rank>
struct ListsOf
{
    explicit ListsOf(const Call& call)
        : n(static_cast<index_t>(call.tensors[tensor_x].lengths[1])),
          k(static_cast<index_t>(call.tensors[tensor_w].lengths[1])),
          c(static_cast<index_t>(call.tensors[tensor_x].lengths[2]))
    {
        const auto spatial = [&](Tensor t) {
            const Lengths& l = call.tensors[t].lengths;
            return Spatial{l[3], l[4], l[5]};
        };
        const Spatial values[]              = {spatial(tensor_x),
                                               spatial(tensor_w),
                                               spatial(tensor_y),
                                               call.stride,
                                               call.dilation,
                                               call.pad_low,
                                               call.pad_high};
        std::vector<index_t>* const lists[] = {
            &input, &filter, &output, &stride, &dilation, &pad_low, &pad_high};
        for(std::size_t i = 0; i < 7; ++i)
        {
            lists[i]->assign(values[i].end() - rank, values[i].end());
            if(call.longer == i)
                lists[i]->push_back(1);
            if(call.shorter == i)
                lists[i]->pop_back();
        }
    }

    index_t n, k, c;
    std::vector<index_t> input{}, filter{}, output{}, stride{}, dilation{}, pad_low{}, pad_high{};
};

} // namespace ck::fuzz
