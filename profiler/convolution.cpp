// Profiles one problem after another: its tensors, its reference, its instances.
#include "convolution.hpp"

#include "ck/arch/target.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/library/utility/pattern.hpp"

#include "buffers.hpp"
#include "conv_launch.hpp"
#include "describe.hpp"
#include "device_name.hpp"
#include "epilogue.hpp"
#include "measure.hpp"
#include "operations.hpp"
#include "platform.hpp"
#include "problem_text.hpp"
#include "reference.hpp"
#include "rival.hpp"
#include "timed.hpp"
#include "times_file.hpp"
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>

namespace ck::profiler {

namespace {

using namespace tensor_operation::device::instance;

/// Types of X, W and Y.
TensorShapes shapes_of(const ConvRequest& request, const ConvProblem& problem)
{
    const Family& f = request.family;
    switch(f.direction)
    {
    case Direction::forward:
        return {problem, number_type(f.a), number_type(f.b), number_type(f.c)};
    case Direction::backward_data:
        return {problem, number_type(f.c), number_type(f.b), number_type(f.a)};
    case Direction::backward_weight:
        break;
    }
    return {problem, number_type(f.b), number_type(f.c), number_type(f.a)};
}

std::array<Block, 2> operands_of(const TensorShapes& shapes, Direction direction, Fill fill)
{
    const std::size_t result = result_of(direction);
    const std::size_t first = result == 0 ? 1 : 0, second = result == 2 ? 1 : 2;
    return {Block(fill, 0, shapes.elements[first], *shapes.type[first]),
            Block(fill, 1, shapes.elements[second], *shapes.type[second])};
}

class ProblemRun
{
public:
    ProblemRun(const ConvRequest& request,
               const NamedProblem& named,
               const Options& options,
               Report& report,
               TimesFile* times)
        : request_(request),
          problem_(named.problem),
          name_(named.name.empty() ? to_text(named.problem) : named.name),
          kind_(named.kind()),
          options_(options),
          report_(report),
          times_(times),
          operation_(find_conv_operation(request.operation, request.variant)),
          shapes_(shapes_of(request, problem_)),
          operands_(operands_of(shapes_, request.family.direction, options.fill)),
          buffers_(shapes_, request.family.direction, operands_, !options.warm_cache && !on_cpu)
    {
        make_d_tensors();
        work_.flops   = flops(problem_);
        moved_bytes_  = work_.flops > 0 ? shapes_.bytes() // without products nothing is read
                                        : static_cast<double>(shapes_.bytes(result()));
        work_.bytes   = needed_bytes();
        work_.buffers = shapes_.bytes() * buffers_.sets();
        if(options.verify)
            reference_.emplace(request, problem_, shapes_, operands_, d_, options.fill);
    }

    /// chosen: a part of the `all` kernels.
    void run(const std::vector<const ConvKernel*>& chosen, std::size_t all)
    {
        describe_tensors();
        // Composable Kernel's wording, which differs between its operations.
        const bool named = request_.operation.starts_with("grouped_conv_fwd") ||
                           request_.operation == "grouped_conv_bwd_data";
        report_.line((named ? "ckProfiler found " : "found ") + std::to_string(all) + " instances");
        if(chosen.size() != all)
            report_.line("    " + std::to_string(chosen.size()) + " of them match '" +
                         options_.instances + "'");
        for(const ConvKernel* kernel : chosen)
            for(const index_t split_k : request_.split_k)
            {
                report_.progress().step(kernel->name);
                run_instance(*kernel, split_k);
            }
        run_rule(chosen);
        if(!options_.rival.empty())
            run_beside_rival();
        finish();
    }

private:
    struct Ran
    {
        std::unique_ptr<ConvLaunch> launch;
        index_t split_k;
        Result* result;
    };

    std::size_t result() const { return result_of(request_.family.direction); }
    bool splits_k() const { return request_.family.direction == Direction::backward_weight; }
    std::string instance_name(const ConvKernel& kernel) const
    {
        return type_string_of(*operation_->names, kernel.name);
    }

    /// Strides may skip pixels of X, which need not be read.
    double needed_bytes() const
    {
        const bool reads_x = work_.flops > 0 && result() != 0;
        const double share = reads_x ? touched_share(problem_) : 1;
        return moved_bytes_ - (1 - share) * static_cast<double>(shapes_.bytes(0));
    }

    void make_d_tensors()
    {
        const NumberType& type = *shapes_.type[2];
        const TensorStrides bias{problem_.out_channels, 0, 1, 0, 0, 0};
        for(int i = 0; i < operation_->d_tensors; ++i)
        {
            const long_index_t elements =
                i == 0 ? problem_.groups * problem_.out_channels : shapes_.elements[2];
            d_.emplace_back(options_.fill, static_cast<std::size_t>(2 + i), elements, type);
            d_memory_.emplace_back(static_cast<std::size_t>(elements) * type.bytes);
            fill_memory(d_memory_.back(), elements, d_.back().values(), type);
            d_tensors_.push_back(
                {d_memory_.back().GetDeviceBuffer(), i == 0 ? bias : problem_.output_strides});
        }
    }

