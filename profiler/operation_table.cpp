// The table of operations, and searches by name.
#include "operation_table.hpp"

#include "ck/library/utility/pattern.hpp"

#include "calibrate.hpp"
#include "conv_command.hpp"
#include "grouped_gemm.hpp"
#include "operations.hpp"
#include "rearrange.hpp"
#include "tune.hpp"
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace ck::profiler {

namespace {

std::vector<Operation> make_operations()
{
    std::vector<Operation> all;
    for(const ConvOperation& c : conv_operations())
        if(all.empty() || std::string(c.name) != all.back().name) // variants share a row
            all.push_back({c.name, c.description, describe_conv, run_conv});
    all.push_back({"grouped_gemm", "Grouped GEMM", describe_grouped_gemm, run_grouped_gemm});
    all.push_back({"conv_tensor_rearrange",
                   "Convolution Image to Column and Back",
                   describe_rearrange,
                   run_rearrange});
    all.push_back({"tune", "Measures Kernels for ck::plan", describe_tune, run_tune});
    all.push_back({"calibrate",
                   "Measures this Device for ck::plan's Predictions",
                   describe_calibrate,
                   run_calibrate});
    return all;
}

/// The number of letters to insert, delete or change.
std::size_t distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for(std::size_t i = 0; i < a.size(); ++i)
    {
        std::size_t diagonal = row[0];
        row[0]               = i + 1;
        for(std::size_t j = 0; j < b.size(); ++j)
        {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal                 = row[j + 1];
            row[j + 1]               = std::min({change, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

bool is_chosen(const std::string& operation)
{
    const char* const filter = std::getenv("CK_PROFILER_OP_FILTER");
    try
    {
        return filter == nullptr || utils::Pattern(filter).is_in(operation);
    }
    catch(const std::invalid_argument& error)
    {
        throw WrongArgument("CK_PROFILER_OP_FILTER is '" + std::string(filter) +
                            "', which is not a regular expression: " + error.what());
    }
}

std::span<const Operation> operations()
{
    static const std::vector<Operation> all = make_operations();
    return all;
}

const Operation* find_operation(const std::string& name)
{
    for(const Operation& o : operations())
        if(name == o.name)
            return &o;
    return nullptr;
}

std::string nearest_operation(const std::string& name)
{
    const auto all = operations();
    return all.empty()
               ? ""
               : std::min_element(all.begin(),
                                  all.end(),
                                  [&](const Operation& a, const Operation& b) {
                                      return distance(a.name, name) < distance(b.name, name);
                                  })
                     ->name;
}

std::string list_operations()
{
    std::string text = "arg1: tensor operation {\n";
    for(const Operation& o : operations())
        if(is_chosen(o.name))
            text += "    " + std::string(o.name) + ": " + o.description + "\n";
    return text + "}\n";
}

std::string describe_operation(const std::string& name)
{
    const Operation* const operation = find_operation(name);
    return operation == nullptr ? list_operations() : operation->describe(name);
}

} // namespace ck::profiler
