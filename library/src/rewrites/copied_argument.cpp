// Chooses which tensors are copied, and how far their channels are padded.
#include "rewrites/copied_argument.hpp"

#include "ck/tensor_operation/gpu/conv/plan/conv_direction.hpp"
#include "ck/tensor_operation/gpu/conv/plan/conv_support.hpp"

#include "tensor_operation_instance/element_bytes.hpp"
#include <utility>

namespace ck::tensor_operation::device::instance {

namespace {

/// Which tensors are A, B and C.
struct Roles
{
    Role a, b, c;
    const char *a_name, *b_name, *c_name;
};
template <class Direction>
constexpr Roles roles_of_direction{Direction::a,
                                   Direction::b,
                                   Direction::c,
                                   Direction::a_name,
                                   Direction::b_name,
                                   Direction::c_name};
const Roles& roles_of(Direction direction)
{
    return direction == Direction::forward         ? roles_of_direction<ForwardDirection>
           : direction == Direction::backward_data ? roles_of_direction<BackwardDataDirection>
                                                   : roles_of_direction<BackwardWeightDirection>;
}

/// Whether the channels that kernels access together are contiguous: those of a group, or those of
/// all groups of one channel.
bool is_channels_last(const TensorLengths& lengths, const TensorStrides& strides, bool filters)
{
    if(lengths[2] > 1)
        return strides[2] == 1;
    return filters || lengths[0] <= 1 || strides[0] == 1;
}

/// Whether one image of a tensor spans more than a launch can address; copies are contiguous.
bool is_far_apart(TensorLengths lengths, const TensorStrides& strides, index_t bytes)
{
    lengths[1] = 1;
    return ck::detail::reach_in_bytes(lengths, strides, bytes) > ck::detail::index_limit;
}

/// Whether a D tensor is read pixel by pixel, and not along its channels, or spans too much.
bool wants_copy(const DArgument& d, const TensorLengths& lengths, index_t bytes, bool filters)
{
    bool has_pixels = false;
    for(const std::size_t i : {1, 3, 4, 5})
        has_pixels = has_pixels || (lengths[i] > 1 && d.strides[i] != 0);
    return has_pixels && d.strides[2] != 0 &&
           (!is_channels_last(lengths, d.strides, filters) ||
            (!filters && is_far_apart(lengths, d.strides, bytes)));
}

/// The first D tensor that is the same as number i: a tensor may be read twice.
std::size_t
same_as(const std::vector<DArgument>& d, const std::vector<index_t>& bytes, std::size_t i)
{
    std::size_t first = 0;
    while(first < i && (d[i].pointer == nullptr || d[first].pointer != d[i].pointer ||
                        d[first].strides != d[i].strides || bytes[first] != bytes[i]))
        ++first;
    return first;
}

/// The tensors of an argument, and which of them are copied.
struct Tensors
{
    const ConvProblem& problem;
    Roles roles;
    std::vector<index_t> a, b, c, d; ///< bytes of their elements
    bool input = false, filter = false, output = false;
    long_index_t in_channels, out_channels; ///< in a group, in copies

    Tensors(const Family& f, const ConvArgument& argument, CopiedChannels channels)
        : problem(argument.problem),
          roles(roles_of(f.direction)),
          a(element_bytes(f.a)),
          b(element_bytes(f.b)),
          c(element_bytes(f.c)),
          d(element_bytes(f.d)),
          in_channels(problem.in_channels),
          out_channels(problem.out_channels)
    {
        const auto is_last = [&](Role role) {
            const TensorLengths lengths = lengths_of(problem, role);
            const auto& of              = bytes(role);
            return is_channels_last(lengths, strides_of(problem, role), role == Role::filter) &&
                   (role == Role::filter || of.empty() ||
                    !is_far_apart(lengths, strides_of(problem, role), of[0]));
        };
        input  = !is_last(Role::input);
        filter = !is_last(Role::filter);
        output = !is_last(Role::output);
        if(channels == CopiedChannels::own || problem.groups > 1 || !argument.d.empty() ||
           f.operation_a != "PassThrough" || f.operation_b != "PassThrough")
            return;
        // Zeros in X and W add nothing; their products in Y and dX are not copied back.
        in_channels         = padded(problem.in_channels, Role::input);
        out_channels        = padded(problem.out_channels, Role::output);
        const bool more_in  = in_channels > problem.in_channels,
                   more_out = out_channels > problem.out_channels;
        input               = input || more_in;
        filter              = filter || more_in || more_out;
        output              = output || more_out;
    }

