// Implements the share's memory and its parts.
#include "split_share.hpp"

#include "ck/host_utility/kernel_launch.hpp"

#include "utility/numbers.hpp"
#include <deque>

namespace ck::profiler {

using namespace distributed;

namespace {

char* at(const DeviceMem& memory, std::size_t offset = 0)
{
    return static_cast<char*>(memory.GetDeviceBuffer()) + offset;
}

std::size_t offset_of_own(const LocalTensor& t)
{
    return static_cast<std::size_t>(t.margin) * t.row_bytes;
}

void set_nan(const DeviceMem& memory) // all bits set, for f32, f16 and bf16
{
    HIP_CHECK_ERROR(hipMemsetAsync(at(memory), 0xff, memory.GetBufferSize()));
}

} // namespace

ConvSpec SplitProblem::spec(Direction direction) const
{
    ConvSpec s{.direction = direction,
               .type      = type,
               .k         = filters,
               .c         = channels,
               .input     = {depth, width, width},
               .filter    = {3, 3, 3},
               .pads      = {{1, 1}, {1, 1}, {1, 1}}};
    if(direction == Direction::backward_weight)
        s.w_type = DataType::f32;
    return s;
}

SplitShare::SplitShare(Communicator& communicator, const SplitProblem& problem, Direction direction)
    : communicator_(communicator),
      problem_(problem),
      direction_(direction),
      plan_(communicator,
            problem.spec(direction),
            {.axis = Axis::d, .x = even_parts(problem.depth, communicator.size())}),
      x_(plan_.x().bytes),
      w_(problem.spec(direction).w_bytes()),
      y_(plan_.y().bytes),
      workspace_(plan_.workspace_size())
{
    if(weight())
        sum_.emplace(communicator, w_.GetBufferSize() / sizeof(float));
}

void SplitShare::fill(const SplitTensors& tensors)
{
    for(const DeviceMem* const memory : {&x_, &w_, &y_})
        set_nan(*memory);
    const auto rows = [&](const DeviceMem& memory,
                          const LocalTensor& t,
                          const HashedTensor& from,
                          long_index_t row) {
        profiler::fill(at(memory, offset_of_own(t)),
                       problem_.type,
                       from,
                       t.own.begin * row,
                       t.own.size() * row);
    };
    if(!data())
        rows(x_, plan_.x(), tensors.x, problem_.x_row());
    if(direction_ != Direction::forward)
        rows(y_, plan_.y(), tensors.dy, problem_.y_row());
    if(!weight())
        profiler::fill(
            at(w_), problem_.type, tensors.w, 0, 27 * problem_.channels * problem_.filters);
}

ConvTensors SplitShare::tensors() const
{
    return {.x = at(x_), .w = at(w_), .y = at(y_), .workspace = workspace_.GetDeviceBuffer()};
}

void SplitShare::pass(Margins margins) const { plan_.run(tensors(), margins); }

double SplitShare::compute()
{
    std::deque<Event> points;
    plan_.watch([&](const std::string& step) {
        const bool begins = step == "interior" || step == "own rows";
        const bool ends   = step == "sum over ranks" || step.empty();
        if(points.size() == (begins ? 0u : 1u) && (begins || ends))
            points.emplace_back().record(nullptr);
    });
    pass(Margins::filled);
    plan_.watch({});
    return static_cast<double>(points.at(1).since(points.at(0)));
}

void SplitShare::exchange_rows() const
{
    const LocalTensor& t      = data() ? plan_.y() : plan_.x();
    const DeviceMem& memory   = data() ? y_ : x_;
    const std::size_t bytes   = offset_of_own(t);
    const std::size_t own_end = bytes + static_cast<std::size_t>(t.own.size()) * t.row_bytes;
    const int rank            = communicator_.rank();
    std::vector<Send> sends;
    std::vector<Receive> receives;
    if(rank > 0)
    {
        sends.push_back({rank - 1, at(memory, bytes), bytes});
        receives.push_back({rank - 1, at(memory), bytes});
    }
    if(rank + 1 < communicator_.size())
    {
        sends.push_back({rank + 1, at(memory, own_end - bytes), bytes});
        receives.push_back({rank + 1, at(memory, own_end), bytes});
    }
    communicator_.begin(sends, receives, nullptr)->finish();
}

void SplitShare::add_up()
{
    sum_.value().begin(static_cast<float*>(w_.GetDeviceBuffer()), nullptr);
    sum_->finish();
}

Rows SplitShare::own() const { return weight() ? Rows{} : data() ? plan_.x().own : plan_.y().own; }

DataType SplitShare::result_type() const { return weight() ? DataType::f32 : problem_.type; }

double SplitShare::result(long_index_t index) const
{
    const auto& type          = measure::number_type(name(result_type()));
    const DeviceMem& memory   = weight() ? w_ : data() ? x_ : y_;
    const std::size_t begin   = weight() ? 0 : offset_of_own(data() ? plan_.x() : plan_.y());
    const long_index_t row    = data() ? problem_.x_row() : problem_.y_row();
    const long_index_t number = index - own().begin * row;
    char element[sizeof(double)];
    HIP_CHECK_ERROR(hipMemcpy(element,
                              at(memory, begin + static_cast<std::size_t>(number) * type.bytes),
                              type.bytes,
                              hipMemcpyDeviceToHost));
    double value = 0;
    type.decode(element, 1, &value);
    return value;
}

} // namespace ck::profiler
