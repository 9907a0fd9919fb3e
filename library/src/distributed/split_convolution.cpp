// A split convolution: the plans of its pieces, and the order of exchange and launches.
#include "ck/distributed/split_convolution.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include "conv/resolve.hpp"
#include "distributed/local_tensor.hpp"
#include <algorithm>
#include <array>
#include <utility>

namespace ck::distributed {

namespace {

using conv::slot_w;
using conv::slot_x;
using conv::slot_y;

constexpr const char* axis_names[] = {"D", "H", "W"};

[[noreturn]] void refuse(const std::string& reason)
{
    throw Refused("ck::distributed::SplitConvPlan: " + reason);
}

/// Index of a dimension in a list that has `size` of the three.
std::size_t index_in(std::size_t size, Axis axis)
{
    return static_cast<std::size_t>(axis) + size - 3;
}

void require_splittable(const ConvSpec& s, Axis axis)
{
    if(s.transposed)
        refuse("transposed is set, but transposed convolutions are not split");
    if(s.layout == Layout::strided)
        refuse("layout is strided, but must be channels_last or channels_first");
    const auto number = static_cast<std::size_t>(axis);
    if(number > 2 || s.input.size() + number < 3)
        refuse("the axis is " + (number > 2 ? std::to_string(number) : axis_names[number]) +
               ", but the input has " + std::to_string(s.input.size()) + " lengths");
    if(s.direction == Direction::backward_weight)
    {
        if(const DataType type = conv::type_of(s, slot_w); type != DataType::f32)
            refuse(std::string("dW is ") + name(type) + ", but is added up over ranks in f32");
        if(s.beta != 0)
            refuse("beta is 1, but dW that is added up over ranks is overwritten");
    }
}

Line line_of(const ConvSpec& s, Axis axis)
{
    const std::size_t i = index_in(s.input.size(), axis);
    Line line{.input = s.input[i], .filter = s.filter[i]};
    if(!s.strides.empty())
        line.stride = s.strides[i];
    if(!s.dilations.empty())
        line.dilation = s.dilations[i];
    if(!s.pads.empty())
    {
        line.pad_low  = s.pads[i].low;
        line.pad_high = s.pads[i].high;
    }
    return line;
}

void require_parts(const char* what, const Parts& parts, long_index_t rows, int ranks)
{
    if(parts.size() != static_cast<std::size_t>(ranks))
        refuse(std::string("the partition has ") + std::to_string(parts.size()) + " parts of " +
               what + " for " + std::to_string(ranks) + " ranks");
    long_index_t end = 0;
    for(const Rows& part : parts)
    {
        if(part.begin != end || part.size() < 0)
            refuse(std::string("a part of ") + what + " is from row " + std::to_string(part.begin) +
                   " to before row " + std::to_string(part.end) + ", but must begin at row " +
                   std::to_string(end) + ", where the one before ends");
        end = part.end;
    }
    if(end != rows)
        refuse(std::string("the parts of ") + what + " have " + std::to_string(end) +
               " rows, but " + what + " has " + std::to_string(rows));
}

/// The most rows of a neighbour that any rank reads. given: what the caller has room for.
long_index_t margin_of(const char* what,
                       const std::vector<Halo>& halos,
                       const std::optional<long_index_t>& given)
{
    long_index_t most = 0;
    for(const Halo& halo : halos)
        most = std::max({most, halo.low, halo.high});
    if(given && *given < most)
        refuse(std::string("the margin of ") + what + " is " + std::to_string(*given) +
               " rows, but " + std::to_string(most) + " are read of a neighbour");
    return given.value_or(most);
}

std::string text_of(const Partition& p)
{
    std::string s;
    for(const auto& [what, parts] : {std::pair{" x:", &p.x}, std::pair{" y:", &p.y}})
    {
        s += what;
        for(const Rows& part : *parts)
            s += ' ' + std::to_string(part.size());
    }
    return s;
}

Strides strides_of(const TensorStrides& all, std::size_t rank)
{
    Strides s{all[0], all[1], all[2]};
    for(std::size_t i = 6 - rank; i < 6; ++i)
        s.push_back(all[i]);
    return s;
}

/// The spec's alignment, or what is left of it at such offsets.
std::size_t alignment_at(std::size_t alignment, std::size_t x, std::size_t y)
{
    while(x % alignment != 0 || y % alignment != 0)
        alignment /= 2;
    return alignment;
}

} // namespace

struct SplitConvPlan::State
{
    /// A launch: rows of X and Y, and what computes them.
    struct Launch
    {
        std::string name;
        Piece piece;
        ConvPlan plan;
    };

    explicit State(Communicator& c) : communicator(c) {}

