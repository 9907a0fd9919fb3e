#pragma once
// A machine file of the test's own.
#include "ck/tensor_operation/gpu/conv/operation/type_string.hpp"

#include "conv/machine.hpp"
#include "conv/tuning_folder.hpp"

namespace ck::conv_test {

/// A folder in which CK_MACHINE is, and CK_TUNING_DB; nothing is known while one begins or ends.
class MachineFolder : public TuningFolder
{
protected:
    MachineFolder()
    {
        setenv("CK_MACHINE", file().c_str(), 1);
        begin();
    }
    ~MachineFolder() override
    {
        unsetenv("CK_MACHINE");
        begin();
    }
    static void begin()
    {
        conv::forget_machine_file();
        begin_anew();
    }
    std::string file() const { return (folder_ / "machine.ini").string(); }
    void write_file(const std::string& text) const { std::ofstream(file()) << text; }

    /// The text of a file by which all kernels take 20 times as long as predicted, on this device.
    static std::string twenty_times()
    {
        using namespace tensor_operation::device;
        std::string text = "[device]\nname = " + conv::device_text() + "\nmhz = 1\n[lines]\n";
        for(int p = 0; p <= static_cast<int>(Pipeline::intra_block_split_k); ++p)
            text += std::string(pipeline_name(static_cast<Pipeline>(p))) + " all = 0, 20\n";
        return text;
    }
};

} // namespace ck::conv_test
