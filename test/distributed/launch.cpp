// What launchers tell programs, and what a program does that no launcher has started.
#include "ck/distributed/launch.hpp"

#include "ck/arch/target.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include <list>
#include <map>
#include <utility>

namespace {

using namespace ck::distributed;

/// An environment with these variables alone of those that are read; the old one comes back.
class Environment
{
public:
    explicit Environment(const std::map<std::string, std::string>& variables)
    {
        for(const char* name : {"RANK",
                                "WORLD_SIZE",
                                "LOCAL_RANK",
                                "OMPI_COMM_WORLD_RANK",
                                "OMPI_COMM_WORLD_SIZE",
                                "OMPI_COMM_WORLD_LOCAL_RANK",
                                "PMI_RANK",
                                "PMI_SIZE",
                                "MPI_LOCALRANKID",
                                "SLURM_PROCID",
                                "SLURM_NTASKS",
                                "SLURM_LOCALID",
                                "SLURM_STEP_ID",
                                "MASTER_ADDR",
                                "MASTER_PORT"})
        {
            const auto at = variables.find(name);
            set_.emplace_back(name,
                              at == variables.end() ? std::nullopt : std::optional(at->second));
        }
    }

private:
    std::list<ck::test::EnvironmentVariable> set_;
};

std::string text(const std::map<std::string, std::string>& variables)
{
    const Environment environment(variables);
    try
    {
        const Place p = place_from_environment();
        return p.launcher + ' ' + std::to_string(p.rank) + '/' + std::to_string(p.size) + ' ' +
               std::to_string(p.local_rank) + ' ' + p.address + ':' + std::to_string(p.port);
    }
    catch(const std::invalid_argument& e)
    {
        return e.what();
    }
}

TEST(Launch, ReadsEachLaunchersVariables)
{
    EXPECT_EQ(text({}), " 0/1 0 :0");
    EXPECT_EQ(text({{"RANK", "5"},
                    {"WORLD_SIZE", "16"},
                    {"LOCAL_RANK", "1"},
                    {"MASTER_ADDR", "node0"},
                    {"MASTER_PORT", "29500"}}),
              "torchrun 5/16 1 node0:29500");
    EXPECT_EQ(text({{"OMPI_COMM_WORLD_RANK", "1"},
                    {"OMPI_COMM_WORLD_SIZE", "2"},
                    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}}),
              "mpirun 1/2 1 :0");
    EXPECT_EQ(text({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), "mpirun 3/4 0 :0");
    const std::map<std::string, std::string> task{
        {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "2"}};
    EXPECT_EQ(text(task), " 0/1 0 :0") << "a batch script is not a rank";
    auto step             = task;
    step["SLURM_STEP_ID"] = "0";
    EXPECT_EQ(text(step), "srun 2/8 2 :0");
}

/// Under srun, torchrun and mpirun start processes of their own.
TEST(Launch, OfSeveralLaunchersTheInnermostCounts)
{
    std::map<std::string, std::string> all{{"RANK", "5"},
                                           {"WORLD_SIZE", "16"},
                                           {"OMPI_COMM_WORLD_RANK", "1"},
                                           {"OMPI_COMM_WORLD_SIZE", "4"},
                                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                           {"PMI_RANK", "3"},
                                           {"PMI_SIZE", "8"},
                                           {"SLURM_PROCID", "2"},
                                           {"SLURM_NTASKS", "9"},
                                           {"SLURM_LOCALID", "2"},
                                           {"SLURM_STEP_ID", "0"}};
    EXPECT_EQ(text(all), "torchrun 5/16 0 :0");
    all.erase("RANK"), all.erase("WORLD_SIZE");
    EXPECT_EQ(text(all), "mpirun 1/4 1 :0");
    all.erase("OMPI_COMM_WORLD_RANK"), all.erase("OMPI_COMM_WORLD_SIZE");
    EXPECT_EQ(text(all), "mpirun 3/8 0 :0");
    all.erase("PMI_RANK"), all.erase("PMI_SIZE");
    EXPECT_EQ(text(all), "srun 2/9 2 :0");
}

TEST(Launch, RefusesWhatMakesNoSense)
{
    EXPECT_EQ(text({{"RANK", "5"}}), "WORLD_SIZE is not set, but others of its kind are");
    EXPECT_EQ(text({{"WORLD_SIZE", "5"}}), "RANK is not set, but others of its kind are");
    EXPECT_EQ(text({{"RANK", "2"}, {"WORLD_SIZE", "2"}}),
              "RANK is '2', but must be a number from 0 to 1");
    EXPECT_EQ(text({{"RANK", "0"}, {"WORLD_SIZE", "two"}}),
              "WORLD_SIZE is 'two', but must be a number from 1 to 1048576");
    EXPECT_EQ(text({{"MASTER_PORT", "99999"}}),
              "MASTER_PORT is '99999', but must be a number from 1 to 65535");
}

TEST(Launch, KnowsWhetherRanksHaveGpus)
{
    EXPECT_EQ(on_gpus(), !ck::arch::emulated) << "this source is in the GPU's language";
}

TEST(Launch, RunsThreadsWithoutALauncher)
{
    const Environment environment({});
    int ranks = 0;
    EXPECT_EQ(run(3,
                  [&](Communicator& c) {
                      if(c.rank() == 0)
                          ranks = c.size();
                  }),
              0);
    EXPECT_EQ(ranks, 3);
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(2,
                  [](Communicator& c) {
                      if(c.rank() == 1)
                          throw std::runtime_error("out of memory");
                      c.barrier();
                  }),
              1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "out of memory\n");
}

TEST(Launch, CarriesWhatARankThrows)
{
    const Environment environment({});
    testing::internal::CaptureStderr();
    EXPECT_EQ(run(2,
                  [](Communicator& c) {
                      if(c.rank() == 0)
                          throw 7;
                      c.barrier();
                  }),
              1);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "it threw no std::exception\n");
}

TEST(Launch, SaysWhyItDoesNotRun)
{
    const auto message = [](const std::map<std::string, std::string>& variables, int ranks) {
        const Environment environment(variables);
        testing::internal::CaptureStderr();
        EXPECT_EQ(run(ranks, [](Communicator&) { FAIL() << "it ran"; }), 1);
        return testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(message({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, 3),
              "3 ranks are asked for, but mpirun has started 2\n");
    EXPECT_EQ(message({}, 0), "0 ranks in one process, but must be 1 to 1024\n");
    EXPECT_EQ(message({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, 1),
              "RANK is '2', but must be a number from 0 to 1\n");
    if(!on_gpus())
    {
        EXPECT_EQ(message({{"RANK", "1"}, {"WORLD_SIZE", "2"}}, 1),
                  "rank 1: RANK and WORLD_SIZE are those of processes with GPUs, but this program "
                  "was built for CPUs: start it with mpirun\n");
    }
    if(has_nccl())
        return;
    const std::string why = message({{"RANK", "1"}, {"WORLD_SIZE", "2"}}, 1);
    EXPECT_EQ(why.find("rank 1: "), 0u) << why;
}

} // namespace
