// Reads files of lines, and predicts with them.
#include "tensor_operation_instance/calibration.hpp"

#include "ck/host_utility/hip_check_error.hpp"
#include "ck/host_utility/runtime.hpp"
#include "ck/tensor_operation/gpu/conv/model/machine/types.hpp"
#include "ck/tensor_operation/gpu/conv/operation/type_string.hpp"

#include "tensor_operation_instance/kernel_facts.hpp"
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <istream>
#include <iterator>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ck::tensor_operation::device::instance {

struct CalibrationLines
{
    std::vector<LineOf> all;
};

namespace {

constexpr const char* computes_names[]{"y", "dx", "dw", "rows", "all"};
/// Facts by their names in files, in the order of Fact. An instruction has no name.
constexpr const char* fact_names[]{"",
                                   "m",
                                   "n",
                                   "k",
                                   "waves",
                                   "a_vector",
                                   "c_vector",
                                   "input_bytes",
                                   "",
                                   "wgmma",
                                   "transposed_first",
                                   "several_groups",
                                   "x",
                                   "y",
                                   "columns",
                                   "stride"};
static_assert(std::size(fact_names) == static_cast<std::size_t>(Fact::stride) + 1);

std::string trimmed(const std::string& text)
{
    constexpr const char* spaces = " \t\r";
    const std::size_t first      = text.find_first_not_of(spaces);
    return first == text.npos ? "" : text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

std::vector<std::string> split(const std::string& text, char at)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for(std::string part; std::getline(in, part, at);)
        parts.push_back(trimmed(part));
    return parts;
}

double number(const std::string& text)
{
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    if(!(in >> value) || !in.eof() || !std::isfinite(value))
        throw std::runtime_error("'" + text + "' is not a number");
    return value;
}

/// A number of a line: times within it are finite.
double number_of_line(const std::string& text)
{
    const double value = number(text);
    if(std::abs(value) > 1e15)
        throw std::runtime_error("'" + text + "' is too large: numbers of lines are at most 1e15");
    return value;
}

/// What a fact is compared with.
index_t whole_number(const std::string& text)
{
    const double value = number(text);
    if(!(value >= 0 && value <= std::numeric_limits<index_t>::max() && value == std::floor(value)))
        throw std::runtime_error("'" + text + "' is not a whole number from 0 to 2^31 - 1");
    return static_cast<index_t>(value);
}

/// The two words of a text such as "tensor_maps dw" or "n 128".
std::pair<std::string, std::string> two_words(const std::string& text, const char* what)
{
    const std::vector<std::string> words = split(text, ' ');
    if(words.size() != 2)
        throw std::runtime_error("'" + text + "' is not a " + what);
    return {words[0], words[1]};
}

template <std::size_t n>
std::size_t index_of(const std::string& name, const char* const (&names)[n], const char* what)
{
    for(std::size_t i = 0; i < n; ++i)
        if(!name.empty() && name == names[i])
            return i;
    std::string all;
    for(const char* const known : names)
        if(*known != 0)
            all += (all.empty() ? "" : ", ") + std::string(known);
    throw std::runtime_error("'" + name + "' is not a " + what + "; there are " + all);
}

Pipeline pipeline_of(const std::string& name)
{
    for(int p = 0; p <= static_cast<int>(Pipeline::intra_block_split_k); ++p)
        if(name == pipeline_name(static_cast<Pipeline>(p)))
            return static_cast<Pipeline>(p);
    throw std::runtime_error("'" + name + "' is not a pipeline");
}

/// Reads a line from "tensor_maps dw, n 128" and "0, 1.3".
LineOf line_from(const std::string& key, const std::string& value)
{
    const std::vector<std::string> asked = split(key, ','), numbers = split(value, ',');
    LineOf line{};
    if(asked.empty() || asked.size() > line.conditions.size() + 1)
        throw std::runtime_error("'" + key + "' has no pipeline, or too many conditions");
    const auto [pipeline, computes] = two_words(asked[0], "pipeline and what it computes");
    line.pipeline                   = pipeline_of(pipeline);
    line.computes =
        static_cast<Computes>(index_of(computes, computes_names, "name of what is computed"));
    for(std::size_t i = 1; i < asked.size(); ++i)
    {
        const auto [fact, is]  = two_words(asked[i], "condition");
        line.conditions[i - 1] = {static_cast<Fact>(index_of(fact, fact_names, "fact")),
                                  whole_number(is)};
    }
    if(numbers.size() != 2)
        throw std::runtime_error("'" + value + "' is not a start and factor");
    line.line = {number_of_line(numbers[0]), number_of_line(numbers[1])};
    if(!(line.line.factor > 0))
        throw std::runtime_error("the factor is " + numbers[1] + ", but must be above 0");
    return line;
}

Computed computed_by(const KernelFacts& kernel)
{
    return kernel.direction == Direction::forward         ? Computed::y
           : kernel.direction == Direction::backward_data ? Computed::dx
                                                          : Computed::dw;
}

/// The thread's; null: it predicts by what is in use.
thread_local const OneCalibration* of_thread = nullptr;

const std::shared_ptr<const Calibration> none;

/// What is in use. Never freed, since threads may read it.
struct InUse
{
    std::shared_ptr<const Calibration> calibration;
    std::vector<int> devices;
};
std::atomic<const InUse*> in_use{nullptr};

/// The calibration that the thread predicts by; null if there is none.
const std::shared_ptr<const Calibration>& current()
{
    if(of_thread != nullptr)
        return of_thread->get();
    const InUse* const used = in_use.load(std::memory_order_acquire);
    if(used == nullptr)
        return none;
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    return std::find(used->devices.begin(), used->devices.end(), device) == used->devices.end()
               ? none
               : used->calibration;
}

} // namespace

