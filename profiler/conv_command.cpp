// Turns a command line into requests for convolutions.
#include "conv_command.hpp"

#include "convolution.hpp"
#include "miopen.hpp"
#include "operation_table.hpp"
#include "operations.hpp"
#include "positional.hpp"
#include "problem_file.hpp"
#include "problem_text.hpp"
#include "split_k.hpp"

namespace ck::profiler {

namespace {

ConvRequest request_from_words(const Command& command)
{
    const ConvOperation* const operation =
        find_conv_operation(command.operation, command.elementwise);
    if(operation == nullptr)
        throw WrongArgument("--elementwise is '" + command.elementwise + "', but " +
                            command.operation +
                            (find_conv_operation(command.operation)->variant[0] == '\0'
                                 ? " has none"
                                 : " has convscale and convinvscale"));
    ConvRequest request;
    request.operation = command.operation;
    request.variant   = operation->variant;
    request.type      = command.type;
    request.family    = family_of(*operation, find_types(*operation, command.type));
    request.layout    = layout_from_name(command.layout);
    request.split_k   = split_k_from_text("--split-k", command.split_k);
    if(!command.file.empty())
        request.problems = read_problems(command.file, command.filter);
    for(const std::string& text : command.problems)
        request.problems.push_back({"", problem_from_text(text)});
    for(NamedProblem& named : request.problems)
    {
        if(!operation->grouped && named.problem.groups != 1)
            throw WrongArgument("the problem '" + to_text(named.problem) + "' has " +
                                std::to_string(named.problem.groups) + " groups, but " +
                                command.operation + " has one; see grouped_conv_*");
        set_strides(named.problem, request.layout);
    }
    return request;
}

} // namespace

std::vector<ConvRequest> conv_requests(const Command& command, Options& options)
{
    const bool by_words = !command.problems.empty() || !command.file.empty();
    const int ways =
        (command.positions.empty() ? 0 : 1) + (by_words ? 1 : 0) + (command.miopen.empty() ? 0 : 1);
    if(ways != 1)
        throw WrongArgument(
            std::string("a problem is given by ") + (ways == 0 ? "nothing" : "several") +
            ", but must be by one of: numbers after the operation, --problem and --problems, "
            "--miopen");
    if(!command.filter.empty() && command.file.empty())
        throw WrongArgument("--filter is '" + command.filter +
                            "', but chooses from the file of --problems, which is not there");
    std::vector<ConvRequest> requests;
    if(!command.miopen.empty())
    {
        requests = requests_from_miopen(command.miopen);
        if(!command.operation.empty())
            std::erase_if(requests,
                          [&](const ConvRequest& r) { return r.operation != command.operation; });
        if(requests.empty())
            throw WrongArgument("--miopen asks for no " + command.operation + ": see its -F");
    }
    else if(by_words)
        requests.push_back(request_from_words(command));
    else
        requests.push_back(read_positions(command.operation, command.positions, options));
    if(!options.times.empty() && requests.size() != 1)
        throw WrongArgument("--times is of one direction, but there are " +
                            std::to_string(requests.size()));
    return requests;
}

std::string describe_conv(const std::string& operation)
{
    std::string text = operation + ", numbers by position:\n" + describe_positions(operation) +
                       "--type, --elementwise:\n";
    for(const ConvOperation& o : conv_operations())
        if(operation == o.name)
        {
            text += "  " + std::string(o.variant) + (*o.variant == '\0' ? "" : ": ");
            for(const Types& types : o.types)
                text += std::string(types.name) + " ";
            text += "\n";
        }
    return text;
}

void run_conv(const Command& command, Report& report)
{
    Options options = command.options;
    for(const ConvRequest& request : conv_requests(command, options))
        if(is_chosen(request.operation))
            profile(request, options, report);
        else
            report.line(request.operation + " is left out by CK_PROFILER_OP_FILTER");
}

} // namespace ck::profiler
