#pragma once
// What a generated source file holds of backward data: rows of a table of tunings, each as three
// operations that share one kernel.
#include "ck/library/tensor_operation_instance/registry.hpp"

namespace ck::tensor_operation::device::instance {

/// The operations of one tuning, for 1, 2 and 3 spatial dimensions.
struct BackwardDataRow
{
    std::unique_ptr<BaseOperator> (*make[3])();
};

/// The rows of one generated source file.
struct BackwardDataPart
{
    DataType type;
    std::span<const BackwardDataRow> rows;
};

/// All parts of this build, in order of preference; defined in the generated index, which names
/// every generated source file, so that a linker cannot leave one out of a static library.
extern const std::span<const BackwardDataPart* const> backward_data_parts;

} // namespace ck::tensor_operation::device::instance
