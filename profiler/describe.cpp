// Text about tensors, for the report.
#include "describe.hpp"

#include <sstream>

namespace ck::profiler {

namespace {

template <class Values>
void print_list(std::ostream& out, const Values& values)
{
    out << '{';
    const char* separator = "";
    for(const auto& value : values)
    {
        out << separator << value;
        separator = ", ";
    }
    out << '}';
}

std::string
describe(const char* name, index_t rank, const TensorLengths& lengths, const TensorStrides& strides)
{
    const auto of_rank = [&](const auto& values) {
        std::vector<long_index_t> kept(values.begin(), values.begin() + 3);
        kept.insert(kept.end(), values.end() - rank, values.end());
        return kept;
    };
    std::ostringstream text;
    text << name << ": dim " << 3 + rank << ", lengths ";
    print_list(text, of_rank(lengths));
    text << ", strides ";
    print_list(text, of_rank(strides));
    return text.str();
}

} // namespace

std::vector<std::string> describe(const ConvProblem& p, Direction direction)
{
    const auto x = [&](const char* name) {
        return describe(name, p.rank, p.input_lengths(), p.input_strides);
    };
    const auto w = [&](const char* name) {
        return describe(name, p.rank, p.filter_lengths(), p.filter_strides);
    };
    const auto y = [&](const char* name) {
        return describe(name, p.rank, p.output_lengths(), p.output_strides);
    };
    if(direction == Direction::backward_data)
        return {y("out"), w("wei"), x("in")};
    return {x("input"), w("weight"), y("output")};
}

std::string describe(const Accuracy& wrong)
{
    std::ostringstream text;
    text << "element " << wrong.first_wrong << " of the result is " << wrong.got
         << ", but the reference is " << wrong.expected << ", and may differ by " << wrong.bound;
    return text.str();
}

std::string list(const std::vector<double>& values)
{
    std::ostringstream text;
    print_list(text, values);
    return text.str();
}

} // namespace ck::profiler
