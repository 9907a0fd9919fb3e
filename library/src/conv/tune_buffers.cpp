// Allocates memory and fills it with numbers.
#include "conv/tune_buffers.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include <random>

namespace ck::conv {

namespace {

#if defined(CK_RUNTIME_HOST)
constexpr bool emulated = true; // kernels compute for much longer than they wait for memory
#else
constexpr bool emulated = false;
#endif

/// Normally distributed, like weights and activations: a kernel's time depends on the power that
/// they need. Their count is a prime, so that no stride meets the same ones again and again.
std::vector<double> numbers(std::size_t slot, bool integers, int largest)
{
    std::mt19937 generator(static_cast<unsigned>(slot + 1));
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> integer(-largest, largest);
    std::vector<double> r(100003);
    for(double& value : r)
        value = integers ? integer(generator) : normal(generator);
    return r;
}

} // namespace

TuneBuffers::TuneBuffers(const ConvPlan::Prepared& plan)
    : spec_(plan.spec),
      result_(plan.resolved.sizes.result())
{
    double bytes = 0;
    for(std::size_t slot = 0; slot < slot_workspace; ++slot)
        bytes += static_cast<double>(plan.resolved.uses[slot].bytes);
    sets_.resize(static_cast<std::size_t>(emulated ? 1 : measure::sets_beyond_caches(bytes)));
    for(std::size_t slot = 0; slot < slot_workspace; ++slot)
    {
        const std::size_t size = plan.resolved.uses[slot].bytes;
        if(!plan.resolved.uses[slot].used || size == 0)
            continue;
        const auto& type = type_of_slot(slot);
        std::vector<double> values;
        if(slot != result_)
            values = numbers_of(slot, false);
        for(auto& set : sets_)
        {
            set[slot].Realloc(size);
            if(slot == result_)
                set[slot].SetZero();
            else
                measure::fill_memory(
                    set[slot], static_cast<long_index_t>(size / type.bytes), values, type);
        }
    }
}

std::vector<double> TuneBuffers::numbers_of(std::size_t slot, bool small_integers) const
{
    return numbers(slot, small_integers || type_of_slot(slot).integer, small_integers ? 1 : 2);
}

const measure::NumberType& TuneBuffers::type_of_slot(std::size_t slot) const
{
    return measure::number_type(
        name(type_of(spec_, static_cast<Slot>(slot < slot_bias ? slot : result_))));
}

void TuneBuffers::fill(bool small_integers)
{
    auto& set = sets_.front();
    for(std::size_t slot = 0; slot < slot_workspace; ++slot)
        if(const std::size_t size = set[slot].GetBufferSize(); size > 0 && slot != result_)
        {
            const auto& type = type_of_slot(slot);
            measure::fill_memory(set[slot],
                                 static_cast<long_index_t>(size / type.bytes),
                                 numbers_of(slot, small_integers),
                                 type);
        }
    if(set[result_].GetBufferSize() == 0)
        return;
    if(small_integers && spec_.beta == 0)
        set[result_].SetValue(static_cast<unsigned char>(0xff));
    else
        set[result_].SetZero();
}

std::vector<double> TuneBuffers::result() const
{
    HIP_CHECK_ERROR(hipDeviceSynchronize());
    const DeviceMem& memory = sets_.front()[result_];
    const auto& type        = type_of_slot(result_);
    std::vector<unsigned char> bytes(memory.GetBufferSize());
    std::vector<double> values(bytes.size() / type.bytes);
    if(!bytes.empty())
        memory.FromDevice(bytes.data());
    type.decode(bytes.data(), values.size(), values.data());
    return values;
}

void TuneBuffers::require_workspace(std::size_t bytes)
{
    if(bytes > workspace_.GetBufferSize())
        workspace_.Realloc(bytes);
}

ConvTensors TuneBuffers::set(int i, std::size_t workspace, hipStream_t stream) const
{
    const auto& memory = sets_[static_cast<std::size_t>(i) % sets_.size()];
    return {.x         = memory[slot_x].GetDeviceBuffer(),
            .w         = memory[slot_w].GetDeviceBuffer(),
            .y         = memory[slot_y].GetDeviceBuffer(),
            .bias      = memory[slot_bias].GetDeviceBuffer(),
            .residual  = memory[slot_residual].GetDeviceBuffer(),
            .workspace = workspace > 0 ? workspace_.GetDeviceBuffer() : nullptr,
            .stream    = stream};
}

} // namespace ck::conv
