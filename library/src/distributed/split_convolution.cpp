// A split convolution: the plans of its pieces, and the order of exchange and launches.
#include "ck/distributed/split_convolution.hpp"

#include "ck/host_utility/hip_check_error.hpp"

#include "conv/resolve.hpp"
#include "distributed/local_tensor.hpp"
#include "distributed/sum_in_order.hpp"
#include "distributed/thrown.hpp"
#include <algorithm>
#include <array>
#include <utility>

namespace ck::distributed {

namespace {

using conv::slot_w;
using conv::slot_x;
using conv::slot_y;

constexpr const char* axis_names[] = {"D", "H", "W"};
constexpr long_index_t most_rows   = 2'147'483'647; ///< and bytes in a launch: offsets have 32 bits

[[noreturn]] void refuse(const std::string& reason)
{
    throw Refused("ck::distributed::SplitConvPlan: " + reason);
}

/// Index of a dimension in a list that has the last `size` of the three.
std::size_t index_in(std::size_t size, Axis axis)
{
    return static_cast<std::size_t>(axis) + size - 3;
}

void require_splittable(const ConvSpec& s, Axis axis)
{
    if(s.transposed)
        refuse("transposed is set, but transposed convolutions are not split");
    if(s.quantization.enabled)
        refuse("quantization.enabled is true, but quantized convolutions are not split");
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

/// The most rows of a neighbour that any rank reads. given: the margin that the caller set.
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
    if(given && *given > most_rows)
        refuse(std::string("the margin of ") + what + " is " + std::to_string(*given) +
               " rows, but must be at most " + std::to_string(most_rows));
    return given.value_or(most);
}

/// A part of what ranks compare: it names every field, so that a new field stops the build.
std::string text_of(const Partition& partition)
{
    const auto& [axis, x, y, x_margin, y_margin, launch_bytes] = partition;

    std::string s = "cut along axis " + std::to_string(static_cast<int>(axis));
    for(const auto& [what, parts] : {std::pair{" x:", &x}, std::pair{" y:", &y}})
    {
        s += what;
        for(const Rows& part : *parts)
            s += ' ' + std::to_string(part.size());
    }
    for(const auto& [what, margin] :
        {std::pair{", x_margin ", &x_margin}, std::pair{", y_margin ", &y_margin}})
        if(*margin)
            s += what + std::to_string(**margin);
    return s + ", launch_bytes " + std::to_string(launch_bytes);
}

/// Likewise.
std::string text_of(const PlanOptions& options)
{
    const auto& [workspace_limit, allow, forbid, batch_invariant] = options;

    std::string s;
    if(workspace_limit)
        s += ", workspace_limit " + std::to_string(*workspace_limit);
    for(const auto& [what, rule] : {std::pair{", allow ", &allow}, std::pair{", forbid ", &forbid}})
        if(!rule->empty()) // the length, since a rule may contain any characters
            s += what + std::to_string(rule->size()) + ": " + *rule;
    return batch_invariant ? s + ", batch_invariant" : s;
}

Strides strides_of(const TensorStrides& all, std::size_t rank)
{
    Strides s{all[0], all[1], all[2]};
    for(std::size_t i = 6 - rank; i < 6; ++i)
        s.push_back(all[i]);
    return s;
}

/// Splits the rows into the fewest parts that each pass the test, or into single rows.
template <class Fits>
Parts channel_slices(const Rows& rows, const Fits& fits)
{
    for(int count = 1;; ++count)
    {
        Parts parts = even_parts(rows.size(), count);
        for(Rows& part : parts)
            part = {rows.begin + part.begin, rows.begin + part.end};
        if(count >= rows.size() || std::all_of(parts.begin(), parts.end(), fits))
            return parts;
    }
}

/// The spec's alignment, or less if these offsets do not keep it.
std::size_t alignment_at(std::size_t alignment, const std::array<std::size_t, 3>& offsets)
{
    while(std::any_of(
        offsets.begin(), offsets.end(), [&](std::size_t at) { return at % alignment != 0; }))
        alignment /= 2;
    return alignment;
}

} // namespace

struct SplitConvPlan::State
{
    /// A launch: rows of X and Y, and the plan that computes them.
    struct Launch
    {
        std::string name;
        Piece piece;
        ConvPlan plan;
    };

