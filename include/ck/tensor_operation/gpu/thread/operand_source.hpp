#pragma once
// The source of an operand's elements: one tensor, or several tensors that an operation
// combines.
#include "ck/arch/memory.hpp"
#include "ck/utility/number.hpp"
#include "ck/utility/tuple.hpp"
#include "ck/utility/vector.hpp"

#include <tuple>
#include <type_traits>
#include <utility>

namespace ck::thread {

/// Source: an element type, or a Tuple of them: tensors of the same lengths and strides.
template <class Source>
struct OperandSource
{
    using Element                  = Source;
    static constexpr index_t count = 1;

    using Pointer = const Source*;
    static Pointer make_pointer(const void* base) { return static_cast<Pointer>(base); }
    static const void* base_of(Pointer p, index_t) { return p; }

    template <class Unit, index_t n>
    using Loaded = Vector<Unit, n>;

    /// Unit: the unit of a load, one or several elements.
    template <class Unit>
    struct Memory
    {
        arch::GlobalView<const Unit> view;
        CK_DEVICE CK_INLINE explicit Memory(Pointer p) : view(reinterpret_cast<const Unit*>(p)) {}
        template <index_t n>
        CK_DEVICE CK_INLINE Loaded<Unit, n> load(arch::offset_t thread, arch::offset_t block) const
        {
            return view.template load<n>(thread, block);
        }
    };

    /// to = operation(element e of the load)
    template <class To, class Operation, class Values>
    CK_DEVICE CK_INLINE static void
    apply(const Operation& operation, To& to, const Values& loaded, index_t e)
    {
        operation(to, loaded[e]);
    }
};

template <class T, class... More>
struct OperandSource<Tuple<T, More...>>
{
    static_assert((std::is_same_v<T, More> && ...),
                  "the tensors that make up an operand must have the same element type");
    using Element                  = T;
    static constexpr index_t count = 1 + sizeof...(More);

    struct Pointer
    {
        const T* base[count];
        CK_HOST_DEVICE CK_INLINE friend Pointer operator+(Pointer p, long_index_t elements)
        {
            repeat<count>([&](index_t i) { p.base[i] += elements; });
            return p;
        }

        auto addresses() const { return std::tie(base); }
    };
    /// bases: an array of pointers to void.
    template <class Bases>
    static Pointer make_pointer(const Bases& bases)
    {
        Pointer p{};
        for(std::size_t i = 0; i < bases.size(); ++i)
            p.base[i] = static_cast<const T*>(bases[i]);
        return p;
    }
    static const void* base_of(const Pointer& p, index_t i) { return p.base[i]; }

    template <class Unit, index_t n>
    using Loaded = Vector<Vector<Unit, n>, count>;

    template <class Unit>
    struct Memory
    {
        arch::GlobalView<const Unit> view[count];

        CK_DEVICE CK_INLINE explicit Memory(const Pointer& p)
            : Memory(p, std::make_integer_sequence<index_t, count>{})
        {}
        template <index_t n>
        CK_DEVICE CK_INLINE Loaded<Unit, n> load(arch::offset_t thread, arch::offset_t block) const
        {
            Loaded<Unit, n> loaded;
            repeat<count>([&](index_t i) { loaded[i] = view[i].template load<n>(thread, block); });
            return loaded;
        }

    private:
        template <index_t... i>
        CK_DEVICE CK_INLINE Memory(const Pointer& p, std::integer_sequence<index_t, i...>)
            : view{arch::GlobalView<const Unit>(reinterpret_cast<const Unit*>(p.base[i]))...}
        {}
    };

    template <class To, class Operation, class Values>
    CK_DEVICE CK_INLINE static void
    apply(const Operation& operation, To& to, const Values& loaded, index_t e)
    {
        [&]<index_t... i>(std::integer_sequence<index_t, i...>) { operation(to, loaded[i][e]...); }
        (std::make_integer_sequence<index_t, count>{});
    }
};

} // namespace ck::thread
