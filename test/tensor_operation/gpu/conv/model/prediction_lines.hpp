#pragma once
// Lines of clock cycles that models predict, compared with those of a file.
#include "ck/tensor_operation/gpu/grid/gemm_tuning.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ck::tensor_operation::device {

class Lines
{
public:
    void add(const std::string& line) { text_ += line + '\n'; }
    void add(const std::string& what, double cycles) { add(what + ' ' + number(cycles)); }
    static std::string number(double cycles)
    {
        char text[32];
        std::snprintf(text, sizeof text, "%.7g", cycles);
        return text;
    }

    /// The launch as it is, each of its numbers doubled, and the same with the bytes times `much`.
    template <class Launch, class Predict>
    void vary(const std::string& name,
              Launch launch,
              std::vector<std::pair<const char*, double Launch::*>> fields,
              double much,
              const Predict& predict)
    {
        for(const char* const regime : {" computing", " moving"})
        {
            std::string line = name + regime + ' ' + number(predict(launch));
            for(const auto& [field, member] : fields)
            {
                Launch doubled = launch;
                doubled.*member *= 2;
                line += std::string(", 2 ") + field + ' ' + number(predict(doubled));
            }
            add(line);
            launch.bytes *= much;
        }
    }

    /// Compares them with the file of that name beside this one, or writes it, where
    /// CK_WRITE_PREDICTIONS is set.
    void compare(const std::string& name) const
    {
        const std::string file = CK_PREDICTIONS + ('/' + name);
        if(std::getenv("CK_WRITE_PREDICTIONS") != nullptr)
            std::ofstream(file) << text_;
        std::ifstream in(file);
        std::istringstream now(text_);
        std::string expected, got;
        int different = 0;
        while(std::getline(now, got))
        {
            if(!std::getline(in, expected))
                expected = "nothing";
            if(expected != got && ++different <= 20)
                ADD_FAILURE() << "it was " << expected << "\n but is " << got;
        }
        EXPECT_FALSE(std::getline(in, expected)) << expected << " is no more";
        EXPECT_EQ(different, 0) << "CK_WRITE_PREDICTIONS=1 writes " << file
                                << " anew, where a model is meant to change";
    }

private:
    std::string text_;
};

constexpr GemmTuning any_row(arch::Matrix i,
                             Tile tile,
                             index_t wave_m,
                             index_t wave_n,
                             Pipeline pipeline = Pipeline::single_buffer)
{
    return {.block_tile  = tile,
            .wave_m      = wave_m,
            .wave_n      = wave_n,
            .instruction = i,
            .a_vector    = 8,
            .b_vector    = 4,
            .c_vector    = 2,
            .pipeline    = pipeline};
}
template <class Change>
constexpr GemmTuning changed(GemmTuning t, const Change& change)
{
    change(t);
    return t;
}

} // namespace ck::tensor_operation::device
