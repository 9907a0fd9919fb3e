// load <plugin>...: loads plugins for all to see (RTLD_GLOBAL). Each of them, and this program,
// which has a copy of the library, too, must use its own copy.
#include "plugin.hpp"
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

void expect(bool right, const std::string& sentence)
{
    if(right)
        return;
    std::fprintf(stderr, "%s\n", sentence.c_str());
    std::exit(1);
}

template <class Function>
Function* function(void* plugin, const char* name)
{
    void* const found = dlsym(plugin, name);
    expect(found != nullptr, dlerror() == nullptr ? name : "a plugin lacks a function");
    return reinterpret_cast<Function*>(found);
}

void use(const std::string& name,
         float (*element)(),
         std::size_t (*plans)(),
         std::size_t (*instances)(),
         const void* (*address_of_plan)())
{
    expect(plans() == 0, name + " has cached plans of another copy");
    expect(element() == 8 * 3 * 3, name + " computes a wrong element");
    expect(plans() == 1, name + " has not cached its plan");
    expect(instances() > 0, name + " has no instances");
    Dl_info at_plan{}, at_element{};
    expect(dladdr(address_of_plan(), &at_plan) != 0 &&
               dladdr(reinterpret_cast<const void*>(element), &at_element) != 0,
           "an address is in no file");
    expect(std::string(at_plan.dli_fname) == at_element.dli_fname,
           name + " calls ck::plan of " + at_plan.dli_fname);
    std::printf("%s uses its own copy\n", name.c_str());
}

} // namespace

int main(int argc, char** argv)
{
    for(int i = 1; i < argc; ++i)
    {
        void* const plugin = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
        expect(plugin != nullptr, plugin == nullptr ? dlerror() : "");
        use(argv[i],
            function<float()>(plugin, "plugin_element"),
            function<std::size_t()>(plugin, "plugin_plans"),
            function<std::size_t()>(plugin, "plugin_instances"),
            function<const void*()>(plugin, "plugin_address_of_plan"));
    }
    use("the program", plugin_element, plugin_plans, plugin_instances, plugin_address_of_plan);
    return 0;
}
