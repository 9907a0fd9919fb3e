// Computes eight-bit tensors as f16 or bf16. f16 has kernels for small groups and few channels that
// int8 and eight-bit floats lack, or for which they move single elements. Operands are converted
// into the workspace, a kernel of f16 runs there, and its result is converted back.
//
// int8 results are exact. f16 holds all operands, each product is at most 2^14, and f32 holds
// integers up to 2^24. If a partial sum of at most 2048 products is larger than that, it is the sum
// of more than 1024: the rest are too few to bring it back below 2^14, and roundings, by 2 each,
// change it by at most 2^12. So it saturates, which is correct. Up to 2048, f16 is exact as well;
// larger values saturate, also if f16 is infinite.
//
// Floats of e4m3 are rounded twice, to f16 and then to three bits of mantissa: the error is at most
// 0.504 units in the last place instead of 0.5, plus the error of f32. Operands have no infinities,
// so an infinite f16 is a sum that was too large, and becomes the largest number, as it does from
// f32. NaN stays NaN.
#include "rewrites/epilogue_argument.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"
#include "rewrites/upcast_launches.hpp"
#include <optional>

namespace ck::tensor_operation::device::instance {

namespace {

/// The most products in a sum of int8.
constexpr long_index_t most_products = 2048;
/// The most bytes of all copies: tensors that fill a GPU leave no room for two of each.
constexpr std::size_t most_bytes = std::size_t{4} << 30;

bool is_plain(const Family& family)
{
    return family.compute_a == family.a && family.compute_b == family.b && family.d.empty() &&
           family.operation_a == "PassThrough" && family.operation_b == "PassThrough" &&
           family.operation_c == "PassThrough";
}

/// Whether the result is rounded to f16 on its way.
bool is_rounded(const Family& family)
{
    return is_plain(family) && family.direction != Direction::backward_weight &&
           has_half_copies(family.a) && family.b == family.a && family.c == family.a;
}

/// Whether the result is a sum of exact products.
bool is_exact(const Family& family)
{
    return is_plain(family) && has_bhalf_copies(family.a) && has_bhalf_copies(family.b) &&
           family.c == type_name<float>;
}

/// Whether sums are short enough and saturate; if not, why.
Support check_upcast(const Family& family, const ConvArgument& argument)
{
    const ConvProblem& p = argument.problem;
    const long_index_t products =
        (family.direction == Direction::forward ? p.in_channels : p.out_channels) * p.filter[0] *
        p.filter[1] * p.filter[2];
    const bool integers = family.a == type_name<std::int8_t>;
    if(integers && !argument.saturates)
        return refused("int8 results are to have the low bits of their sums, which f16 does not "
                       "hold");
    if(integers && products > most_products)
        return refused("sums have " + std::to_string(products) +
                       " products, but those of more than " + std::to_string(most_products) +
                       " int8 may not be exact in f32");
    return {};
}

/// Contiguous, with the tensor's order of dimensions in memory.
UpcastCopy copy_of(const std::string& type, const std::string& as, const ConvProblem& p, Role role)
{
    UpcastCopy r{type, as, lengths_of(p, role), strides_of(p, role), {}};
    r.copy = packed_in_order(r.lengths, r.original);
    return r;
}

/// The copies of an argument.
struct UpcastCopies
{
    static constexpr const char* wants_workspace = "tensors are converted to 16 bits in it";

    Support valid;
    UpcastCopy a{}, b{};
    std::optional<UpcastCopy> c{}; ///< if the result is copied
    const void *a_from = nullptr, *b_from = nullptr;
    void* c_to = nullptr;
    ConvArgument inner{};

    static std::size_t bytes_of(const UpcastCopy& copy)
    {
        return (static_cast<std::size_t>(element_count(copy.lengths)) * sizeof(half_t) + 127) /
               128 * 128;
    }
    std::size_t bytes() const { return bytes_of(a) + bytes_of(b) + (c ? bytes_of(*c) : 0); }
    void require_tensors() const { require_tensors_at({a_from, b_from, c_to}); }
    void add_before(LaunchList& list) const
    {
        copy_up(a, a_from, const_cast<void*>(inner.a[0]), list);
        copy_up(b, b_from, const_cast<void*>(inner.b[0]), list);
    }
    void add_after(LaunchList& list) const
    {
        if(c)
            copy_down(*c, inner.c, c_to, list);
    }
    double predicted() const
    {
        return predicted_copy(a) + predicted_copy(b) + (c ? predicted_copy(*c) : 0);
    }

    static UpcastCopies of(const Family& family, const ConvArgument& argument)
    {
        const bool exact = is_exact(family);
        UpcastCopies r;
        r.valid = check_copied(argument);
        if(r.valid && !exact)
            r.valid = check_upcast(family, argument);
        if(r.valid)
            r.valid =
                check_operands(family.direction, argument, 1, exact ? index_t{sizeof(float)} : 1);
        if(!r.valid)
            return r;
        const std::string as = exact ? type_name<bhalf_t> : type_name<half_t>;
        const Role a_role    = family.direction == Direction::forward ? Role::input : Role::output,
                   b_role =
                       family.direction == Direction::backward_weight ? Role::input : Role::filter,
                   c_role    = result_role(family.direction);
        const ConvProblem& p = argument.problem;
        r.inner              = argument;
        r.a                  = copy_of(family.a, as, p, a_role);
        r.b                  = copy_of(family.b, as, p, b_role);
        if(!exact)
            r.c = copy_of(family.c, as, p, c_role);
        if(r.bytes() > most_bytes)
        {
            r.valid =
                refused("copies of tensors in " + as + " would take " + std::to_string(r.bytes()) +
                        " bytes of workspace, but 4 GiB at most are taken for them");
            return r;
        }
        strides_of(r.inner.problem, a_role) = r.a.copy;
        strides_of(r.inner.problem, b_role) = r.b.copy;
        r.a_from                            = argument.a[0];
        r.b_from                            = argument.b[0];
        r.c_to                              = argument.c;
        r.inner.a                           = {in_workspace(argument, 0)};
        r.inner.b                           = {in_workspace(argument, bytes_of(r.a))};
        if(r.c)
        {
            strides_of(r.inner.problem, c_role) = r.c->copy;
            r.inner.c = in_workspace(argument, bytes_of(r.a) + bytes_of(r.b));
        }
        r.inner.workspace = in_workspace(argument, r.bytes());
        return r;
    }
};

} // namespace

Family exact_upcast(const Family& family)
{
    Family inner = family;
    inner.a = inner.b = inner.compute_a = inner.compute_b = type_name<bhalf_t>;
    return inner;
}

std::vector<std::span<const ConvKernel>> upcast(const Family& family, const ConvArgument& argument)
{
    const bool exact = is_exact(family);
    if(!check_copied(argument) ||
       !(exact || (is_rounded(family) && check_upcast(family, argument))))
        return {};
    Family inner = exact_upcast(family);
    if(!exact)
        inner.a = inner.b = inner.c = inner.compute_a = inner.compute_b = type_name<half_t>;
    return kernels_and_copies_with_prologue<UpcastCopies>(family, inner, argument, "Upcast<");
}

} // namespace ck::tensor_operation::device::instance
