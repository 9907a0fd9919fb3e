#pragma once
// One launch of the implicit-GEMM kernel for tensors whose channels may be in blocks. X, W and Y
// each are blocked or have any strides.
#include "ck/tensor_operation/gpu/conv/operation/conv_operation.hpp"
#include "ck/tensor_operation/gpu/device/blocked_layouts.hpp"
#include "ck/tensor_operation/operator_transform/blocked.hpp"

namespace ck::tensor_operation::device {

/// The layouts of X, W and Y: blocked tags, or any others, which imply nothing.
template <class X, class W, class Y>
struct BlockedLaunch
{
    static_assert(BlockedTag<X> || BlockedTag<W> || BlockedTag<Y>,
                  "no layout is blocked: ConvOperation is for these");

    /// ConvOperation for blocked tensors. Types: grid::GemmTypes, without D tensors.
    template <class Direction_, class Types, GemmTuning tuning_>
    struct Operation
    {
        static constexpr GemmTuning tuning = tuning_;

        using Direction = Direction_;
        using Transform = Blocked<typename Direction::Transform>;
        static_assert(Accepted<grid::why_no_gemm<Transform>(tuning)>::value);
        static_assert(tuning.pipeline == Pipeline::single_buffer ||
                          tuning.pipeline == Pipeline::double_buffer ||
                          tuning.pipeline == Pipeline::async_copies,
                      "blocked channels are for pipelines whose threads compute addresses");
        static_assert(tuning.reduction == Reduction::by_tap,
                      "blocked channels are reduced tap by tap");
        static_assert(Types::Ds::Size() == 0, "blocked results have no D tensors");

        using Kernel     = grid::GridwiseConv<Transform, Types, tuning_>;
        using SourceA    = thread::OperandSource<typename Types::A>;
        using SourceB    = thread::OperandSource<typename Types::B>;
        using A          = typename SourceA::Element;
        using B          = typename SourceB::Element;
        using C          = typename Types::C;
        using OperationA = typename Types::OperationA;
        using OperationB = typename Types::OperationB;
        using OperationC = typename Types::OperationC;

        static constexpr index_t d_count = 0;
        struct Argument : public ConvArgument<Types>
        {
            static constexpr bool has_blocks = true; ///< strides do not locate elements
        };
        static_assert(SourceA::count == 1 && SourceB::count == 1,
                      "a blocked operand is one tensor");

        template <Role role>
        using Layout = std::
            conditional_t<role == Role::input, X, std::conditional_t<role == Role::filter, W, Y>>;
        static constexpr bool of_filter             = Direction::c == Role::filter;
        static constexpr ElementBytes element_bytes = element_bytes_of<Direction, A, B, C>();

        /// Whether C is in blocks.
        static constexpr bool blocked_result = BlockedTag<Layout<Direction::c>>;

        /// Whether the argument can run on the current device; if not, why.
        static Support supports(const Argument& a, bool = false)
        {
            if(!a.valid)
                return a.valid;
            if(const Support s = check_device(
                   tuning, current_target(), arch::shared_bytes<Kernel>, shared_bytes_of_block());
               !s)
                return s;
            Support s;
            each_tensor(a, [&](auto tensor) {
                if(s)
                    s = check_tensor(a, tensor);
            });
            if(!s)
                return s;
            if(const Support apart = check_apart_all(a); !apart)
                return apart;
            if(const Support fits = Direction::check(a.problem, element_bytes); !fits)
                return fits;
            if(const index_t images = sub_batch_size(a); images == 0)
                return refused("a tensor spans 2^31 bytes or more in one image and one group, but "
                               "32-bit offsets need less");
            else if(of_filter && images < a.problem.batch && a.split.whole)
                return refused("32-bit offsets take " + std::to_string(images) + " images of " +
                               std::to_string(a.problem.batch) +
                               " at a time, whose sums are to be added up");
            if(const long_index_t blocks = make_params(a).tiles.size();
               blocks > std::numeric_limits<index_t>::max())
                return refused("the problem has " + std::to_string(blocks) +
                               " tiles, but a launch has fewer than 2^31");
            return {};
        }

        static std::size_t workspace_size(const Argument&) { return 0; }

