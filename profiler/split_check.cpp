// Compares a share's result with the definition.
#include "split_check.hpp"

#include "split_samples.hpp"
#include "utility/numbers.hpp"

namespace ck::profiler {

SplitCheck check_share(SplitShare& share, distributed::Margins margins)
{
    const SplitTensors tensors = split_tensors(true);
    share.fill(tensors);
    share.pass(margins);
    share.communicator().synchronize(nullptr);

    SplitCheck check;
    const auto& type = measure::number_type(name(share.result_type()));
    for(const SplitSample& sample :
        split_samples(share.problem(), share.direction(), share.own(), share.communicator().rank()))
    {
        SplitElement expected = split_element(share.problem(), tensors, share.direction(), sample);
        char element[sizeof(double)];
        type.encode(&expected.value, 1, element);
        type.decode(element, 1, &expected.value);
        ++check.compared;
        if(!(share.result(expected.index) == expected.value))
            ++check.wrong;
    }
    return check;
}

} // namespace ck::profiler
