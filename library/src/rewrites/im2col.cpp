// Patches: filters as wide as their stride, without padding. Each element of X is in one window, so
// a matrix whose rows are the windows has as many elements as X. The convolution is its product
// with the filters: 1x1 with a filter's elements as channels. The matrix is in the workspace. Its
// columns have W's order, so filters are copied only if they do not fill vectors.
#include "rewrites/im2col_launches.hpp"
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/patches.hpp"
#include "rewrites/rewrites.hpp"
#include "tensor_operation_instance/element_bytes.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

constexpr long_index_t most_of_patches = 0x7fffffff;

bool takes(const Family& family, const ConvProblem& p)
{
    const bool known = family.a == type_name<half_t> || family.a == type_name<bhalf_t> ||
                       family.a == type_name<float>;
    const bool result_is_known =
        family.c == family.a ||
        (family.direction == Direction::backward_weight && family.c == type_name<float>);
    return known && family.b == family.a && result_is_known && family.d.empty() &&
           family.operation_a == "PassThrough" && family.operation_b == "PassThrough" &&
           p.groups == 1 && are_patches(p) && element_count(p.input_lengths()) <= most_of_patches &&
           element_count(p.filter_lengths()) <= most_of_patches;
}

struct Rows
{
    static constexpr const char* wants_workspace = "patches are rows of a matrix in it";
    static constexpr bool passes_epilogue        = true;

    Support valid;
    Direction direction = Direction::forward;
    Im2colCopy windows{}, filters{};
    bool copies_filters = false;
    const void *x = nullptr, *w = nullptr;     ///< where they are read
    void* c      = nullptr;                    ///< the result
    void *x_rows = nullptr, *w_rows = nullptr; ///< the matrices
    ConvArgument inner{};

    std::size_t window_bytes() const { return rounded(windows.bytes()); }
    std::size_t bytes() const
    {
        return window_bytes() + (copies_filters ? rounded(filters.bytes()) : 0);
    }
    void require_tensors() const
    {
        require_tensors_at({c,
                            direction == Direction::backward_data ? c : x,
                            direction == Direction::backward_weight ? c : w});
    }
    void add_before(LaunchList& list) const
    {
        if(direction != Direction::backward_data)
            copy_to_rows(windows, x, x_rows, list);
        if(direction != Direction::backward_weight && copies_filters)
            copy_to_rows(filters, w, w_rows, list);
    }
    void add_after(LaunchList& list) const
    {
        if(direction == Direction::backward_data)
            copy_from_rows(windows, x_rows, c, list);
        if(direction == Direction::backward_weight && copies_filters)
            copy_from_rows(filters, w_rows, c, list);
    }
    double predicted() const
    {
        return predicted_copy(windows, direction != Direction::backward_data) +
               (copies_filters ? predicted_copy(filters, direction != Direction::backward_weight)
                               : 0);
    }

    static Rows of(const Family& family, const ConvArgument& argument);

private:
    static std::size_t rounded(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

    /// Returns the problem of 1x1 on the matrix.
    ConvProblem product(const ConvProblem& p) const
    {
        ConvProblem q   = p;
        q.in_channels   = windows.pitch;
        q.input         = p.output();
        q.filter        = {1, 1, 1};
        q.stride        = {1, 1, 1};
        q.input_strides = ck::detail::packed_strides(q.input_lengths(), {0, 1, 3, 4, 5, 2});
        const long_index_t filter = copies_filters ? filters.pitch : p.filter_strides[1];
        q.filter_strides          = {q.out_channels * filter, filter, 1, 1, 1, 1};
        return q;
    }
};

Rows Rows::of(const Family& family, const ConvArgument& argument)
{
    const index_t element_bytes = bytes_of_type(family.a), result_bytes = bytes_of_type(family.c);
    const bool is_weight = family.direction == Direction::backward_weight;
    Rows r;
    r.valid = check_copied(argument);
    if(r.valid && !takes(family, argument.problem))
        r.valid = refused("this kernel is for filters as wide as their stride, without padding, "
                          "groups and operations on operands");
    if(r.valid)
        r.valid = check_operands(family.direction, argument, element_bytes, result_bytes);
    if(!r.valid)
        return r;
    const ConvProblem& p = argument.problem;
    r.direction          = family.direction;
    r.windows            = Im2colCopy::of_windows(p, element_bytes);
    r.filters =
        Im2colCopy::of_filters(p, is_weight ? result_bytes : element_bytes, r.windows.pitch);
    r.copies_filters  = !filters_are_rows(p, element_bytes);
    r.c               = argument.c;
    r.x_rows          = in_workspace(argument, 0);
    r.w_rows          = in_workspace(argument, r.window_bytes());
    r.inner           = argument;
    r.inner.problem   = r.product(p);
    r.inner.workspace = in_workspace(argument, r.bytes());
    if(family.direction == Direction::backward_data)
        r.inner.c = r.x_rows;
    else
    {
        const void*& x = (family.direction == Direction::forward ? r.inner.a : r.inner.b)[0];
        r.x            = x;
        x              = r.x_rows;
    }
    if(!is_weight)
        r.w = argument.b[0];
    if(r.copies_filters && is_weight)
        r.inner.c = r.w_rows;
    else if(r.copies_filters)
        r.inner.b[0] = r.w_rows;
    return r;
}

} // namespace

std::vector<std::span<const ConvKernel>> im2col(const Family& family, const ConvArgument& argument)
{
    if(!check_copied(argument) || !takes(family, argument.problem))
        return {};
    return kernels_and_copies_with_prologue<Rows>(family, family, argument, "Im2col<");
}

} // namespace ck::tensor_operation::device::instance
