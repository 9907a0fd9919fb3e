#pragma once
// Keeps a wave's tile of C in registers, in its final form, while the wave multiplies the next
// tile. The stores are spread over that time instead of taking time of their own.
#include "ck/tensor_operation/gpu/grid/epilogue/store_tile.hpp"

namespace ck::grid {

/// The last `deferred` passes of Store, a StoreTile of runs of 4 bytes, without an operation.
template <class Store, index_t deferred>
class DeferredStore
{
public:
    using Out = std::remove_cvref_t<decltype(std::declval<typename Store::Shared>().c[0])>;

    /// Stores the first passes, and keeps the others until store_pass(). The rows are read until
    /// all are stored; columns are neighbours in memory.
    template <class Wave>
    CK_DEVICE CK_INLINE void defer(const Wave& wave,
                                   typename Store::Shared& shared,
                                   const arch::offset_t* row_offset,
                                   Out* out,
                                   index_t column,
                                   index_t column_end,
                                   index_t lane)
    {
        static_assert(Store::only_converts, "no operation is passed");
        out_        = out;
        column_     = column;
        column_end_ = column_end;
        repeat<first>([&](index_t pass) {
            store(
                pass,
                [&](index_t number) { return Store::run_of(wave, pass, number, {}); },
                shared,
                row_offset,
                lane);
        });
        if constexpr(deferred > 0)
            repeat<deferred>([&](index_t i) {
                repeat<Store::runs>([&](index_t number) {
                    word_[i][number] = __builtin_bit_cast(
                        std::uint32_t, Store::run_of(wave, first + i, number, {}));
                });
            });
        left_ = deferred;
    }

    /// Stores one pass of what is deferred, if anything is.
    CK_DEVICE CK_INLINE void
    store_pass(typename Store::Shared& shared, const arch::offset_t* row_offset, index_t lane)
    {
        if constexpr(deferred > 0)
            repeat<deferred>([&](index_t i) {
                if(left_ == deferred - i)
                    store(
                        first + i,
                        [&](index_t number) {
                            return __builtin_bit_cast(typename Store::Run, word_[i][number]);
                        },
                        shared,
                        row_offset,
                        lane);
            });
        left_ -= left_ > 0 ? 1 : 0;
    }
    /// Stores all that is deferred.
    CK_DEVICE CK_INLINE void
    store_rest(typename Store::Shared& shared, const arch::offset_t* row_offset, index_t lane)
    {
        while(left_ > 0)
            store_pass(shared, row_offset, lane);
    }

private:
    static constexpr index_t first = Store::passes - deferred;
    static_assert(deferred == 0 || (sizeof(typename Store::Run) == 4 && deferred <= Store::passes));

    template <class Get>
    CK_DEVICE CK_INLINE void store(index_t pass,
                                   const Get& get,
                                   typename Store::Shared& shared,
                                   const arch::offset_t* row_offset,
                                   index_t lane)
    {
        Store::run_pass(pass,
                        get,
                        shared,
                        row_offset,
                        arch::GlobalView<Out>(out_),
                        {},
                        column_,
                        column_end_,
                        1,
                        lane);
    }

    std::uint32_t word_[math::max(deferred, 1)][Store::runs];
    index_t left_ = 0; // passes
    Out* out_;
    index_t column_, column_end_;
};

} // namespace ck::grid
