#pragma once
// What a complete library must have, and others may lack: builds of chosen instances (CK_INSTANCES,
// CK_KERNELS), without CK_LIBRARY_IS_COMPLETE.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <gtest/gtest.h>

namespace ck::test {

/// Whether the library has no kernel of a family: a failure of a complete one.
inline bool library_lacks(const tensor_operation::device::instance::Family& family)
{
    const bool lacks = tensor_operation::device::instance::kernels_of(family).empty();
#if defined(CK_LIBRARY_IS_COMPLETE)
    EXPECT_FALSE(lacks) << tensor_operation::device::instance::why_no_kernels(family);
#endif
    return lacks;
}

} // namespace ck::test

/// Skips a test of a family that a library of chosen instances lacks.
#define CK_SKIP_IF_LIBRARY_LACKS(family)                                                           \
    if(ck::test::library_lacks(family))                                                            \
    GTEST_SKIP() << "the library was built without this family"
