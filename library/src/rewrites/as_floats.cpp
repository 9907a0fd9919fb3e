// Computes tf32 with kernels of f32. tf32 allows rounding operands to 10 bits of mantissa, but
// does not require it; a kernel that keeps all 23 is more exact. If a group has one channel or a
// few, matrix instructions multiply mostly zeros, and kernels whose threads multiply floats are
// faster: with tf32 kernels, depthwise layers of networks took three to five times as long on an
// H200.
#include "rewrites/kernel_with_prologue.hpp"
#include "rewrites/rewrites.hpp"

namespace ck::tensor_operation::device::instance {

namespace {

bool multiplies_as_tf32(const Family& family)
{
    return family.compute_a == type_name<tf32_t> && family.compute_b == family.compute_a &&
           family.a == type_name<float> && family.b == family.a;
}

/// The argument unchanged.
struct Unrounded : OtherArgument
{
    static Unrounded of(const Family&, const ConvArgument& argument)
    {
        return {{check_argument(argument), argument}};
    }
};

} // namespace

std::vector<std::span<const ConvKernel>> as_floats(const Family& family,
                                                   const ConvArgument& argument)
{
    if(!multiplies_as_tf32(family) || !check_argument(argument))
        return {};
    Family inner    = family;
    inner.compute_a = inner.compute_b = type_name<float>;
    return kernels_and_copies_with_prologue<Unrounded>(family, inner, argument, "AsFloats<");
}

} // namespace ck::tensor_operation::device::instance
