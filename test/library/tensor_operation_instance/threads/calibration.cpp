// Threads that make plans while others read, write and forget the machine's file, and calibrate.
// The thread sanitizer watches them in script/test host-threads.
#include "tensor_operation_instance/calibration.hpp"

#include "ck/calibrate.hpp"

#include "conv/machine_folder.hpp"
#include <atomic>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

namespace ck::conv_test {
namespace {

constexpr std::size_t planners = 4, specs = 12;

ConvSpec spec_number(std::size_t i)
{
    return {.direction = static_cast<Direction>(i % 3),
            .type      = DataType::f16,
            .n         = 1 + static_cast<long_index_t>(i),
            .k         = 64,
            .c         = 32,
            .input     = {14, 14},
            .filter    = {3, 3},
            .pads      = {{1, 1}, {1, 1}}};
}

} // namespace

class CalibrationInThreads : public MachineFolder
{
protected:
    /// Adds the kernel that each spec has now to those that it may have.
    void add_choices()
    {
        begin();
        for(std::size_t i = 0; i < specs; ++i)
            choices_[i].insert(plan(spec_number(i)).kernel());
    }

    std::set<std::string> choices_[specs];
};

TEST_F(CalibrationInThreads, EachPlanIsByOneFile)
{
    add_choices();
    write_file(twenty_times());
    add_choices();
    std::atomic<std::size_t> done = 0, plans = 0, wrong = 0;
    std::vector<std::thread> all;
    for(std::size_t t = 0; t < planners; ++t)
        all.emplace_back([&, t] {
            for(std::size_t i = 0; i < 25 * specs; ++i, ++plans)
            {
                const std::size_t number = (i + 5 * t) % specs;
                clear_plan_cache();
                wrong += !choices_[number].contains(plan(spec_number(number)).kernel());
            }
            ++done;
        });
    const std::string away = file() + ".away";
    all.emplace_back([&] { // the file comes and goes
        for(bool is_away = false; done < planners; is_away = !is_away)
        {
            fs::rename(is_away ? away : file(), is_away ? file() : away);
            conv::forget_machine_file();
            static_cast<void>(conv::use_machine_file());
        }
    });
    all.emplace_back([&] { // as plans on other devices do
        namespace instance = tensor_operation::device::instance;
        std::istringstream in(twenty_times());
        const auto twenty =
            std::make_shared<const instance::Calibration>(instance::read_calibration(in));
        for(bool is_used = false; done < planners; is_used = !is_used)
        {
            instance::use_calibration(is_used ? twenty : nullptr, {0});
            std::this_thread::sleep_for(std::chrono::microseconds(1));
        }
    });
    all.emplace_back([&] {
        CalibrateOptions o;
        o.specs    = {spec_number(0), spec_number(1), spec_number(2)};
        o.path     = (folder_ / "of_another.ini").string();
        o.progress = [](const std::string&) {};
        o.time     = [](const ConvSpec&, const std::string&, double cycles) { return cycles; };
        while(done < planners)
            wrong += calibrate(o).times == 0;
    });
    for(std::thread& thread : all)
        thread.join();
    EXPECT_EQ(plans, planners * 25 * specs);
    EXPECT_EQ(wrong, 0u);
}

} // namespace ck::conv_test
