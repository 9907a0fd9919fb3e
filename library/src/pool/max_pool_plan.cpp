// Max pooling: what its plans refuse.
#include "ck/max_pool.hpp"

#include "norm/rules.hpp"
#include "pool/max_pool_launches.hpp"

namespace ck {

namespace {

constexpr long_index_t most_length  = std::numeric_limits<index_t>::max();
constexpr const char* dimensions[3] = {"depth", "height", "width"};

/// The rules of one dimension. Numbers are at most 2^31 - 1, so that none of these sums overflows.
void check(const MaxPoolSpec& s, std::size_t d, const norm::SpecRules& rules)
{
    const std::string of = std::string(" of ") + dimensions[d];
    const auto within    = [&](const char* field, long_index_t value, long_index_t least) {
        if(value < least || value > most_length)
            rules.refuse(field + of + " is " + norm::text(value) + ", but must be from " +
                         norm::text(least) + " to " + norm::text(most_length));
    };
    within("input", s.input[d], 1), within("window", s.window[d], 1);
    within("strides", s.strides[d], 1), within("pads", s.pads[d], 0);
    within("dilations", s.dilations[d], 1), within("output", s.output[d], 1);
    const long_index_t reach = (s.window[d] - 1) * s.dilations[d];
    if(reach + s.input[d] > most_length)
        rules.refuse("a window" + of + " reaches over " + norm::text(reach + 1) +
                     " pixels, which with input must be at most " + norm::text(most_length));
    if(s.pads[d] > reach)
        rules.refuse("pads" + of + " is " + norm::text(s.pads[d]) +
                     ", but the first window would reach only to pixel " +
                     norm::text(reach - s.pads[d]));
    if(const long_index_t last = (s.output[d] - 1) * s.strides[d] - s.pads[d]; last >= s.input[d])
        rules.refuse("output" + of + " is " + norm::text(s.output[d]) +
                     ", but its last window would begin at pixel " + norm::text(last) + " of " +
                     norm::text(s.input[d]));
    for(long_index_t o = 0; o * s.strides[d] < s.pads[d]; ++o) // windows that begin before
    {
        const long_index_t before = s.pads[d] - o * s.strides[d],
                           tap    = (before - 1) / s.dilations[d] + 1;
        if(tap >= s.window[d] || tap * s.dilations[d] - before >= s.input[d])
            rules.refuse("window " + norm::text(o) + of + " has no tap in the input of " +
                         norm::text(s.input[d]) + " pixels");
    }
}

/// Elements of x or y; refuses more than 2^48, and more threads than a launch has.
void check_size(const MaxPoolSpec& s,
                const char* field,
                const MaxPoolSpec::Lengths& lengths,
                const norm::SpecRules& rules)
{
    constexpr long_index_t most = most_length * 64;
    long_index_t elements       = s.images;
    for(const long_index_t n : {lengths[0], lengths[1], lengths[2], s.channels})
    {
        if(elements > most / n)
            rules.refuse(std::string("images, channels and ") + field +
                         " have more than 2^37 elements together");
        elements *= n;
    }
}

void check(const MaxPoolSpec& s)
{
    const norm::SpecRules rules("MaxPoolSpec");
    rules.type(s.type);
    rules.at_least_one("images", s.images);
    rules.channels(s.channels);
    rules.alignment(s.alignment, s.type);
    for(std::size_t d = 0; d < 3; ++d)
        check(s, d, rules);
    check_size(s, "input", s.input, rules);
    check_size(s, "output", s.output, rules);
}

norm::TensorRules rules_of(const MaxPoolSpec& s, const char* call)
{
    return {"MaxPool", call, s.type, s.alignment};
}

/// A byte has the number of a tap.
void check_taps(const MaxPoolSpec& s, const norm::TensorRules& rules, const void* taps)
{
    if(taps == nullptr)
        return;
    rules.as_elements("taps", taps, DataType::f64); // a thread stores at most 8
    long_index_t count = 1;
    for(const long_index_t n : s.window)
        if((count *= n) > 256)
            rules.refuse("taps are given, but a window has more than 256");
}

} // namespace

MaxPoolPlan::MaxPoolPlan(const MaxPoolSpec& spec) : spec_(spec) { check(spec); }

void MaxPoolPlan::forward(const MaxPoolTensors& t) const
{
    const norm::TensorRules rules = rules_of(spec_, "forward");
    rules.needs("x", t.x), rules.needs("y", t.y);
    rules.tensor("x", t.x), rules.tensor("y", t.y);
    check_taps(spec_, rules, t.taps);
    pool::forward(spec_, t);
}

void MaxPoolPlan::backward(const MaxPoolTensors& t) const
{
    const norm::TensorRules rules = rules_of(spec_, "backward");
    rules.needs("dy", t.dy), rules.needs("taps", t.taps), rules.needs("dx", t.dx);
    rules.tensor("dy", t.dy), rules.tensor("dx", t.dx);
    check_taps(spec_, rules, t.taps);
    pool::backward(spec_, t);
}

} // namespace ck
