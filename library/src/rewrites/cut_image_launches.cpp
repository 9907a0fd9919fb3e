// The launch that rounds sums, for each type.
#include "rewrites/cut_image_launches.hpp"

#include "ck/tensor_operation/gpu/device/impl/device_elementwise_strided.hpp"
#include "ck/utility/type_convert.hpp"

#include <stdexcept>

namespace ck::tensor_operation::device::instance {

namespace {

struct ScaleAndRound
{
    float scale, factor;

    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& y, const float& sum) const
    {
        y = type_convert<T>(scale * sum);
    }
    template <class T>
    CK_HOST_DEVICE constexpr void operator()(T& y, const float& sum, const T& d) const
    {
        y = type_convert<T>(scale * sum + factor * type_convert<float>(d));
    }
};

template <class T>
void round_to(const RoundedSums& how, const void* sums, void* result, LaunchList& list)
{
    ElementwiseArguments<ScaleAndRound> a{{},
                                          how.lengths,
                                          {{"the sums", sums, nullptr, how.sum}},
                                          {{"dW", result, result, how.result}},
                                          {how.scale, how.factor}};
    if(!how.d)
        return ElementwiseLaunch<Tuple<float>, Tuple<T>, ScaleAndRound>::add(list, a);
    a.in.push_back({"D0", how.d->pointer, nullptr, how.d->strides});
    ElementwiseLaunch<Tuple<float, T>, Tuple<T>, ScaleAndRound>::add(list, a);
}

} // namespace

void round_sums(const RoundedSums& how, const void* sums, void* result, LaunchList& list)
{
    if(how.type == type_name<half_t>)
        return round_to<half_t>(how, sums, result, list);
    if(how.type == type_name<bhalf_t>)
        return round_to<bhalf_t>(how, sums, result, list);
    throw std::runtime_error("sums are not rounded to " + how.type);
}

} // namespace ck::tensor_operation::device::instance
