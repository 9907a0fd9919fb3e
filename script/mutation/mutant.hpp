// Which mutant a program of script/mutate is, and the file that says which ones it came by.
#ifndef CK_MUTANT_HPP
#define CK_MUTANT_HPP
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <type_traits>
#include <unistd.h>

namespace ck_mutant {

inline void note(int number)
{
    static const char* const file = std::getenv("CK_MUTANT_REACHED");
    static unsigned char noted[1 << 16];
    if(file == nullptr || noted[number] != 0)
        return;
    noted[number] = 1;
    char line[16];
    const int length = std::snprintf(line, sizeof line, "%d\n", number);
    const int out    = ::open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if(out < 0 || ::write(out, line, static_cast<std::size_t>(length)) != length)
        std::abort();
    ::close(out);
}

/// A function for each mutant: a program has the ones whose places are compiled into it.
template <int number>
__attribute__((noinline)) bool is()
{
    static const char* const text = std::getenv("CK_MUTANT");
    static const int chosen       = text == nullptr ? 0 : std::atoi(text);
    note(number);
    return chosen == number;
}

/// In a function that runs while compiling, too: there no mutant is chosen.
template <int number>
constexpr bool is_at_run_time()
{
    return !std::is_constant_evaluated() && is<number>();
}

} // namespace ck_mutant
#endif
