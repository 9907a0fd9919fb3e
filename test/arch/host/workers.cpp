// The pool of threads: forked children, tasks that throw anything, systems without threads. The
// memory of clang 14's sanitizers is not for processes that fork while other threads take some.
//
// Cases not sanitized: Workers.*Finish Workers.FirstRunsOfChildrenMayBeForked
#include "ck/arch/host/workers.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using ck::index_t;
using ck::arch::host::Workers;
using namespace std::chrono_literals;

/// Whether each task of a run has run once. Takes no memory: other threads may be forking.
bool runs(index_t threads, index_t count)
{
    std::atomic<index_t> sum{0};
    Workers::instance().run(
        count,
        threads,
        [](void* p, index_t i) { *static_cast<std::atomic<index_t>*>(p) += i + 1; },
        &sum);
    return sum == count * (count + 1) / 2;
}

constexpr int late = -1;

/// The child's exit status; `late`, and the child is killed, after the time limit.
int status_of(pid_t child, std::chrono::seconds limit = 60s)
{
    int status     = 0;
    const auto end = std::chrono::steady_clock::now() + limit;
    while(waitpid(child, &status, WNOHANG) == 0)
    {
        if(std::chrono::steady_clock::now() > end)
        {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return late;
        }
        std::this_thread::sleep_for(200us);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// f() in a child, which ends with its result.
template <class F>
pid_t in_child(const F& f)
{
    const pid_t child = fork();
    if(child == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // none outlives a parent that is killed
        _exit(f());
    }
    return child;
}

/// Keeps two threads in run() as long as it lives.
class Busy
{
public:
    explicit Busy(index_t threads)
    {
        for(std::thread& thread : callers_)
            thread = std::thread([this, threads] {
                while(!stop_)
                    sound_ = runs(threads, 200) && sound_;
            });
    }
    ~Busy() { end(); }
    /// Whether every run was right.
    bool end()
    {
        stop_ = true;
        for(std::thread& thread : callers_)
            if(thread.joinable())
                thread.join();
        return sound_;
    }

private:
    std::atomic<bool> stop_{false}, sound_{true};
    std::thread callers_[2];
};

/// Forks of each number of threads: CK_TEST_FORKS, else enough to see the fault in most runs.
int forks()
{
    const char* const text = std::getenv("CK_TEST_FORKS");
    return text == nullptr ? 400 : std::atoi(text);
}

} // namespace

TEST(Workers, ChildrenOfBusyProcessesFinish)
{
    for(const index_t threads : {2, 4, 16, 64})
    {
        Busy busy(threads);
        int failed = 0, begun = 0;
        while(begun < forks() && failed == 0)
        {
            std::vector<pid_t> children;
            for(; children.size() < 8; ++begun)
                children.push_back(in_child([&] {
                    for(int i = 0; i < 3; ++i)
                        if(!runs(threads, 100))
                            return 1;
                    return 0;
                }));
            for(const pid_t child : children)
                failed += status_of(child, failed == 0 ? 60s : 1s) != 0;
        }
        EXPECT_EQ(failed, 0) << "of the last 8 of " << begun << " children, " << threads
                             << " threads";
        EXPECT_TRUE(busy.end()) << "the parent's own runs";
    }
}

TEST(Workers, ChildrenOfChildrenFinish)
{
    struct Generation
    {
        static int run(int left)
        {
            Busy busy(4);
            if(!runs(4, 100))
                return 1;
            const int below = left == 0 ? 0 : status_of(in_child([&] { return run(left - 1); }));
            return busy.end() ? below : 2;
        }
    };
    EXPECT_EQ(status_of(in_child([] { return Generation::run(6); })), 0);
}

// A library that is loaded again makes its first pool while another thread forks.
TEST(Workers, FirstRunsOfChildrenMayBeForked)
{
    for(int i = 0; i < 50; ++i)
        EXPECT_EQ(status_of(in_child([] {
                      std::thread first([] { runs(4, 100); });
                      const int status =
                          status_of(in_child([] { return runs(4, 100) ? 0 : 1; }), 30s);
                      first.join();
                      return status == late ? 9 : status;
                  })),
                  0);
}

TEST(Workers, ChildOfATaskIsToldWhatItLacks)
{
    struct Shared
    {
        std::thread::id caller = std::this_thread::get_id();
        std::atomic<bool> forked{false};
        pid_t child = -1;
    } shared;
    const auto task = [](void* p, index_t) {
        Shared& s = *static_cast<Shared*>(p);
        if(std::this_thread::get_id() != s.caller)
            while(!s.forked)
                std::this_thread::yield();
        else if(!s.forked)
        {
            s.child  = fork();
            s.forked = true;
        }
    };
    std::string why;
    try
    {
        Workers::instance().run(64, 4, task, &shared);
    }
    catch(const std::logic_error& e)
    {
        why = e.what();
    }
    if(shared.child == 0)
        _exit(why.find("a kernel has forked the process") == 0 ? 0 : 1);
    EXPECT_EQ(why, "") << "the parent finishes";
    EXPECT_EQ(status_of(shared.child), 0);
}

TEST(Workers, CarryWhatATaskThrows)
{
    for(const index_t threads : {1, 8})
    {
        EXPECT_THROW(Workers::instance().run(
                         100,
                         threads,
                         [](void*, index_t i) {
                             if(i == 40)
                                 throw 7;
                         },
                         nullptr),
                     int);
        EXPECT_TRUE(runs(threads, 100));
    }
}

TEST(Workers, DoWithoutThreadsThatTheSystemLacks)
{
    EXPECT_EQ(status_of(in_child([] {
                  constexpr uid_t nobody = 65534;
                  if(geteuid() == 0 && setuid(nobody) != 0) // root has no limit
                      return 2;
                  const rlimit none{0, 0};
                  if(setrlimit(RLIMIT_NPROC, &none) != 0)
                      return 3;
                  try
                  {
                      std::thread([] {}).join();
                      return 4; // the system does not keep the limit
                  }
                  catch(const std::system_error&)
                  {}
                  return runs(4, 100) ? 0 : 1;
              })),
              0);
}
