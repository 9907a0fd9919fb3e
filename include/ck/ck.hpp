#pragma once
// The entry header: what every client gets from this file alone. Integer types, the GPU runtime's
// names (hipMalloc and others), the configuration, and the standard headers that clients of the
// library have always received.

#if __has_include("ck/config.h")
#include "ck/config.h"
#endif

#include "ck/host_utility/environment.hpp"
#include "ck/utility/data_type.hpp"
#include "ck/utility/integer.hpp"

#if !defined(CK_DONT_USE_HIP_RUNTIME_HEADERS)
#include "ck/host_utility/runtime.hpp"
#endif

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ck {

/// How a result is stored to memory that may already hold data.
enum struct InMemoryDataOperationEnum
{
    Set,
    AtomicAdd,
    AtomicMax,
    Add
};

/// Such operations as template arguments, one for each result.
template <InMemoryDataOperationEnum... operations>
struct InMemoryDataOperationEnumSequence
{
    /// The number of operations.
    static constexpr int Size() { return sizeof...(operations); }
    /// The operation at the index of a ck::Number.
    template <class I>
    static constexpr InMemoryDataOperationEnum At(I)
    {
        static_assert(0 <= I::value && I::value < Size(), "there are fewer operations");
        constexpr InMemoryDataOperationEnum all[] = {operations...};
        return all[I::value];
    }
};

} // namespace ck
