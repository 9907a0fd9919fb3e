// The machine's file: where it is, and for which devices.
#include "conv/machine.hpp"

#include "ck/calibrate.hpp"
#include "ck/tune.hpp"

#include "conv/prepared.hpp"
#include "conv/tuning.hpp"
#include "tensor_operation_instance/calibration.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <vector>

namespace ck {

std::string machine_file()
{
    if(const char* const path = std::getenv("CK_MACHINE"))
        return path;
    const std::string database = tuning_database();
    return database.empty()
               ? ""
               : (std::filesystem::path(database).parent_path() / "machine.ini").string();
}

} // namespace ck

namespace ck::conv {

namespace {

namespace instance = tensor_operation::device::instance;

struct MachineFile
{
    std::mutex mutex;
    bool is_read = false;
    std::shared_ptr<const instance::Calibration> read; ///< null: there is none, or it is wrong
    std::vector<int> asked, devices; ///< devices that were looked at; those that it is for
};

MachineFile& the_file()
{
    static auto* const file = new MachineFile; // threads may outlive static objects
    return *file;
}

void say(const std::string& text)
{
    std::fprintf(stderr, "ck: the machine's file %s\n", text.c_str());
}

std::shared_ptr<const instance::Calibration> read(const std::string& path)
{
    std::error_code error;
    if(path.empty() || !std::filesystem::exists(path, error))
        return nullptr;
    std::ifstream in(path);
    try
    {
        if(!in)
            throw std::runtime_error(" cannot be opened");
        auto calibration  = std::make_shared<instance::Calibration>(instance::read_calibration(in));
        calibration->path = path;
        return calibration;
    }
    catch(const std::runtime_error& e)
    {
        say(path + ':' + e.what() + "; the built-in predictions stand");
        return nullptr;
    }
}

} // namespace

std::shared_ptr<const instance::Calibration> use_machine_file()
{
    const int device  = current_device();
    MachineFile& file = the_file();
    const std::lock_guard lock(file.mutex);
    if(!file.is_read)
        file.read = read(machine_file());
    file.is_read   = true;
    const auto has = [device](const std::vector<int>& devices) {
        return std::find(devices.begin(), devices.end(), device) != devices.end();
    };
    if(file.read != nullptr && !has(file.asked))
    {
        file.asked.push_back(device);
        if(const std::string here = device_text(); here == file.read->device)
        {
            file.devices.push_back(device);
            instance::use_calibration(file.read, file.devices);
        }
        else
            say(file.read->path + " is for '" + file.read->device + "', but this is '" + here +
                "': the built-in predictions stand");
    }
    return has(file.devices) ? file.read : nullptr;
}

void forget_machine_file()
{
    MachineFile& file = the_file();
    const std::lock_guard lock(file.mutex);
    file.is_read = false;
    file.read    = nullptr;
    file.asked.clear();
    file.devices.clear();
    instance::use_calibration(nullptr, {});
}

} // namespace ck::conv
