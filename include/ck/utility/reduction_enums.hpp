#pragma once
// The reductions under Composable Kernel's names, and their treatment of NaN and indices.

namespace ck {

enum class ReduceTensorOp
{
    ADD   = 0,
    MUL   = 1,
    MIN   = 2,
    MAX   = 3,
    AMAX  = 4, ///< maximum of absolute values
    AVG   = 5,
    NORM1 = 6, ///< sum of absolute values
    NORM2 = 7, ///< root of the sum of squares
};

enum class NanPropagation
{
    NOT_PROPAGATE_NAN = 0,
    PROPAGATE_NAN     = 1,
};

enum class ReduceTensorIndices
{
    NO_INDICES        = 0,
    FLATTENED_INDICES = 1,
};

enum class IndicesType
{
    INDICES_32BIT = 0,
    INDICES_64BIT = 1,
    INDICES_16BIT = 2,
    INDICES_8BIT  = 3,
};

} // namespace ck
