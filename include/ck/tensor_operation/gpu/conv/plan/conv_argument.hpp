#pragma once
// What one launch of a convolution kernel is asked to compute, for any direction.
#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"
#include "ck/tensor_operation/gpu/conv/plan/split_plan.hpp"
#include "ck/tensor_operation/gpu/grid/conv_params.hpp"

#include <array>

namespace ck::tensor_operation::device {

template <class Source, class Compute>
using compute_type =
    std::conditional_t<std::is_same_v<Compute, Source> ||
                           std::is_same_v<Compute, typename thread::OperandSource<Source>::Element>,
                       void,
                       Compute>;

/// grid::GemmTypes from an operation's parameters. If a compute type equals the data type, the
/// instruction, which the tuning names, does the rounding.
template <class A,
          class B,
          class C,
          class OperationA,
          class OperationB,
          class OperationC,
          class Ds       = Tuple<>,
          class ComputeA = A,
          class ComputeB = B>
using ConvTypes = grid::GemmTypes<A,
                                  B,
                                  C,
                                  OperationA,
                                  OperationB,
                                  OperationC,
                                  Ds,
                                  compute_type<A, ComputeA>,
                                  compute_type<B, ComputeB>>;

/// The D tensor as kernels read it, in sub-batches of `sub_batch_size` images.
inline grid::DTensor d_tensor(const DArgument& d, index_t sub_batch_size)
{
    const TensorStrides& s = d.strides;
    grid::DTensor r{d.pointer, s[0], s[1] * sub_batch_size, {}};
    for(std::size_t dim = 0; dim < 5; ++dim) // n d h w channel
        r.stride[dim] = static_cast<index_t>(s[dim == 0 ? 1 : dim == 4 ? 2 : dim + 2]);
    return r;
}

/// The argument of one launch. Types: grid::GemmTypes.
template <class Types>
struct ConvArgument
{
    static constexpr index_t d_count = Types::Ds::Size();

    ConvProblem problem;
    Support valid; // what is wrong with the problem itself
    typename thread::OperandSource<typename Types::A>::Pointer a;
    typename thread::OperandSource<typename Types::B>::Pointer b;
    typename Types::C* c;
    std::array<DArgument, static_cast<std::size_t>(d_count)> d;
    typename Types::OperationA operation_a;
    typename Types::OperationB operation_b;
    typename Types::OperationC operation_c;
    grid::ChannelEpilogue epilogue; // channels: of one group; 0: as many as C has
    SplitPlan split;                // how the reduction is split into partial sums
    void* partial_sums = nullptr;   // their address; see grid::PartialSums and grid::SplitTiles
    void* transposed   = nullptr;   // address of an operand that is transposed first
    /// Direction::largest_batch() of the problem if it is already known, else 0.
    index_t images = 0;
    /// Whether no sum may be split into partial sums because of the number of tiles.
    bool whole_sums = false;
};

namespace detail {

inline TensorMemory memory_of(
    const char* name, const ConvProblem& p, Role role, const void* base, std::size_t element_bytes)
{
    return {name,
            base,
            lengths_of(p, role),
            strides_of(p, role),
            static_cast<long_index_t>(element_bytes)};
}

/// Whether a tensor that is read has elements apart from C's. A D tensor may be C itself.
inline Support check_read_memory(const TensorMemory& c, const TensorMemory& read, bool is_d)
{
    if(is_d)
    {
        if(const Support s =
               ck::detail::addressable(read.name, "GNCDHW", read.lengths, read.strides);
           !s)
            return s;
        if(in_place(c, read))
            return {};
    }
    return check_apart(c, read);
}

/// Calls f(memory) for each tensor that is read (A, B and D) until f refuses one.
template <class Direction, class Types, class Argument, class Check>
Support check_read(const Argument& a, const ConvProblem& p, const Check& f)
{
    using SourceA = thread::OperandSource<typename Types::A>;
    using SourceB = thread::OperandSource<typename Types::B>;
    Support support;
    const auto check = [&](const TensorMemory& m, bool is_d) {
        if(support)
            support = f(m, is_d);
    };
    for(index_t i = 0; i < SourceA::count; ++i)
        check(memory_of(Direction::a_name,
                        p,
                        Direction::a,
                        SourceA::base_of(a.a, i),
                        sizeof(typename SourceA::Element)),
              false);
    for(index_t i = 0; i < SourceB::count; ++i)
        check(memory_of(Direction::b_name,
                        p,
                        Direction::b,
                        SourceB::base_of(a.b, i),
                        sizeof(typename SourceB::Element)),
              false);
    unrolled<0, Types::Ds::Size()>([&](auto i) {
        using D            = tuple_element_t<i.value, typename Types::Ds>;
        const DArgument& d = a.d[static_cast<std::size_t>(i.value)];
        const char name[]  = {'D', static_cast<char>('0' + i.value), 0};
        static_assert(i.value < 10);
        check({name, d.pointer, lengths_of_d(lengths_of(p, Direction::c), d), d.strides, sizeof(D)},
              true);
    });
    return support;
}

} // namespace detail

/// What every operation requires of its tensors' memory. Strides must be valid. C's elements must
/// not overlap each other or a tensor that is read; but a D tensor may be C itself. p: the caller's
/// problem. Addresses may be null if they are not known yet.
template <class Direction, class Types, class Argument>
Support check_memory(const Argument& a, const ConvProblem& p)
{
    const TensorMemory c =
        detail::memory_of(Direction::c_name, p, Direction::c, a.c, sizeof(typename Types::C));
    if(c.begin() % sizeof(typename Types::C) != 0)
        return misaligned_element(c.name, sizeof(typename Types::C));
    if(const Support s = check_written(c.name, c.lengths, c.strides); !s)
        return s;
    return detail::check_read<Direction, Types>(a, p, [&](const TensorMemory& m, bool is_d) {
        return detail::check_read_memory(c, m, is_d);
    });
}

/// Throws std::runtime_error if a tensor that is not empty is null. c: whether C is needed.
template <class Direction, class Types, class Argument>
void require_addresses(const Argument& a, const ConvProblem& p, bool c)
{
    detail::check_read<Direction, Types>(a, p, [](const TensorMemory& m, bool) {
        require_address(m.name, m.lengths, m.base);
        return Support{};
    });
    if(c)
        require_address(Direction::c_name, lengths_of(p, Direction::c), a.c);
}

} // namespace ck::tensor_operation::device