    ConvArgument argument(index_t split_k) const
    {
        static const tensor_operation::element_wise::PassThrough pass_through;
        ConvArgument a;
        a.problem     = problem_;
        a.a           = {nullptr};
        a.b           = {nullptr};
        a.d           = d_tensors_;
        a.operation_a = a.operation_b = &pass_through;
        a.operation_c                 = epilogue(request_.family.operation_c).functor;
        a.split_k                     = split_k;
        a.saturates                   = true; // as in plans
        return a;
    }

    void describe_tensors()
    {
        report_.line("problem: " + request_.operation + " " + request_.type + " " +
                     name(request_.layout) + ", " + to_text(problem_) +
                     (name_ == to_text(problem_) ? "" : " (" + name_ + ")"));
        for(const std::string& text : describe(problem_, request_.family.direction))
            report_.line(text);
        if(options_.print_tensor)
            for(std::size_t i = 0; i < 2; ++i)
                report_.line(std::string(i == 0 ? "first" : "second") +
                             " operand: " + list(operands_[i].values()));
    }

    void run_instance(const ConvKernel& kernel, index_t split_k)
    {
        const std::string instance = instance_name(kernel);
        auto launch                = std::make_unique<ConvLaunch>(
            kernel, request_.family.direction, argument(split_k), buffers_, workspace_);
        if(const Support s = launch->supports(); !s)
        {
            report_.refuse({name_, instance, s.reason});
            return;
        }
        try
        {
            measure(instance, std::move(launch), split_k);
        }
        catch(const std::runtime_error& e)
        {
            report_.fail(instance, e.what());
        }
    }

    void measure(const std::string& instance, std::unique_ptr<ConvLaunch> launch, index_t split_k)
    {
        Result r;
        r.problem   = name_;
        r.text      = to_text(problem_);
        r.operation = request_.operation;
        r.direction = name(request_.family.direction);
        r.type      = request_.type;
        r.layout    = name(request_.layout);
        r.kind      = kind_;
        r.instance  = instance;
        if(splits_k())
            r.split_k = split_k;
        r.flops     = work_.flops;
        r.bytes     = moved_bytes_;
        r.workspace = launch->workspace_bytes();
        r.predicted = launch->predicted_cycles();
        std::string wrong;
        launch->run_once();
        if(reference_ || options_.print_tensor)
        {
            const std::vector<unsigned char> values = buffers_.take();
            if(options_.print_tensor)
                print_result(values);
            if(reference_)
            {
                const Accuracy accuracy = reference_->compare(values);
                r.error                 = accuracy.error;
                r.bound                 = accuracy.bound;
                r.unit                  = accuracy.unit;
                if(!accuracy.right)
                    wrong = describe(accuracy);
            }
        }
        if(!wrong.empty())
        {
            report_.fail(instance, wrong);
            return;
        }
        if(options_.time)
        {
            set_time(r, time_each({launch_of(*launch)}, rounds_of(options_)).front(), roof_, work_);
            if(times_ != nullptr && instance.find("Wgmma<") != instance.npos)
                times_->add(name_, instance, time_with_pauses(launch_of(*launch), r.ms));
        }
        ran_.push_back({std::move(launch), split_k, &report_.add(r)});
    }

    static Launch launch_of(ConvLaunch& launch)
    {
        return [&launch](int i, hipStream_t stream) { launch.run(i, stream); };
    }

    /// Measures the kernel that select_kernel() chooses, unless it was measured already.
    void run_rule(const std::vector<const ConvKernel*>& chosen)
    {
        const index_t split_k = request_.split_k.size() == 1 ? request_.split_k.front() : -1;
        ConvArgument any      = argument(split_k);
        any.workspace         = buffers_.set(0).x; // never accessed
        rule_                 = select_kernel(request_.family, any);
        const auto is_rule    = [&](const Ran& r) {
            return &r.launch->kernel() == rule_ && (r.split_k == split_k || !splits_k());
        };
        if(rule_ == nullptr)
            return;
        const ConvKernel* const kernel = rule_->on_copies != nullptr ? rule_->on_copies : rule_;
        if(std::find(chosen.begin(), chosen.end(), kernel) != chosen.end() &&
           std::none_of(ran_.begin(), ran_.end(), is_rule))
            run_instance(*rule_, split_k);
        const auto found = std::find_if(ran_.begin(), ran_.end(), is_rule);
        if(found != ran_.end())
        {
            found->result->rule = true;
            of_rule_            = found->result;
        }
    }