    void make(const ConvSpec& whole, const Partition& partition, const PlanOptions& options);
    void add(const char* name, const ConvSpec& spec, const Rows& result, const PlanOptions&);
    void launch(const Launch& launch, ConvTensors t) const;
    void run(const ConvTensors& t, bool exchanges) const;
    void run_backward_weight(const ConvTensors& t, bool exchanges);
    /// Tells who watches.
    void step(const char* name) const
    {
        if(watcher)
            watcher(name);
    }

    Communicator& communicator;
    Axis axis{};
    Line line;
    Direction direction{};
    Part x, y;
    Rows held;                                    ///< of what is read: own rows and the halo
    std::optional<Launch> interior;               ///< runs while margins are on their way
    std::vector<Launch> borders;                  ///< run when they are there
    std::unique_ptr<HaloExchange> halo;           ///< null where no rank needs one
    std::optional<AllReduce> weights, bias_sums;  ///< of backward weight
    std::size_t weight_bytes = 0, bias_bytes = 0; ///< of backward weight
    std::size_t workspace = 0;
    std::function<void(const std::string&)> watcher; ///< may be empty
};

void SplitConvPlan::State::make(const ConvSpec& whole,
                                const Partition& partition,
                                const PlanOptions& options)
{
    const conv::Sizes sizes = conv::sizes_of(whole); // refuses what is no convolution
    axis                    = partition.axis;
    direction               = whole.direction;
    require_splittable(whole, axis);
    line                = line_of(whole, axis);
    const auto index    = static_cast<std::size_t>(communicator.rank());
    const Parts x_parts = partition.x;
    require_parts("X", x_parts, line.input, communicator.size());
    const Parts y_parts = partition.y.empty() ? output_parts(line, x_parts) : partition.y;
    require_parts("Y", y_parts, line.output(), communicator.size());

    const bool data = direction == Direction::backward_data;
    std::vector<Halo> halos;
    try
    {
        halos = halos_of(
            line, direction, data ? x_parts : y_parts, data ? y_parts : x_parts, data ? "dY" : "X");
    }
    catch(const std::invalid_argument& e)
    {
        refuse(e.what());
    }
    const std::vector<Halo> none;
    const long_index_t x_margin = margin_of("X", data ? none : halos, partition.x_margin),
                       y_margin = margin_of("Y", data ? halos : none, partition.y_margin);
    const auto part             = [&](conv::Slot slot, const Rows& own, long_index_t margin) {
        return make_part(sizes.lengths(slot),
                         whole.layout,
                         3 + static_cast<std::size_t>(axis),
                         whole.input.size(),
                         conv::bytes_of_element(conv::type_of(whole, slot)),
                         own,
                         margin);
    };
    x               = part(slot_x, x_parts[index], x_margin);
    y               = part(slot_y, y_parts[index], y_margin);
    const Rows read = (data ? y : x).local.own, result = (data ? x : y).local.own;
    held = {read.begin - halos[index].low, read.end + halos[index].high};
    if(std::any_of(halos.begin(), halos.end(), [](const Halo& h) { return h != Halo{}; }))
        halo = std::make_unique<HaloExchange>(
            communicator, data ? y : x, data ? y_parts : x_parts, halos);

    if(direction == Direction::backward_weight)
    {
        weight_bytes = whole.w_bytes();
        weights.emplace(communicator, weight_bytes / sizeof(float));
        if(whole.bias_gradient)
        {
            bias_bytes = sizeof(float) * static_cast<std::size_t>(whole.groups * whole.k);
            bias_sums.emplace(communicator, bias_bytes / sizeof(float));
        }
        add("own rows", whole, result, options);
        return;
    }
    const Division division = divide(line, direction, result, read);
    add("interior", whole, division.interior, options);
    if(!borders.empty())
    {
        interior.emplace(std::move(borders.back()));
        borders.clear();
    }
    add("low border", whole, division.low, options);
    add("high border", whole, division.high, options);
}

void SplitConvPlan::State::add(const char* name,
                               const ConvSpec& whole,
                               const Rows& result,
                               const PlanOptions& options)
{
    if(result.empty())
        return;
    if(direction != Direction::backward_data && held.empty())
        refuse("rank " + std::to_string(communicator.rank()) + " has " + to_string(result) +
               " of Y, but no row of X");
    const Piece piece      = piece_of(line, direction, result, held);
    const std::size_t rank = whole.input.size(), i = index_in(rank, axis);
    ConvSpec s = whole;
    s.input[i] = piece.x.size();
    if(s.pads.empty())
        for(std::size_t d = 0; d < rank; ++d)
            s.pads.push_back({});
    s.pads[i]   = {piece.pad_low, piece.pad_high};
    s.layout    = Layout::strided;
    s.x_strides = strides_of(x.strides, rank);
    s.y_strides = strides_of(y.strides, rank);
    s.w_strides = strides_of(conv::sizes_of(whole).strides(slot_w), rank);
    s.alignment = alignment_at(s.alignment, x.offset(piece.x.begin), y.offset(piece.y.begin));
    Launch launch{name, piece, plan(s, options)};
    workspace = std::max(workspace, launch.plan.workspace_size());
    borders.push_back(std::move(launch));
}

void SplitConvPlan::State::launch(const Launch& launch, ConvTensors t) const
{
    const auto move = [](const void*& address, const Part& part, long_index_t row) {
        if(address != nullptr)
            address = static_cast<const char*>(address) + part.offset(row);
    };
    if(direction == Direction::backward_data)
        move(t.residual, x, launch.piece.x.begin);
    else
        move(t.residual, y, launch.piece.y.begin);
    move(t.x, x, launch.piece.x.begin);
    move(t.y, y, launch.piece.y.begin);
    launch.plan.run(t);
}

void SplitConvPlan::State::run(const ConvTensors& t, bool exchanges) const
{
    if(exchanges) // margins of what is read are written, as LocalTensor says
    {
        step("send");
        halo->begin(const_cast<void*>(direction == Direction::backward_data ? t.y : t.x), t.stream);
    }
    step("interior");
    if(interior)
        launch(*interior, t);
    if(exchanges)
    {
        step("wait");
        halo->finish();
    }
    step("borders");
    for(const Launch& l : borders)
        launch(l, t);
}

void SplitConvPlan::State::run_backward_weight(const ConvTensors& t, bool exchanges)
{
    // The address is written to, as ConvTensors says.
    auto* const w    = static_cast<float*>(const_cast<void*>(t.w));
    auto* const bias = static_cast<float*>(const_cast<void*>(t.bias));
    if(exchanges)
    {
        step("send");
        halo->begin(const_cast<void*>(t.x), t.stream);
        step("wait");
        halo->finish();
    }
    step("own rows");
    for(const Launch& l : borders)
        launch(l, t);
    if(borders.empty()) // no row of Y
    {
        const auto stream = static_cast<hipStream_t>(t.stream);
        HIP_CHECK_ERROR(hipMemsetAsync(w, 0, weight_bytes, stream));
        if(bias_sums)
            HIP_CHECK_ERROR(hipMemsetAsync(bias, 0, bias_bytes, stream));
    }
    step("sum over ranks");
    weights->begin(w, t.stream);
    if(bias_sums)
        bias_sums->begin(bias, t.stream);
    weights->finish();
    if(bias_sums)
        bias_sums->finish();
}

SplitConvPlan::SplitConvPlan(Communicator& communicator,
                             const ConvSpec& whole,
                             const Partition& partition,
                             const PlanOptions& options)
    : state_(std::make_unique<State>(communicator))
{
    std::string problem;
    try
    {
        state_->make(whole, partition, options);
    }
    catch(const std::exception& e)
    {
        problem = e.what();
    }
    const std::string asked = to_string(whole) + " cut along axis " +
                              std::to_string(static_cast<int>(partition.axis)) + text_of(partition);
    try
    {
        agree(communicator, asked, problem);
    }
    catch(const std::invalid_argument& e)
    {
        throw Refused(e.what());
    }
}

SplitConvPlan::~SplitConvPlan()                        = default;
SplitConvPlan::SplitConvPlan(SplitConvPlan&&) noexcept = default;

const LocalTensor& SplitConvPlan::x() const { return state_->x.local; }
const LocalTensor& SplitConvPlan::y() const { return state_->y.local; }
std::size_t SplitConvPlan::workspace_size() const { return state_->workspace; }

std::string SplitConvPlan::explain() const
{
    std::string s;
    const auto add = [&](const State::Launch& l) {
        s += l.name + ": X " + to_string(l.piece.x) + ", Y " + to_string(l.piece.y) + ", pads " +
             std::to_string(l.piece.pad_low) + " and " + std::to_string(l.piece.pad_high) + ", " +
             l.plan.kernel() + '\n';
    };
    if(state_->interior)
        add(*state_->interior);
    for(const State::Launch& l : state_->borders)
        add(l);
    return s;
}

void SplitConvPlan::watch(std::function<void(const std::string& step)> f)
{
    state_->watcher = std::move(f);
}

void SplitConvPlan::run(const ConvTensors& t, Margins margins) const
{
    State& s             = *state_;
    const bool exchanges = s.halo && margins == Margins::exchange;
    if(s.direction == Direction::backward_weight)
        s.run_backward_weight(t, exchanges);
    else
        s.run(t, exchanges);
    s.step("");
}

} // namespace ck::distributed
