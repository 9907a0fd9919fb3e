#pragma once
// What a generated source file holds of backward data: rows of a table of tunings, each as three
// operations that share one kernel.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <vector>

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

/// All parts of this build, in order of preference. Defined in the generated index, which names
/// every generated source file: nothing registers itself, so that no linker leaves a file of a
/// static library out, and no order of initialisation matters.
std::vector<BackwardDataPart> backward_data_parts();

} // namespace ck::tensor_operation::device::instance
