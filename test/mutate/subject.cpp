// What test_mutate.py mutates: each mutant prints something else, or ends otherwise.
#include <array>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

#if defined(CK_PLATFORM_AMD)
int not_compiled() { return 1 + 2; }
#endif

constexpr int twice(int n) { return n * 2; }
static_assert(twice(3) == 6);

template <class T, int more = 1>
struct Sum
{
    T all{};
    void add(T value) { all += value + more; }
};

int middle(const std::vector<int>& values, int low, int high)
{
    if(low > high)
        throw std::runtime_error("low is above high");
    int n = 0;
    for(const int value : values)
        if(low <= value && value < high)
            n = 10 * n + value;
    return n;
}

} // namespace

int main()
try
{
    constexpr std::array<int, 2> ends{2, 5}; // constants: no places
    Sum<int> sum;
    for(int i = 0; i < 4; ++i)
        sum.add(i);
    const bool one_left = sum.all % 3 == 1;
    std::printf("%d %s %d %d %d\n",
                sum.all,
                one_left ? "yes" : "no",
                middle({2, 5, 1, 4, 9}, ends[0], ends[1]),
                middle({}, 3, 3),
                twice(sum.all));
    middle({}, 2, 1);
}
catch(const std::exception& e)
{
    std::puts(e.what());
}
