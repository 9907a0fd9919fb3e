// The verification of the examples fails on wrong results, and on right ones it does not.
#include "common/verify.hpp"
#include <functional>
#include <limits>

namespace {

/// Whether `change` of a result passes whose right values are 0, 1/4, 2/4 ... 19/4, or as many
/// integers.
template <class T>
bool passes(const example::Sums& sums, const std::function<void(Tensor<T>&)>& change)
{
    Tensor<double> expected({4, 5});
    for(std::size_t i = 0; i < expected.size(); ++i)
        expected.mData[i] = static_cast<double>(i) / (sums.integers ? 1 : 4);
    Tensor<T> result(expected);
    change(result);
    return example::verify<T>(result, expected, sums);
}

template <class T>
int failures()
{
    int count      = 0;
    const auto set = [](std::size_t i, float value) {
        return [i, value](Tensor<T>& result) { result.mData[i] = ck::type_convert<T>(value); };
    };
    for(const bool integers : {true, false})
        for(const bool keeps : {true, false})
        {
            const example::Sums sums{12, integers ? 25. : .5, integers, keeps, 1};
            const auto expect =
                [&](const char* what, bool wanted, const std::function<void(Tensor<T>&)>& change) {
                    if(passes<T>(sums, change) == wanted)
                        return;
                    std::cout << "WRONG: " << what << (wanted ? " did not pass\n" : " passed\n");
                    ++count;
                };
            const float last = integers ? 19.f : 4.75f;
            expect("the right result", true, [](Tensor<T>&) {});
            expect("an error of 1", false, set(19, last + 1));
            expect("a small error", false, set(19, last + (integers ? .5f : .0625f)));
            expect("an error where the result is 0", false, set(0, .0625f));
            expect("a NaN", false, set(0, std::nanf("")));
            expect("an infinity", false, set(0, std::numeric_limits<float>::infinity()));
        }
    return count;
}

/// What does not fit the type must be what conversion makes of it, and nothing else.
int failures_beyond_the_range()
{
    const auto passes = [](float got) {
        Tensor<double> expected({1});
        expected.mData[0] = 1000;
        Tensor<std::int8_t> result({1});
        result.mData[0] = ck::type_convert<std::int8_t>(got);
        return example::verify<std::int8_t>(result, expected, {12, 100, true, true, 1});
    };
    return !passes(-24) + passes(-23) + passes(127);
}

} // namespace

int main()
{
    return failures<float>() + failures<ck::half_t>() + failures<ck::bhalf_t>() +
                       failures_beyond_the_range() ==
                   0
               ? 0
               : 1;
}