        /// Appends the launch of a supported argument. Throws std::runtime_error if a tensor that
        /// is not empty has a null address.
        static void add(LaunchList& list, const Argument& a)
        {
            require_addresses<Direction, Types>(a, a.problem, true);
            const typename Kernel::Params r = make_params(a);
            list.add<Kernel>(static_cast<index_t>(Kernel::grid_size(r)), r);
        }
        /// Launches it. Returns milliseconds if `config` asks for time, else 0.
        static float run(const Argument& a, const StreamConfig& config, void* = nullptr)
        {
            LaunchList list;
            add(list, a);
            return list.run(config);
        }

        /// The parameters of a launch for an argument whose problem is valid and fits.
        static typename Kernel::Params make_params(const Argument& a)
        {
            const ConvProblem& p = a.problem;
            const index_t images = std::max(1, sub_batch_size(a));
            const auto distance  = [&](Role role) {
                const TensorStrides& strides = strides_of(p, role);
                return grid::Distance{strides[0], role == Role::filter ? 0 : strides[1] * images};
            };
            typename Kernel::Params r{};
            r.a            = a.a;
            r.b            = a.b;
            r.c            = a.c;
            r.operation_a  = a.operation_a;
            r.operation_b  = a.operation_b;
            r.operation_c  = a.operation_c;
            r.transform    = Transform::make(p, blocks(p), images);
            const auto cut = [](index_t length, index_t tile) {
                return make_divisor(math::integer_divide_ceil(length, tile));
            };
            r.tiles          = {cut(r.transform.columns, tuning.block_tile.n),
                                make_divisor(r.transform.phase_count()),
                                cut(r.transform.max_rows(), tuning.block_tile.m),
                                make_divisor(a.split.partial_sums),
                                make_divisor(static_cast<index_t>(p.groups)),
                                static_cast<index_t>(math::integer_divide_ceil(
                           std::max(p.batch, long_index_t{of_filter}), // zeros of no image
                           static_cast<long_index_t>(images)))};
            r.a_distance     = distance(Direction::a);
            r.b_distance     = distance(Direction::b);
            r.c_distance     = distance(Direction::c);
            r.batch          = static_cast<index_t>(p.batch);
            r.sub_batch_size = images;
            if(a.split.has_partial_sums())
                r.partial_sums = grid::PartialSums::make(a.partial_sums,
                                                         r.transform.max_rows(),
                                                         r.transform.columns,
                                                         static_cast<index_t>(p.groups));
            return r;
        }

        /// Images in a sub-batch: as many as 32-bit offsets reach in all tensors.
        static index_t sub_batch_size(const Argument& a)
        {
            const auto fits = [&](long_index_t images) {
                bool all = true;
                each_tensor(a, [&]<class Tensor>(const Tensor&) {
                    const BlockedMemory m = memory<Tensor::role>(a.problem);
                    if(!m.blocks)
                        return;
                    const long_index_t elements =
                        Tensor::role == Role::filter
                            ? m.elements / a.problem.groups
                            : math::saturating_product(m.strides[1], images);
                    all = all && elements <= ck::detail::index_limit /
                                                 static_cast<long_index_t>(
                                                     sizeof(typename Tensor::Element));
                });
                return all;
            };
            return std::min(Direction::largest_batch(a.problem, element_bytes),
                            ck::detail::most_images(a.problem, fits));
        }

    private:
        /// The block structure of one of the three tensors.
        template <Role role_, class Element_>
        struct TensorOf
        {
            static constexpr Role role = role_;
            using Element              = Element_;
            const char* name;
            const void* base;
            index_t vector;
            bool along_k; // its channels are in the reduction
        };
        template <class F>
        static void each_tensor(const Argument& a, const F& f)
        {
            f(TensorOf<Direction::a, A>{
                Direction::a_name, a.a, tuning.a_vector, Transform::a_along_k});
            f(TensorOf<Direction::b, B>{
                Direction::b_name, a.b, tuning.b_vector, Transform::b_along_k});
            f(TensorOf<Direction::c, C>{Direction::c_name, a.c, tuning.c_vector, false});
        }
        template <Role role>
        using ElementOf = std::
            conditional_t<role == Direction::a, A, std::conditional_t<role == Direction::b, B, C>>;

