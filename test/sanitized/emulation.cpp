// The emulation of matrix instructions and of a block's fibers, compiled for speed: sanitized test
// programs, which are not optimised, are linked with this object first, and of equal inline
// functions the linker takes the first.
#include "ck/arch/host/fiber.hpp"
#include "ck/arch/matrix.hpp"

#include <memory>
#include <tuple>
#include <utility>

namespace ck::test {

namespace {

template <index_t... ids>
auto all_instructions(std::integer_sequence<index_t, ids...>)
{
    return std::tuple{&arch::multiply_accumulate<static_cast<arch::Matrix>(ids)>...};
}

} // namespace

// Their users are nowhere: what they use is instantiated here.
auto emulated_instructions()
{
    return all_instructions(std::make_integer_sequence<index_t, arch::matrix_count>{});
}
std::unique_ptr<arch::host::Block> emulated_block()
{
    return std::make_unique<arch::host::FiberBlock>();
}

} // namespace ck::test
