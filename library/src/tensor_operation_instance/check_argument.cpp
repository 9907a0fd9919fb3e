// What no kernel of any family supports.
#include "ck/library/tensor_operation_instance/registry.hpp"

#include <string>
#include <utility>

namespace ck::tensor_operation::device::instance {

Support check_argument(const ConvArgument& argument)
{
    if(!argument.valid)
        return argument.valid;
    for(const auto& [name, operation] : {std::pair{"A", argument.operation_a},
                                         {"B", argument.operation_b},
                                         {"C", argument.operation_c}})
        if(operation == nullptr)
            return refused("the operation of " + std::string(name) +
                           " is null, but must point to an element-wise operation");
    return validate(argument.problem);
}

} // namespace ck::tensor_operation::device::instance
