// Writes the sources of the library's kernels, each with a few rows of a table of tunings, and
// index.cpp, which names them all; prints their paths. A program of the build, not of the library:
// CMake compiles it for the build machine and runs it.
//
//   write_kernels <CK_PLATFORM> <CK_INSTANCES> <CK_KERNELS> <folder>
//
// A file whose text has not changed is not touched.
#include "tables/selection.hpp"
#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace {

using namespace ck;
using namespace ck::manifest;

Platform platform_of(const std::string& name)
{
    if(name == "host")
        return Platform::host;
    if(name == "amd")
        return Platform::amd;
    if(name == "nvidia")
        return Platform::nvidia;
    throw std::runtime_error("the platform is '" + name + "'; there are host, amd, nvidia");
}

bool is_representative(const std::string& instances)
{
    if(instances != "all" && instances != "representative")
        throw std::runtime_error("the instances are '" + instances +
                                 "'; there are all, representative");
    return instances == "representative";
}

/// How much work a source has: the first row of a table counts as 1, and a part of a table as 3. A
/// source takes 10 to 20 s to compile.
int work_in_a_source(Platform platform, bool representative)
{
    if(platform == Platform::host)
        return 14;
    if(representative) // the headers take as long as two kernels, once for each target
        return 5;
    return platform == Platform::amd ? 16 : 6; // for one target
}

void write_if_changed(const std::string& path, const std::string& text)
{
    std::ifstream before(path);
    if(before && std::string(std::istreambuf_iterator<char>(before), {}) == text)
        return;
    std::ofstream file(path);
    file << text;
    if(!file.flush())
        throw std::runtime_error("cannot write " + path);
}

const char* const source_head = R"(// Generated: kernels of the library.
#include "tables/dl.hpp"
#include "tables/mma.hpp"
#include "tables/wgmma.hpp"
#include "tables/wmma.hpp"
#include "tables/xdl.hpp"
#include "tensor_operation_instance/conv_kernels.hpp"
#include "tensor_operation_instance/families.hpp"

namespace ck::tensor_operation::device::instance {

)";
const char* const index_head  = R"(// Generated: names every generated source file of kernels.
#include "tensor_operation_instance/kernel_parts.hpp"

namespace ck::tensor_operation::device::instance {

)";
const char* const foot        = R"(
} // namespace ck::tensor_operation::device::instance
)";

/// The calls that make a table's kernels, one for each part.
std::vector<std::string> calls(const Kernels& k)
{
    if(k.rows == Rows::first)
        return {"make_first_kernel<" + k.name() + ">()"};
    std::vector<std::string> parts;
    for(int part = 0; part < k.parts; ++part)
        parts.push_back("make_kernels<" + k.name() + ", " + std::to_string(part) + ", " +
                        std::to_string(k.parts) + ">()");
    return parts;
}

/// The sources of a build, one after the other.
class Sources
{
public:
    Sources(std::string folder, int work_in_one) : folder_(std::move(folder)), limit_(work_in_one)
    {}

    void add(Direction direction, const std::vector<Kernels>& all)
    {
        int number = 0, work = 0;
        std::string body;
        const auto end_source = [&] {
            if(!body.empty())
                write(identifier(direction) + ('_' + std::to_string(number++)), body);
            body.clear();
            work = 0;
        };
        for(const Kernels& kernels : all)
            for(const std::string& call : calls(kernels))
            {
                body += "    parts.push_back(" + call + ");\n";
                work += kernels.rows == Rows::first ? 1 : 3;
                if(work >= limit_)
                    end_source();
            }
        end_source();
    }

    bool empty() const { return added_.empty(); }

    void write_index() const
    {
        std::string text = index_head;
        for(const std::string& add : added_)
            text += "void " + add + "(std::vector<KernelPart>& parts);\n";
        text += "\nstd::vector<KernelPart> kernel_parts()\n{\n    std::vector<KernelPart> parts;\n";
        for(const std::string& add : added_)
            text += "    " + add + "(parts);\n";
        put("index", text + "    return parts;\n}\n" + foot);
    }

private:
    void write(const std::string& name, const std::string& body)
    {
        added_.push_back("add_" + name);
        put(name,
            source_head + ("void " + added_.back()) +
                "(std::vector<KernelPart>& parts)\n{\n    using namespace tables;\n" + body +
                "}\n" + foot);
    }

    void put(const std::string& name, const std::string& text) const
    {
        const std::string path = folder_ + '/' + name + ".cpp";
        write_if_changed(path, text);
        std::cout << path << '\n';
    }

    std::string folder_;
    int limit_;
    std::vector<std::string> added_; ///< functions
};

void write_kernels(const std::string& platform_name,
                   const std::string& instances,
                   const std::string& expression,
                   const std::string& folder)
{
    const Platform platform   = platform_of(platform_name);
    const bool representative = is_representative(instances);
    Sources sources(folder, work_in_a_source(platform, representative));
    for(const Direction d :
        {Direction::forward, Direction::backward_data, Direction::backward_weight})
        sources.add(d, matching(select(platform, representative, d), expression));
    if(sources.empty())
        throw std::runtime_error("CK_KERNELS is '" + expression +
                                 "', which matches no family and table of the library's");
    sources.write_index();
}

} // namespace

int main(int argc, char** argv)
{
    try
    {
        if(argc != 5)
            throw std::runtime_error(
                "usage: write_kernels <CK_PLATFORM> <CK_INSTANCES> <CK_KERNELS> <folder>");
        write_kernels(argv[1], argv[2], argv[3], argv[4]);
    }
    catch(const std::regex_error& error)
    {
        std::cerr << "CK_KERNELS is '" << argv[3]
                  << "', which is not an extended regular expression: " << error.what() << '\n';
        return 1;
    }
    catch(const std::exception& error)
    {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
