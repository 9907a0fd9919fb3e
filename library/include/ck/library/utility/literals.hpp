#pragma once
// 3_uz: a std::size_t. 3_zu is the same.
#include <cstddef>

namespace ck::literals {

/// 3_uz: a std::size_t.
constexpr std::size_t operator""_uz(unsigned long long value) { return value; }
/// 3_zu: a std::size_t.
constexpr std::size_t operator""_zu(unsigned long long value) { return value; }

} // namespace ck::literals
