// Runs a command line and returns its exit status.
#include "program.hpp"

#include "command.hpp"
#include "conv_command.hpp"
#include "operation_table.hpp"
#include "report.hpp"
#include <cstdlib>
#include <exception>
#include <optional>
#include <ostream>

namespace ck::profiler {

namespace {

int run(const Command& command, std::ostream& out, std::ostream& errors)
{
    auto* run_operation = run_conv; // --miopen determines the operation
    if(!command.operation.empty())
    {
        const Operation* const operation = find_operation(command.operation);
        if(operation == nullptr)
        {
            errors << "cannot find operation: " << command.operation << "\n";
            if(const std::string nearest = nearest_operation(command.operation); !nearest.empty())
                errors << "the nearest is " << nearest << "\n";
            return 2;
        }
        run_operation = operation->run;
        if(!is_chosen(command.operation))
        {
            out << command.operation << " is left out: CK_PROFILER_OP_FILTER is '"
                << std::getenv("CK_PROFILER_OP_FILTER") << "'\n";
            return 0;
        }
    }
    else if(command.miopen.empty())
    {
        if(!command.positions.empty() || !command.problems.empty() || !command.file.empty())
            throw WrongArgument("there is a problem, but no operation before it");
        out << list_operations();
        return 0;
    }
    Report report(command.options, out);
    run_operation(command, report);
    report.finish();
    return report.status();
}

} // namespace

int run_program(int argc, const char* const argv[], std::ostream& out, std::ostream& errors)
try
{
    const std::optional<Command> command = read_command(argc, argv, out);
    return command ? run(*command, out, errors) : 0;
}
catch(const WrongArgument& e)
{
    errors << "ckProfiler: " << e.what() << '\n';
    return 2;
}
catch(const NotImplemented& e)
{
    out << "this data_type & layout is not implemented" << std::endl;
    errors << "ckProfiler: " << e.what() << '\n';
    return 1;
}
catch(const std::exception& e)
{
    errors << "ckProfiler: " << e.what() << '\n';
    return 1;
}

} // namespace ck::profiler