        /// The blocks of a tensor; none if its layout is not blocked.
        template <Role role>
        static BlockedMemory memory(const ConvProblem& p)
        {
            if constexpr(BlockedTag<Layout<role>>)
                return blocked_memory<Layout<role>, ElementOf<role>>(lengths_of(p, role));
            else
                return {};
        }
        static ConvBlocks blocks(const ConvProblem& p)
        {
            const BlockedMemory w = memory<Role::filter>(p);
            return {
                memory<Role::input>(p).blocks, w.blocks, memory<Role::output>(p).blocks, w.rows};
        }

        template <class Tensor>
        static Support check_tensor(const Argument& a, const Tensor& t)
        {
            const auto text             = [](auto n) { return std::to_string(n); };
            const TensorLengths lengths = lengths_of(a.problem, Tensor::role);
            const TensorStrides strides = strides_of(a.problem, Tensor::role);
            const index_t bytes         = static_cast<index_t>(sizeof(typename Tensor::Element));
            using Tag                   = Layout<Tensor::role>;
            if constexpr(!BlockedTag<Tag>)
            {
                if(Tensor::role == Direction::c)
                    if(const Support s = check_written(t.name, lengths, strides); !s)
                        return s;
                return check_vectors(t.name,
                                     Tensor::role == Role::output ? "K" : "C",
                                     lengths,
                                     strides,
                                     2,
                                     t.vector,
                                     bytes,
                                     t.base);
            }
            else
            {
                constexpr index_t c0 = block_of<Tag, typename Tensor::Element>;
                const std::string what =
                    std::string(t.name) + ", " + Tag::name + " with C0 of " + text(c0);
                const BlockedMemory m     = memory<Tensor::role>(a.problem);
                constexpr char of_image[] = "GNCDHW", of_weights[] = "GKCZYX";
                for(std::size_t i = 0; i < 6; ++i)
                    if(lengths[i] > 1 && strides[i] != m.strides[i])
                        return refused("the stride of " +
                                       std::string(1, (Tag::is_filter ? of_weights : of_image)[i]) +
                                       " of " + what + ", is " + text(strides[i]) +
                                       ", but that layout makes it " + text(m.strides[i]));
                if(Tag::is_filter != (Tensor::role == Role::filter))
                    return refused(what + ": that layout is for " +
                                   (Tag::is_filter ? "filters" : "images"));
                if(c0 % t.vector != 0)
                    return refused("this kernel accesses " + what + ", in vectors of " +
                                   text(t.vector) + " elements, which must divide C0");
                if(t.along_k && !of_filter && tuning.block_tile.k % c0 != 0)
                    return refused("slices of " + text(tuning.block_tile.k) +
                                   " channels are no whole number of blocks of " + what);
                const long_index_t channels = lengths[2];
                if(t.along_k && tuning.pipeline == Pipeline::async_copies &&
                   channels % t.vector != 0)
                    return refused("asynchronous copies cannot leave out padding: " +
                                   text(channels) + " channels of " + what +
                                   ", are not a multiple of the vectors' " + text(t.vector));
                if(reinterpret_cast<std::uintptr_t>(t.base) %
                       static_cast<std::uintptr_t>(t.vector * bytes) !=
                   0)
                    return refused("the address of " + what + ", is not a multiple of the " +
                                   text(t.vector * bytes) + " bytes of this kernel's vectors");
                return {};
            }
        }
        /// Whether C does not overlap what is read. A blocked tensor occupies all of its memory.
        static Support check_apart_all(const Argument& a)
        {
            TensorLengths lengths[3];
            TensorStrides strides[3];
            std::vector<TensorMemory> tensors;
            tensors.reserve(3);
            each_tensor(a, [&]<class Tensor>(const Tensor& t) {
                const std::size_t i   = tensors.size();
                const BlockedMemory m = memory<Tensor::role>(a.problem);
                lengths[i]            = lengths_of(a.problem, Tensor::role);
                strides[i]            = strides_of(a.problem, Tensor::role);
                if(m.blocks)
                {
                    lengths[i] = {1, 1, m.elements, 1, 1, 1};
                    strides[i] = {0, 0, 1, 0, 0, 0};
                }
                tensors.push_back({t.name,
                                   t.base,
                                   lengths[i],
                                   strides[i],
                                   static_cast<long_index_t>(sizeof(typename Tensor::Element))});
            });
            for(std::size_t i = 0; i < 2; ++i)
                if(const Support s = check_apart(tensors[2], tensors[i]); !s)
                    return s;
            return {};
        }
    };
};

} // namespace ck::tensor_operation::device
