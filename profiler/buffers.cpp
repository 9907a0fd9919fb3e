// Allocates buffers and fills them with numbers.
#include "buffers.hpp"

#include "ck/arch/target.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/utility/integer.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace ck::profiler {

Block::Block(Fill fill, std::size_t tensor, long_index_t elements, const NumberType& type)
    : values_(std::min(most, static_cast<std::size_t>(elements)))
{
    std::mt19937 generator(static_cast<unsigned>(tensor + 1));
    const int largest = type.bytes == 1 ? 2 : 5;
    std::uniform_int_distribution<int> integer(-largest, largest);
    std::uniform_real_distribution<double> decimal(tensor == 0 ? 0. : -.5, tensor == 0 ? 1. : .5);
    std::normal_distribution<double> normal;
    for(double& value : values_)
        switch(fill)
        {
        case Fill::zero:
            value = 0;
            break;
        case Fill::integer:
            value = integer(generator);
            break;
        case Fill::decimal:
            value = type.integer ? integer(generator) : decimal(generator);
            break;
        case Fill::normal:
            value = type.integer ? integer(generator) : normal(generator);
            break;
        }
    std::vector<unsigned char> rounded(values_.size() * type.bytes);
    type.encode(values_.data(), values_.size(), rounded.data());
    type.decode(rounded.data(), values_.size(), values_.data());
}

Buffers::Buffers(const TensorShapes& shapes,
                 Direction direction,
                 const std::array<Block, 2>& operands,
                 bool many)
    : shapes_(shapes),
      result_(result_of(direction))
{
    const int sets = many ? sets_beyond_caches(shapes.bytes()) : 1;
    for(int i = 0; i < sets; ++i)
        for(std::size_t tensor = 0, operand = 0; tensor < 3; ++tensor)
        {
            memory_.emplace_back(shapes.bytes(tensor));
            if(tensor == result_)
                spoil(memory_.size() - 1);
            else
                fill_memory(memory_.back(),
                            shapes.elements[tensor],
                            operands[operand++].values(),
                            *shapes.type[tensor]);
        }
}

ConvTensors Buffers::set(int i) const
{
    const auto first = static_cast<std::size_t>(i % sets()) * 3;
    return {memory_[first].GetDeviceBuffer(),
            memory_[first + 1].GetDeviceBuffer(),
            memory_[first + 2].GetDeviceBuffer()};
}

std::vector<unsigned char> Buffers::take()
{
    std::vector<unsigned char> values(shapes_.bytes(result_));
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    if(!values.empty())
        memory_[result_].FromDevice(values.data());
    spoil(result_);
    return values;
}

void Buffers::spoil(std::size_t memory)
{
    if(shapes_.bytes(result_) > 0)
        HIP_CHECK_ERROR(hipMemset(memory_[memory].GetDeviceBuffer(), 0xff, shapes_.bytes(result_)));
}

} // namespace ck::profiler
