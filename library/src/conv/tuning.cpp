// Keys of measurements, and the in-memory copy of the database.
#include "conv/tuning.hpp"

#include "ck/host_utility/device_prop.hpp"
#include "ck/library/tensor_operation_instance/registry.hpp"
#include "ck/tune.hpp"
#include "ck/version.h"

#include "conv/tuning_file.hpp"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace ck {

std::string tuning_database()
{
    if(const char* const path = std::getenv("CK_TUNING_DB"))
        return path;
    const auto below = [](const char* variable, const char* path) -> std::string {
        const char* const folder = std::getenv(variable);
        return folder != nullptr && *folder == '/' ? std::string(folder) + path : "";
    };
    const std::string path = below("XDG_CACHE_HOME", "/ck_conv/tuning.sqlite3");
    return path.empty() ? below("HOME", "/.cache/ck_conv/tuning.sqlite3") : path;
}

} // namespace ck

namespace ck::conv {

namespace {

namespace instance = tensor_operation::device::instance;

/// Libraries with the same text have kernels of the same names.
std::string library_text()
{
    std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a
    const auto add     = [&](const std::string& text) {
        for(const char c : text + '\n')
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    };
    for(const instance::Family& family : instance::families())
        for(const instance::ConvKernel& kernel : instance::kernels_of(family))
            add(kernel.name);
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
    return std::string(CK_VERSION) + ' ' + text;
}

/// The same text for specs that differ only in explicit defaults.
std::string spec_text(ConvSpec spec)
{
    const auto drop_if_all = [](auto& list, const auto& value) {
        if(std::all_of(list.begin(), list.end(), [&](const auto& v) { return v == value; }))
            list = {};
    };
    drop_if_all(spec.strides, 1);
    drop_if_all(spec.dilations, 1);
    drop_if_all(spec.pads, PadWidths{});
    drop_if_all(spec.output_padding, 0);
    for(auto* const type : {&spec.x_type, &spec.w_type, &spec.y_type})
        if(*type == spec.type)
            type->reset();
    return to_string(spec);
}

std::string options_text(const PlanOptions& o)
{
    std::string text;
    if(o.workspace_limit)
        text = "workspace_limit=" + std::to_string(*o.workspace_limit);
    for(const auto& [field, value] : {std::pair{"allow", &o.allow}, {"forbid", &o.forbid}})
        if(!value->empty()) // the length, since a value may contain any characters
            text += std::string(text.empty() ? "" : " ") + field + '[' +
                    std::to_string(value->size()) + "]=" + *value;
    return text;
}

void say(const std::string& path, const std::string& what)
{
    std::fprintf(stderr, "ck: the tuning database %s: %s\n", path.c_str(), what.c_str());
}

class Measurements
{
public:
    static Measurements& instance()
    {
        static auto* const all = new Measurements; // threads may outlive static objects
        return *all;
    }

    std::optional<Tuned> find(const ConvSpec& spec, const PlanOptions& options)
    {
        if(state_ == state_new)
            open();
        if(state_ == state_empty)
            return std::nullopt;
        const std::string device = device_name(), text = key(device, spec, options);
        const std::shared_lock lock(mutex_);
        const auto at = rows_.find(text);
        return at == rows_.end() ? std::nullopt : std::optional(at->second);
    }

    bool keep(const ConvSpec& spec, const PlanOptions& options, Tuned winner)
    {
        if(state_ == state_new)
            open();
        const std::string path = tuning_database(), device = device_name();
        std::string message, why = "there is none: CK_TUNING_DB is empty, or HOME is not set";
        if(!path.empty())
            why = write_tuning_row(path,
                                   {device,
                                    library(),
                                    spec_text(spec),
                                    options_text(options),
                                    winner.kernel,
                                    winner.microseconds,
                                    winner.measured,
                                    winner.missed,
                                    winner.wrong},
                                   message);
        if(!message.empty())
            say(path, message);
        if(!why.empty() && !said_.exchange(true))
            say(path, "cannot be written: " + why + "; what is measured is kept in this process");
        winner.from = why.empty() ? path : "this process";
        const std::unique_lock lock(mutex_);
        rows_.insert_or_assign(key(device, spec, options), std::move(winner));
        state_ = state_rows;
        return why.empty();
    }

    void forget()
    {
        const std::unique_lock lock(mutex_);
        rows_.clear();
        said_  = false;
        state_ = state_new;
    }

private:
    enum State
    {
        state_new,
        state_empty,
        state_rows
    };

    void open()
    {
        const std::unique_lock lock(mutex_);
        if(state_ != state_new)
            return;
        const std::string path = tuning_database();
        std::error_code error;
        if(has_tuning_files() && !path.empty() &&
           (!names_tuning_file(path) || std::filesystem::exists(path, error)))
        {
            std::string message;
            try
            {
                for(TuningRow& row : read_tuning_file(path, library(), message))
                    rows_.insert_or_assign(key(row.device, row.spec, row.options),
                                           Tuned{std::move(row.kernel),
                                                 row.microseconds,
                                                 row.measured,
                                                 row.missed,
                                                 path,
                                                 std::move(row.wrong)});
            }
            catch(const std::exception& e) // no memory: plans are made without it
            {
                message = std::string("cannot be read: ") + e.what();
            }
            if(!message.empty())
                say(path, message);
        }
        state_ = rows_.empty() ? state_empty : state_rows;
    }

    static std::string
    key(const std::string& device, const std::string& spec, const std::string& options)
    {
        return device + '\n' + spec + '\n' + options;
    }
    static std::string
    key(const std::string& device, const ConvSpec& spec, const PlanOptions& options)
    {
        return key(device, spec_text(spec), options_text(options));
    }

    static const std::string& library()
    {
        static const std::string text = library_text();
        return text;
    }

    /// Read once for each device: reading the properties takes longer than making a plan.
    std::string device_name()
    {
        int device = 0;
        HIP_CHECK_ERROR(hipGetDevice(&device));
        const std::lock_guard lock(devices_mutex_);
        std::string& name = devices_[device];
        if(name.empty())
            name = device_text();
        return name;
    }

    std::atomic<State> state_ = state_new;
    std::atomic<bool> said_   = false; ///< whether the failure to write was reported
    std::shared_mutex mutex_;
    std::unordered_map<std::string, Tuned> rows_;
    std::mutex devices_mutex_;
    std::map<int, std::string> devices_;
};

} // namespace

std::string device_text()
{
    int device = 0;
    HIP_CHECK_ERROR(hipGetDevice(&device));
    hipDeviceProp_t properties{};
    HIP_CHECK_ERROR(hipGetDeviceProperties(&properties, device));
    return std::string(properties.name) + ", " + get_device_name() + ", " +
           std::to_string(properties.multiProcessorCount) + " units";
}

std::optional<Tuned> tuned(const ConvSpec& spec, const PlanOptions& options)
{
    return Measurements::instance().find(spec, options);
}

bool keep_tuned(const ConvSpec& spec, const PlanOptions& options, Tuned winner)
{
    return Measurements::instance().keep(spec, options, std::move(winner));
}

void forget_tuned() { Measurements::instance().forget(); }

} // namespace ck::conv