Calibration read_calibration(std::istream& in)
{
    Calibration read;
    auto lines = std::make_shared<CalibrationLines>();
    std::string section;
    int count        = 0;
    const auto entry = [&](const std::string& text) {
        const std::size_t equals = text.find('=');
        if(equals == text.npos || section.empty())
            throw std::runtime_error("'" + text + "' is not a `name = value` of a section");
        const std::string key   = trimmed(text.substr(0, equals)),
                          value = trimmed(text.substr(equals + 1));
        if(section == "[lines]")
            lines->all.push_back(line_from(key, value));
        else if(key == "name")
            read.device = value;
        else if(key == "mhz")
            read.mhz = number(value);
        else
            throw std::runtime_error("'" + key + "' is not of [device], which has name and mhz");
    };
    for(std::string text; std::getline(in, text);)
    {
        ++count;
        text = trimmed(text.substr(0, text.find('#')));
        try
        {
            if(text.starts_with('['))
            {
                if(text != "[device]" && text != "[lines]")
                    throw std::runtime_error("'" + text +
                                             "' is not a section; there are [device] and [lines]");
                section = text;
            }
            else if(!text.empty())
                entry(text);
        }
        catch(const std::runtime_error& e)
        {
            throw std::runtime_error(std::to_string(count) + ": " + e.what());
        }
    }
    if(in.bad())
        throw std::runtime_error(" cannot be read");
    if(read.device.empty() || !(read.mhz > 0))
        throw std::runtime_error(std::to_string(count) +
                                 ": it ends, but [device] has no name, or no mhz above 0");
    read.lines = std::move(lines);
    return read;
}

void use_calibration(std::shared_ptr<const Calibration> lines, const std::vector<int>& devices)
{
    in_use.store(lines == nullptr ? nullptr : new InUse{std::move(lines), devices},
                 std::memory_order_release);
}

std::shared_ptr<const Calibration> calibration_in_use() { return current(); }

OneCalibration::OneCalibration(std::shared_ptr<const Calibration> calibration)
    : calibration_(of_thread != nullptr ? of_thread->get() : std::move(calibration)),
      outer_(of_thread)
{
    of_thread = this;
}
OneCalibration::~OneCalibration() { of_thread = outer_; }

double calibrated(const KernelFacts& kernel, long_index_t groups, double cycles)
{
    const Calibration* const used = current().get();
    if(used == nullptr || cycles <= 0)
        return cycles;
    for(const LineOf& line : used->lines->all)
        if(line.is_for(kernel.tuning, computed_by(kernel), groups > 1))
            return std::max(1., line.line.at(cycles));
    return cycles;
}

std::string line_key(const KernelFacts& kernel)
{
    return std::string(pipeline_name(kernel.tuning.pipeline)) + ' ' +
           computes_names[static_cast<std::size_t>(computed_by(kernel))];
}

void calibrate_predictions(ConvKernel& kernel)
{
    const KernelFacts* const facts = kernel.facts;
    if(facts == nullptr)
        return;
    kernel.predict = [facts, predict = std::move(kernel.predict)](const ConvArgument& a) {
        return calibrated(*facts, a.problem.groups, predict(a));
    };
    kernel.predict_if_supported =
        [facts, predict = std::move(kernel.predict_if_supported)](const AskedArgument& asked) {
            std::optional<double> cycles = predict(asked);
            if(cycles)
                cycles = calibrated(*facts, asked.argument.problem.groups, *cycles);
            return cycles;
        };
}

} // namespace ck::tensor_operation::device::instance
