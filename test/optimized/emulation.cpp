// The emulation of matrix instructions and of a block's fibers, compiled for speed: test programs,
// whose own code is optimised little or not at all, are linked with this object first, and of equal
// inline functions the linker takes the first.
#include "ck/arch/host/fiber.hpp"
#include "ck/arch/matrix.hpp"
#include "ck/arch/warpgroup.hpp"

#include <memory>
#include <tuple>
#include <utility>

namespace ck::test {

namespace {

/// Of a warpgroup's instructions the parts that are the same for all tiles.
template <arch::Matrix id>
auto instruction()
{
    if constexpr(arch::takes_shared(id))
    {
        using Types = arch::MatrixTypes<id>;
        using Value = decltype(arch::detail::multiplied_by_warpgroups<id>(typename Types::A{}));
        return std::tuple{&arch::detail::read_row<id, typename Types::A, Value>,
                          &arch::detail::read_row<id, typename Types::B, Value>,
                          &arch::detail::add_products<Value, arch::describe(id).k>};
    }
    else
        return &arch::multiply_accumulate<id>;
}

template <index_t... ids>
auto all_instructions(std::integer_sequence<index_t, ids...>)
{
    return std::tuple{instruction<static_cast<arch::Matrix>(ids)>()...};
}

} // namespace

// Their users are nowhere: what they use is instantiated here.
auto emulated_instructions()
{
    return all_instructions(std::make_integer_sequence<index_t, arch::matrix_count>{});
}
auto emulated_wave_operation() { return &arch::wave_operation<void (*)(void* const*)>; }
std::unique_ptr<arch::host::Block> emulated_block()
{
    return std::make_unique<arch::host::FiberBlock>();
}

} // namespace ck::test