    bool are_padded() const
    {
        return in_channels > problem.in_channels || out_channels > problem.out_channels;
    }
    const std::vector<index_t>& bytes(Role role) const
    {
        return role == roles.a ? a : role == roles.b ? b : c;
    }
    bool is_copied(Role role) const
    {
        return role == Role::input ? input : role == Role::filter ? filter : output;
    }
    /// The copy of a tensor with X's, W's or Y's lengths.
    ChannelCopy copy(std::string name, Role role, const TensorStrides& strides, index_t bytes) const
    {
        const TensorLengths lengths = lengths_of(problem, role);
        if(role == Role::filter)
            return ChannelCopy::of_filters(
                std::move(name), lengths, strides, bytes, out_channels, in_channels);
        return ChannelCopy::of_image(std::move(name),
                                     lengths,
                                     strides,
                                     bytes,
                                     role == Role::input ? in_channels : out_channels);
    }

private:
    /// The smallest number of channels, at least this one, that fills vectors of the tensor and of
    /// the filters.
    long_index_t padded(long_index_t channels, Role role) const
    {
        index_t granule = 1;
        for(const Role of : {role, Role::filter})
            for(const index_t size : bytes(of))
                granule = std::max(granule, channel_granule(size));
        return (channels + granule - 1) / granule * granule;
    }
};

/// What kernels require of tensors that they do not see.
Support check_tensors(const Tensors& t, const ConvArgument& argument)
{
    const TensorLengths c_lengths  = lengths_of(t.problem, t.roles.c);
    const TensorStrides& c_strides = strides_of(t.problem, t.roles.c);
    const TensorMemory c{t.roles.c_name, argument.c, c_lengths, c_strides, t.c[0]};
    Support s        = check_written(c.name, c.lengths, c.strides);
    const auto apart = [&](const TensorMemory& m, bool may_be_in_place) {
        if(s && !(may_be_in_place && in_place(c, m)))
            s = check_apart(c, m);
    };
    for(std::size_t i = 0; i < t.a.size(); ++i)
        apart({t.roles.a_name,
               argument.a[i],
               lengths_of(t.problem, t.roles.a),
               strides_of(t.problem, t.roles.a),
               t.a[i]},
              false);
    for(std::size_t i = 0; i < t.b.size(); ++i)
        apart({t.roles.b_name,
               argument.b[i],
               lengths_of(t.problem, t.roles.b),
               strides_of(t.problem, t.roles.b),
               t.b[i]},
              false);
    for(std::size_t i = 0; i < t.d.size(); ++i)
        apart({"D",
               argument.d[i].pointer,
               lengths_of_d(c_lengths, argument.d[i]),
               argument.d[i].strides,
               t.d[i]},
              true);
    return s;
}

} // namespace

Support check_copied(const ConvArgument& argument)
{
    if(const Support s = check_argument(argument); !s)
        return s;
    const ConvProblem& p = argument.problem;
    for(const TensorLengths& lengths : {p.input_lengths(), p.filter_lengths(), p.output_lengths()})
        if(const long_index_t count = element_count(lengths); count > long_index_t{1} << 50)
            return refused("a tensor has " + std::to_string(count) +
                           " elements, but copies are made of at most 2^50");
    return {};
}

CopiedArgument
CopiedArgument::of(const Family& family, const ConvArgument& argument, CopiedChannels channels)
{
    CopiedArgument r{check_copied(argument), {}, {}, 0, argument};
    if(!r.valid)
        return r;
    const Tensors t(family, argument, channels);
    if(channels == CopiedChannels::padded && !t.are_padded())
    {
        r.valid = refused("no channels are padded: they fill vectors, or there are groups, D "
                          "tensors, or operations on operands");
        return r;
    }
    const auto require_count = [&](const char* what, std::size_t given, std::size_t count) {
        if(r.valid && given != count)
            r.valid = refused("the argument has " + std::to_string(given) + ' ' + what +
                              " tensors, but the kernel's family has " + std::to_string(count));
    };
    require_count("A", argument.a.size(), t.a.size());
    require_count("B", argument.b.size(), t.b.size());
    require_count("C", 1, t.c.size());
    require_count("D", argument.d.size(), t.d.size());
    if(r.valid && argument.epilogue.adds_residual() && t.is_copied(t.roles.c))
        r.valid = refused(std::string("the residual lies as ") + t.roles.c_name +
                          " does, not as its copy");
    if(r.valid)
        r.valid = check_tensors(t, argument);
    if(!r.valid)
        return r;

    auto* const workspace = static_cast<char*>(argument.workspace);
    const auto place      = [&](ChannelCopy how, const void* tensor) {
        constexpr std::size_t alignment = 128;
        const std::size_t at            = r.copied_bytes;
        r.copied_bytes += (how.bytes() + alignment - 1) / alignment * alignment;
        if(r.valid)
            r.valid = check_copy(how, tensor);
        return CopiedTensor{std::move(how), tensor, at};
    };
    const auto address = [&](const CopiedTensor& tensor) {
        return workspace == nullptr ? nullptr : workspace + tensor.at;
    };
    const auto read = [&](std::string name,
                          Role role,
                          const TensorStrides& strides,
                          index_t bytes,
                          const void*& from) {
        r.read.push_back(place(t.copy(std::move(name), role, strides, bytes), from));
        from = address(r.read.back());
        return r.read.back().how.copy;
    };
    ConvProblem& problem = r.inner.problem;
    problem.in_channels  = t.in_channels;
    problem.out_channels = t.out_channels;
    const auto strides   = [&](Role role) -> TensorStrides& {
        return role == Role::input    ? problem.input_strides
                 : role == Role::filter ? problem.filter_strides
                                        : problem.output_strides;
    };
    if(t.is_copied(t.roles.a))
        for(std::size_t i = 0; i < t.a.size(); ++i)
            strides(t.roles.a) = read(
                t.roles.a_name, t.roles.a, strides_of(t.problem, t.roles.a), t.a[i], r.inner.a[i]);
    if(t.is_copied(t.roles.b))
        for(std::size_t i = 0; i < t.b.size(); ++i)
            strides(t.roles.b) = read(
                t.roles.b_name, t.roles.b, strides_of(t.problem, t.roles.b), t.b[i], r.inner.b[i]);
    for(std::size_t i = 0; i < t.d.size(); ++i)
    {
        DArgument& d = r.inner.d[i];
        if(!wants_copy(d, lengths_of(t.problem, t.roles.c), t.d[i], t.roles.c == Role::filter))
            continue;
        const std::size_t same = same_as(argument.d, t.d, i);
        d.strides = read("D" + std::to_string(i), t.roles.c, d.strides, t.d[i], d.pointer);
        if(same == i)
            continue;
        d = r.inner.d[same]; // its own place stays empty: other addresses may need it
        r.read.pop_back();
    }
    if(t.is_copied(t.roles.c))
    {
        r.result =
            place(t.copy(t.roles.c_name, t.roles.c, strides_of(t.problem, t.roles.c), t.c[0]),
                  argument.c);
        r.inner.c          = address(*r.result);
        strides(t.roles.c) = r.result->how.copy;
    }
    if(r.valid && r.copied_bytes == 0 && r.read.empty() && !r.result)
        r.valid = refused("the channels of all tensors are neighbours: none is copied");
    r.inner.workspace = workspace == nullptr ? nullptr : workspace + r.copied_bytes;
    return r;
}

} // namespace ck::tensor_operation::device::instance
