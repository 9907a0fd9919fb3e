// Computes the reference with naive_conv.hpp.
#include "reference.hpp"

#include "ck/host_utility/device_prop.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/library/utility/parallel_for.hpp"

#include "epilogue.hpp"
#include "platform.hpp"
#include <algorithm>
#include <cmath>
#include <mutex>

namespace ck::profiler {

namespace {

constexpr std::size_t piece = 4096; ///< elements that a thread checks in a row

/// The sums of a problem for operands with the given numbers, as doubles in memory order.
template <class Operand>
std::vector<double> sums(Direction direction,
                         const ConvProblem& p,
                         const TensorShapes& shapes,
                         const std::array<std::vector<double>, 2>& operands)
{
    const NumberType& operand = number_type(type_name<Operand>);
    const std::size_t result  = result_of(direction);
    std::array<DeviceMem, 3> memory;
    for(std::size_t tensor = 0, next = 0; tensor < 3; ++tensor)
    {
        const auto elements = static_cast<std::size_t>(shapes.elements[tensor]);
        memory[tensor] = DeviceMem(elements * (tensor == result ? sizeof(double) : operand.bytes));
        if(tensor != result)
            fill_memory(memory[tensor], shapes.elements[tensor], operands[next++], operand);
    }
    const auto at = [&](std::size_t tensor) {
        return static_cast<Operand*>(memory[tensor].GetDeviceBuffer());
    };
    auto* const into = static_cast<double*>(memory[result].GetDeviceBuffer());
    if(direction == Direction::forward)
        ref::naive_conv_fwd(p, at(0), at(1), into);
    else if(direction == Direction::backward_data)
        ref::naive_conv_bwd_data(p, into, at(1), at(2));
    else
        ref::naive_conv_bwd_weight(p, at(0), into, at(2));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    std::vector<double> values(static_cast<std::size_t>(shapes.elements[result]));
    if(!values.empty())
        memory[result].FromDevice(values.data());
    return values;
}

std::vector<double> sums(bool of_doubles,
                         Direction direction,
                         const ConvProblem& p,
                         const TensorShapes& shapes,
                         const std::array<std::vector<double>, 2>& operands)
{
    return of_doubles ? sums<double>(direction, p, shapes, operands)
                      : sums<float>(direction, p, shapes, operands);
}

/// The most terms in the sum of one element.
double terms(Direction direction, const ConvProblem& p)
{
    const auto product = [](const Spatial& s) {
        return static_cast<double>(s[0]) * static_cast<double>(s[1]) * static_cast<double>(s[2]);
    };
    switch(direction)
    {
    case Direction::forward:
        return product(p.filter) * static_cast<double>(p.in_channels);
    case Direction::backward_data:
        return product(p.filter) * static_cast<double>(p.out_channels);
    case Direction::backward_weight:
        break;
    }
    return product(p.output()) * static_cast<double>(p.batch);
}

/// Rounding of sums: u for each addition, and the largest exact sum of whole numbers.
struct Accumulator
{
    double u, exact;
};

Accumulator accumulator_of(const ConvRequest& request)
{
    if(request.family.a == "f64")
        return {0x1p-52, 0x1p53}; // the reference rounds as often
    if(request.family.a == "i8")
        return {0, 0x1p31};
    const bool ocp = request.family.compute_a.ends_with("_ocp");
    if(ocp && meets(current_target(), arch::Requirement::wgmma) && !on_cpu)
        return {0x1p-13, 0x1p13}; // wgmma keeps about 14 bits of sums of eight-bit products
    return {0x1p-23, 0x1p24};     // matrix units may truncate: twice the roundoff of float
}

} // namespace

Reference::Reference(const ConvRequest& request,
                     const ConvProblem& problem,
                     const TensorShapes& shapes,
                     const std::array<Block, 2>& operands,
                     const std::vector<Block>& d,
                     Fill fill)
    : type_(*shapes.type[result_of(request.family.direction)])
{
    const Direction direction = request.family.direction;
    const bool of_doubles     = request.family.a == "f64";
    // Operands as they are multiplied. A and B of the GEMM: dY is first in backward weight.
    std::array<std::vector<double>, 2> values{operands[0].values(), operands[1].values()};
    double operand_error         = 0;
    const std::size_t of_a       = direction == Direction::forward ? 0 : 1; // in the order X, W, Y
    const std::string compute[2] = {request.family.compute_a, request.family.compute_b};
    for(std::size_t i = 0; i < 2; ++i)
    {
        const std::string& as = compute[i == of_a ? 0 : 1];
        if(as == "tf32")
            operand_error = 0x1p-11; // each kernel rounds to nearest
        else
        {
            const NumberType& to = number_type(as);
            std::vector<unsigned char> rounded(values[i].size() * to.bytes);
            to.encode(values[i].data(), values[i].size(), rounded.data());
            to.decode(rounded.data(), values[i].size(), values[i].data());
        }
    }
    value_ = sums(of_doubles, direction, problem, shapes, values);
    for(std::vector<double>& operand : values)
        for(double& value : operand)
            value = std::abs(value);
    bound_ = sums(of_doubles, direction, problem, shapes, values); // so far, sums of magnitudes

    const Accumulator accumulator = accumulator_of(request);
    const double n                = (terms(direction, problem) + 1) * accumulator.u;
    const double gamma            = n < 1 ? n / (1 - n) : 1e30;
    const double more             = (1 + operand_error) * (1 + operand_error);
    const bool whole              = fill == Fill::integer || fill == Fill::zero;
    const bool rounds_in_epilogue = request.family.operation_c != "PassThrough"; // as float
    const Epilogue& e             = epilogue(request.family.operation_c);
    const long_index_t k_stride = problem.output_strides[2], g_stride = problem.output_strides[0];
    const auto finish = [&](std::size_t i) {
        const double magnitude = bound_[i];
        double bound           = whole && magnitude < accumulator.exact
                                     ? 0
                                     : magnitude * (more - 1) + magnitude * more * gamma;
        double of_d[2]         = {0, 0};
        if(e.d_tensors > 0) // a bias for the groups' channels, then a residual in Y's place
        {
            const auto at        = static_cast<long_index_t>(i);
            const long_index_t k = at / k_stride % problem.out_channels;
            const long_index_t g = at / g_stride % problem.groups;
            of_d[0]              = d[0][static_cast<std::size_t>(g * problem.out_channels + k)];
            if(e.d_tensors > 1)
                of_d[1] = d[1][i];
        }
        value_[i] = e.value(value_[i], of_d);
        bound *= e.slope;
        if(bound > 0 && rounds_in_epilogue)
            bound += 0x1p-22 * (std::abs(value_[i]) + std::abs(of_d[0]) + std::abs(of_d[1]));
        bound_[i] = bound;
    };
    utils::parallel_for(
        value_.size(), piece, utils::host_threads(), [&](std::size_t begin, std::size_t end) {
            for(std::size_t i = begin; i < end; ++i)
                finish(i);
        });
}

namespace {

/// 0 for zero.
double unit_in_the_last_place(double value, const NumberType& type)
{
    if(type.integer || value == 0)
        return type.integer ? 1 : 0;
    return std::ldexp(2 * type.unit_roundoff, std::ilogb(value));
}

} // namespace

void Reference::keep_low_bits()
{
    for(double& value : value_)
        value = type_convert<std::int8_t>(value);
}

Accuracy Reference::compare(const std::vector<unsigned char>& result) const
{
    Accuracy all;
    std::mutex mutex;
    const auto compare_piece = [&](std::size_t first, std::size_t end) {
        const std::size_t n = end - first;
        std::vector<double> got(n), low(n), high(n);
        type_.decode(result.data() + first * type_.bytes, n, got.data());
        const auto rounded = [&](std::vector<double>& values, double sign) {
            std::vector<unsigned char> memory(n * type_.bytes);
            for(std::size_t i = 0; i < n; ++i)
                values[i] = value_[first + i] + sign * bound_[first + i];
            type_.encode(values.data(), n, memory.data());
            type_.decode(memory.data(), n, values.data());
        };
        rounded(low, -1);
        rounded(high, 1);
        Accuracy here;
        for(std::size_t i = 0; i < n; ++i)
        {
            const double expected = value_[first + i];
            const bool beyond     = !std::isfinite(low[i]) || !std::isfinite(high[i]);
            if((got[i] >= low[i] && got[i] <= high[i]) || (beyond && !std::isfinite(got[i])))
            {
                const double error = beyond ? 0 : std::abs(got[i] - expected);
                if(error > here.error)
                {
                    here.error = error;
                    here.bound = std::max(high[i] - expected, expected - low[i]);
                    here.unit  = unit_in_the_last_place(expected, type_);
                }
                continue;
            }
            here.right       = false;
            here.error       = std::abs(got[i] - expected);
            here.bound       = std::max(high[i] - expected, expected - low[i]);
            here.first_wrong = first + i;
            here.got         = got[i];
            here.expected    = expected;
            break;
        }
        const std::lock_guard lock(mutex);
        if((all.right && !here.right) ||
           (all.right == here.right &&
            (here.right ? here.error > all.error : here.first_wrong < all.first_wrong)))
            all = here;
    };
    utils::parallel_for(value_.size(), piece, utils::host_threads(), compare_piece);
    return all;
}

} // namespace ck::profiler
