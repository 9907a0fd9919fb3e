#pragma once
// Composable Kernel's names for the type traits that its clients spell with ck::.
#include "ck/utility/host_device.hpp"

#include <bit>
#include <type_traits>

namespace ck {

using std::bit_cast;
using std::conditional_t;
using std::decay_t;
using std::enable_if_t;
using std::is_base_of_v;
using std::is_same;
using std::is_same_v;
using std::remove_cv_t;
using std::remove_cvref_t;
using std::remove_pointer_t;
using std::remove_reference_t;

} // namespace ck