    explicit State(Communicator& c) : communicator(c) {}

    void make(const ConvSpec& whole, const Partition& partition, const PlanOptions& options);
    void add_sums(const ConvSpec& whole, const TensorLengths& of_y);
    std::vector<Launch>
    launches(const char* name, const ConvSpec& whole, const Rows& result, const PlanOptions&);
    void launch(const Launch& launch, ConvTensors t) const;
    void run(const ConvTensors& t, bool exchanges) const;
    void run_backward_weight(const ConvTensors& t, bool exchanges);
    /// Reports the step to the watcher.
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
    Rows held;                                   ///< rows of what is read: own rows and the halo
    long_index_t launch_bytes = 0;               ///< as in Partition
    std::vector<Launch> interior;                ///< run while margins are in flight
    std::vector<Launch> borders;                 ///< run once margins have arrived
    std::unique_ptr<HaloExchange> halo;          ///< null if no rank needs a halo
    std::size_t weight_bytes = 0;                ///< for backward weight
    DeviceMem channel_slices_of_dw;              ///< likewise: dW of each launch except the first
    std::optional<AllReduce> weights, bias_sums; ///< likewise
    std::optional<conv::BiasGradient> bias;      ///< likewise: bias gradient of own rows
    std::size_t workspace = 0;
    std::function<void(const std::string&)> watcher; ///< may be empty
};

void SplitConvPlan::State::make(const ConvSpec& whole,
                                const Partition& partition,
                                const PlanOptions& options)
{
    const conv::Sizes sizes = conv::sizes_of(whole); // refuses what is not a convolution
    axis                    = partition.axis;
    direction               = whole.direction;
    require_splittable(whole, axis);
    if(partition.launch_bytes < 1 || partition.launch_bytes > most_rows)
        refuse("launch_bytes is " + std::to_string(partition.launch_bytes) +
               ", but must be from 1 to " + std::to_string(most_rows));
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
    const auto part = [&](const char* what, conv::Slot slot, const Rows& own, long_index_t margin) {
        return make_part(what,
                         sizes.lengths(slot),
                         whole.layout,
                         3 + static_cast<std::size_t>(axis),
                         whole.input.size(),
                         conv::bytes_of_element(conv::type_of(whole, slot)),
                         own,
                         margin);
    };
    x               = part("X", slot_x, x_parts[index], x_margin);
    y               = part("Y", slot_y, y_parts[index], y_margin);
    const Rows read = (data ? y : x).local.own, result = (data ? x : y).local.own;
    held = {read.begin - halos[index].low, read.end + halos[index].high};
    if(std::any_of(halos.begin(), halos.end(), [](const Halo& h) { return h != Halo{}; }))
        halo = std::make_unique<HaloExchange>(
            communicator, data ? y : x, data ? y_parts : x_parts, halos);

    launch_bytes = partition.launch_bytes;
    if(direction == Direction::backward_weight)
    {
        add_sums(whole, sizes.lengths(slot_y));
        borders = launches("own rows", whole, result, options);
        if(borders.size() > 1)
            channel_slices_of_dw.Realloc(weight_bytes * (borders.size() - 1));
        return;
    }
    const Division division = divide(line, direction, result, read);
    interior                = launches("interior", whole, division.interior, options);
    borders                 = launches("low border", whole, division.low, options);
    for(Launch& high : launches("high border", whole, division.high, options))
        borders.push_back(std::move(high));
}

void SplitConvPlan::State::add_sums(const ConvSpec& whole, const TensorLengths& of_y)
{
    weight_bytes = whole.w_bytes();
    weights.emplace(communicator, weight_bytes / sizeof(float));
    if(!whole.bias_gradient)
        return;
    TensorLengths own = of_y;
    own[y.axis]       = y.local.own.size();
    bias = conv::BiasGradient::make(conv::type_of(whole, slot_y), DataType::f32, own, y.strides);
    bias_sums.emplace(communicator, bias->channels());
    workspace = std::max(workspace, bias->workspace);
}

std::vector<SplitConvPlan::State::Launch> SplitConvPlan::State::launches(const char* name,
                                                                         const ConvSpec& whole,
                                                                         const Rows& result,
                                                                         const PlanOptions& options)
{
    std::vector<Launch> all;
    if(result.empty())
        return all;
    if(direction != Direction::backward_data && held.empty())
        refuse("rank " + std::to_string(communicator.rank()) + " has " + to_string(result) +
               " of Y, but no row of X");
    const auto piece_for = [&](const Rows& rows) { return piece_of(line, direction, rows, held); };
    for(const Rows& channel_slice : channel_slices(result, [&](const Rows& rows) {
            const Piece piece = piece_for(rows);
            return std::max(x.reach(piece.x.size()), y.reach(piece.y.size())) <= launch_bytes;
        }))
    {
        const Piece piece      = piece_for(channel_slice);
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
        s.alignment = alignment_at(
            s.alignment,
            {x.offset(piece.x.begin), y.offset(piece.y.begin), all.empty() ? 0 : weight_bytes});
        s.bias_gradient = false; // computed at once for all own rows
        all.push_back({name, piece, plan(s, options)});
        workspace = std::max(workspace, all.back().plan.workspace_size());
    }
    return all;
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
    for(const Launch& l : interior)
        launch(l, t);
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
    // The result's address is written to, as ConvTensors says.
    auto* const w     = static_cast<float*>(const_cast<void*>(t.w));
    auto* const sums  = static_cast<float*>(const_cast<void*>(t.bias));
    const auto stream = static_cast<hipStream_t>(t.stream);
    if(bias && (sums == nullptr || t.workspace == nullptr)) // before anything is sent or written
        refuse(std::string(sums == nullptr ? "bias" : "workspace") +
               " is null, but bias_gradient is set");
    if(exchanges)
    {
        step("send");
        halo->begin(const_cast<void*>(t.x), t.stream);
        step("wait");
        halo->finish();
    }
    step("own rows");
    ConvTensors channel_slice = t;
    if(bias) // after these launches, at once for all own rows
        channel_slice.bias = nullptr;
    for(const Launch& l : borders)
    {
        launch(l, channel_slice);
        channel_slice.w = channel_slice.w == t.w
                              ? channel_slices_of_dw.GetDeviceBuffer()
                              : static_cast<const char*>(channel_slice.w) + weight_bytes;
    }
    if(borders.empty()) // no row of Y
        HIP_CHECK_ERROR(hipMemsetAsync(w, 0, weight_bytes, stream));
    else if(borders.size() > 1)
        sum_in_order(w,
                     static_cast<const float*>(channel_slices_of_dw.GetDeviceBuffer()),
                     static_cast<long_index_t>(weight_bytes / sizeof(float)),
                     static_cast<int>(borders.size()),
                     0,
                     stream);
    if(bias)
        bias->run(static_cast<const char*>(t.y) + y.offset(y.local.own.begin),
                  sums,
                  t.workspace,
                  StreamConfig{stream});
    step("sum over ranks");
    weights->begin(w, t.stream);
    if(bias_sums)
        bias_sums->begin(sums, t.stream);
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
    catch(...)
    {
        problem = what_is_thrown(); // others wait to hear of it
    }
    const std::string asked = to_string(whole) + ' ' + text_of(partition) + text_of(options);
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
    for(const State::Launch& l : state_->interior)
        add(l);
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