    /// Times the fastest instances and the rival's fastest ways in turns, under load. These times
    /// then replace the earlier ones.
    void run_beside_rival()
    {
        if(ran_.empty())
            return;
        std::unique_ptr<Rival> rival;
        std::vector<Launch> ours, theirs;
        try
        {
            rival = make_rival(options_.rival, request_, problem_, buffers_.set(0));
        }
        catch(const std::runtime_error& e) // ours are timed alone, as they would be with it
        {
            report_.line("no rival: " + std::string(e.what()));
        }
        std::optional<std::size_t> rule;
        for(std::size_t i = 0; i < ran_.size(); ++i)
        {
            ours.push_back(launch_of(*ran_[i].launch));
            if(ran_[i].result == of_rule_)
                rule = i;
        }
        for(std::size_t way = 0; rival && way < rival->ways().size(); ++way)
            theirs.push_back([this, way, &rival](int i, hipStream_t stream) {
                rival->launch(way, stream, buffers_.set(i));
            });
        const Contest contest =
            hold_contest(ours, theirs, rule, rounds_of(options_, options_.warm_up));
        if(of_rule_ != nullptr && contest.rule_time.ok())
            set_time(*of_rule_, contest.rule_time, roof_, work_);
        fastest_ = ran_[contest.ours].result;
        set_time(*fastest_, contest.time, roof_, work_);
        for(std::size_t way = 0; way < contest.left_out.size(); ++way)
            if(!contest.left_out[way].empty())
                report_.line("    " + rival->ways()[way].name +
                             " is left out: " + contest.left_out[way]);
        if(!contest.theirs)
            return;
        fastest_->rival = {rival->name(),
                           rival->ways()[*contest.theirs].name,
                           contest.rival_time.median,
                           contest.ratio.median,
                           contest.ratio.low,
                           contest.ratio.high};
    }

    void finish()
    {
        Result* fastest = fastest_;
        for(const Ran& r : ran_)
            if(fastest_ == nullptr && (fastest == nullptr || r.result->ms < fastest->ms))
                fastest = r.result;
        report_.best(fastest);
        if(rule_ != nullptr && of_rule_ == nullptr)
            report_.line("predicted choice: " + instance_name(*rule_) + ", not measured");
        else if(of_rule_ != nullptr)
        {
            if(options_.time)
                of_rule_->rule_loss = of_rule_->ms / fastest->ms - 1;
            report_.line("predicted choice: " + of_rule_->instance +
                         (options_.time
                              ? ", " + percent(of_rule_->rule_loss) + " slower than the fastest"
                              : ""));
        }
        if(fastest == nullptr)
            report_.fail("no instance has computed this problem" +
                         std::string(options_.why ? "" : "; --why says why"));
    }

    static std::string percent(double share)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
        return text;
    }

    void print_result(const std::vector<unsigned char>& memory)
    {
        const NumberType& type = *shapes_.type[result()];
        std::vector<double> values(memory.size() / type.bytes);
        type.decode(memory.data(), values.size(), values.data());
        report_.line("result: " + list(values));
    }

    const ConvRequest& request_;
    const ConvProblem& problem_;
    std::string name_, kind_;
    const Options& options_;
    Report& report_;
    TimesFile* times_;
    const ConvOperation* operation_;
    TensorShapes shapes_;
    std::array<Block, 2> operands_;
    Buffers buffers_;
    std::vector<Block> d_;
    std::vector<DeviceMem> d_memory_;
    std::vector<tensor_operation::device::DArgument> d_tensors_;
    std::optional<Reference> reference_;
    std::optional<Roofline> roof_ = find_roofline(device_name(), request_.family.compute_a);
    Work work_{};
    double moved_bytes_ = 0; ///< for which results are credited
    Workspace workspace_;
    std::vector<Ran> ran_;
    const ConvKernel* rule_ = nullptr;
    Result* of_rule_        = nullptr;
    Result* fastest_        = nullptr; ///< compared with a rival
};

} // namespace

void profile(const ConvRequest& request, const Options& options, Report& report)
{
    const auto kernels = kernels_of(request.family);
    if(kernels.empty())
        throw NotImplemented(why_none(request.family, {}));
    profile(request, kernels, options, report);
}

void profile(const ConvRequest& request,
             std::span<const ConvKernel> kernels,
             const Options& options,
             Report& report)
{
    const ConvOperation& operation = *find_conv_operation(request.operation, request.variant);
    const utils::Pattern pattern(options.instances);
    std::vector<const ConvKernel*> chosen;
    for(const ConvKernel& kernel : kernels)
        if(pattern.is_in(type_string_of(*operation.names, kernel.name)))
            chosen.push_back(&kernel);
    report.progress().expect(
        static_cast<long>(chosen.size() * request.split_k.size() * request.problems.size()));
    TimesFile times;
    for(const NamedProblem& named : request.problems)
        try
        {
            ProblemRun(request, named, options, report, options.times.empty() ? nullptr : &times)
                .run(chosen, kernels.size());
        }
        catch(const std::runtime_error& e)
        {
            report.fail((named.name.empty() ? to_text(named.problem) : named.name) + ": " +
                        e.what());
        }
    if(!options.times.empty())
        times.write(options.times);
}

} // namespace ck::profiler
