#pragma once
// One launch of the implicit-GEMM kernel for a problem of any direction: what it supports, and its
// parameters. Knows nothing of ranks and layouts; the operations that clients hold are made of it.
#include "ck/arch/kernel.hpp"
#include "ck/host_utility/device_prop.hpp"
#include "ck/host_utility/kernel_launch.hpp"
#include "ck/tensor_operation/gpu/device/impl/conv_direction.hpp"
#include "ck/tensor_operation/gpu/device/impl/conv_support.hpp"
#include "ck/tensor_operation/gpu/grid/gridwise_conv.hpp"

#include <array>
#include <stdexcept>

namespace ck::tensor_operation::device {

/// grid::GemmTypes from the parameters of operations. A compute type that is the data's own leaves
/// the rounding to the instruction, which the tuning names.
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
                                  std::conditional_t<std::is_same_v<ComputeA, A>, void, ComputeA>,
                                  std::conditional_t<std::is_same_v<ComputeB, B>, void, ComputeB>>;

/// Types: grid::GemmTypes.
template <class Direction_, class Types, GemmTuning tuning_>
struct ConvOperation
{
    static constexpr GemmTuning tuning = tuning_;

    using Direction = Direction_;
    using Transform = typename Direction::Transform;
    static_assert(grid::why_not<Transform>(tuning) == nullptr, "see ck::grid::why_not(tuning)");

    using Kernel     = grid::GridwiseConv<Transform, Types, tuning_>;
    using A          = typename Types::A;
    using B          = typename Types::B;
    using C          = typename Types::C;
    using OperationA = typename Types::OperationA;
    using OperationB = typename Types::OperationB;
    using OperationC = typename Types::OperationC;

    static constexpr index_t d_count = Types::Ds::Size();

    static constexpr ElementBytes element_bytes = [] {
        ElementBytes bytes{};
        const auto set = [&](Role role, std::size_t size) {
            (role == Role::input    ? bytes.input
             : role == Role::filter ? bytes.filter
                                    : bytes.output) = static_cast<index_t>(size);
        };
        set(Direction::a, sizeof(A));
        set(Direction::b, sizeof(B));
        set(Direction::c, sizeof(C));
        return bytes;
    }();

    struct Argument
    {
        ConvProblem problem;
        Support valid; // what is wrong with the problem itself
        const A* a;
        const B* b;
        C* c;
        std::array<DArgument, static_cast<std::size_t>(d_count)> d;
        OperationA operation_a;
        OperationB operation_b;
        OperationC operation_c;
        index_t splits = 1;       // of the reduction, into parts of the sum
        bool in_parts  = false;   // store parts of the sum instead of C
        float* parts   = nullptr; // where; see grid::Parts
    };

    /// Whether, on the current device, the argument can be run; if not, why.
    static Support supports(const Argument& a)
    {
        if(!a.valid)
            return a.valid;
        if(const Support s = check_device(tuning, current_target()); !s)
            return s;
        const auto check = [&](Role role,
                               const char* name,
                               index_t vector,
                               std::size_t size,
                               const void* pointer) {
            return check_vectors(name,
                                 role == Role::output ? "K" : "C",
                                 lengths_of(a.problem, role),
                                 strides_of(a.problem, role),
                                 2,
                                 vector,
                                 static_cast<index_t>(size),
                                 pointer);
        };
        if(const Support s =
               check(Direction::a, Direction::a_name, tuning.a_vector, sizeof(A), a.a);
           !s)
            return s;
        if(const Support s =
               check(Direction::b, Direction::b_name, tuning.b_vector, sizeof(B), a.b);
           !s)
            return s;
        if(const Support s =
               check(Direction::c, Direction::c_name, tuning.c_vector, sizeof(C), a.c);
           !s && !a.in_parts)
            return s;
        Support d_support;
        unrolled<0, d_count>([&](auto i) {
            using D             = tuple_element_t<i.value, typename Types::Ds>;
            const DArgument& d  = a.d[static_cast<std::size_t>(i.value)];
            const std::string n = "D" + std::to_string(i.value);
            if(d_support)
                d_support =
                    check_d(n, lengths_of(a.problem, Direction::c), d, tuning.c_vector, sizeof(D));
        });
        if(!d_support)
            return d_support;
        if(const Support s = Direction::check(a.problem, element_bytes); !s)
            return s;
        if(const long_index_t blocks = make_params(a).tiles.size();
           blocks > std::numeric_limits<index_t>::max())
            return refused("the problem has " + std::to_string(blocks) +
                           " tiles, but a launch has fewer than 2^31");
        return {};
    }

    /// For an argument that is supported. Milliseconds if the configuration asks for time, else 0.
    static float run(const Argument& a, const StreamConfig& config)
    {
        const typename Kernel::Params params = make_params(a);
        return launch_and_time_kernel<Kernel>(
            config, static_cast<index_t>(params.tiles.size()), params);
    }

    /// For an argument whose problem is valid and fits.
    static typename Kernel::Params make_params(const Argument& a)
    {
        const ConvProblem& p      = a.problem;
        const index_t chunk_batch = Direction::largest_batch(p, element_bytes);
        const auto distance       = [&](Role role) {
            const TensorStrides& strides = strides_of(p, role);
            return grid::Distance{strides[0], role == Role::filter ? 0 : strides[1] * chunk_batch};
        };
        typename Kernel::Params r{};
        r.a           = a.a;
        r.b           = a.b;
        r.c           = a.c;
        r.operation_a = a.operation_a;
        r.operation_b = a.operation_b;
        r.operation_c = a.operation_c;
        r.transform   = Transform::make(p, chunk_batch);
        r.tiles       = {
                  make_divisor(math::integer_divide_ceil(static_cast<index_t>(Direction::columns(p)),
                                                   tuning.block_tile.n)),
                  make_divisor(r.transform.class_count()),
                  make_divisor(math::integer_divide_ceil(r.transform.max_rows(), tuning.block_tile.m)),
                  make_divisor(a.splits),
                  make_divisor(static_cast<index_t>(p.groups)),
                  chunks(p)};
        r.a_distance = distance(Direction::a);
        r.b_distance = distance(Direction::b);
        r.c_distance = distance(Direction::c);
        if(a.in_parts)
            r.parts = grid::Parts::make(a.parts,
                                        r.transform.max_rows(),
                                        static_cast<index_t>(Direction::columns(p)),
                                        static_cast<index_t>(p.groups));
        r.batch       = static_cast<index_t>(p.batch);
        r.chunk_batch = chunk_batch;
        for(std::size_t i = 0; i < a.d.size(); ++i)
        {
            const TensorStrides& s = a.d[i].strides;
            r.d[i]                 = {a.d[i].pointer, s[0], s[1] * chunk_batch, {}};
            for(std::size_t dim = 0; dim < 5; ++dim) // n d h w channel
                r.d[i].stride[dim] = static_cast<index_t>(s[dim == 0 ? 1 : dim == 4 ? 2 : dim + 2]);
        }
        return r;
    }

    /// Chunks of the batch.
    static index_t chunks(const ConvProblem& p)
    {
        return static_cast<index_t>(math::integer_divide_ceil(
            p.batch, static_cast<long_index_t>(Direction::largest_batch(p, element_bytes))));
    }
};

} // namespace ck::tensor_operation::device
