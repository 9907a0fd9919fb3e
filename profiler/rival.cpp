// The table of rivals.
#include "rival.hpp"

#ifdef CK_PROFILER_CUDNN
#include "cudnn_rival.hpp"
#endif
#include <vector>

namespace ck::profiler {

namespace {

struct Make
{
    const char* name;
    MakeRival make;
};

std::vector<Make>& makes()
{
    static std::vector<Make> all{
#ifdef CK_PROFILER_CUDNN
        {"cudnn", make_cudnn_rival},
#endif
    };
    return all;
}

} // namespace

AddedRival::AddedRival(const char* name, MakeRival make) { makes().push_back({name, make}); }

AddedRival::~AddedRival() { makes().pop_back(); }

std::vector<const char*> rivals()
{
    std::vector<const char*> all;
    for(const Make& m : makes())
        all.push_back(m.name);
    return all;
}

std::unique_ptr<Rival> make_rival(const std::string& name,
                                  const ConvRequest& request,
                                  const ConvProblem& problem,
                                  const ConvTensors& some)
{
    std::string known;
    for(const Make& m : makes())
    {
        if(name == m.name)
            return m.make(request, problem, some);
        known += (known.empty() ? "" : ", ") + std::string(m.name);
    }
    throw WrongArgument("the rival is '" + name + "', but this program was built " +
                        (known.empty() ? "without any" : "with " + known));
}

} // namespace ck::profiler
