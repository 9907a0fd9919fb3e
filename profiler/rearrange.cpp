// Profiles copies between an image and the matrix of its windows.
#include "rearrange.hpp"

#include "ck/arch/target.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_column_to_image.hpp"
#include "ck/library/reference_tensor_operation/cpu/reference_image_to_column.hpp"
#include "ck/library/tensor_operation_instance/gpu/conv_tensor_rearrange.hpp"
#include "ck/library/utility/pattern.hpp"

#include "buffers.hpp"
#include "describe.hpp"
#include "device_name.hpp"
#include "measure.hpp"
#include "platform.hpp"
#include "positional.hpp"
#include "problem_file.hpp"
#include "problem_text.hpp"
#include "reader.hpp"
#include "timed.hpp"
#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>

namespace ck::profiler {

double inside_share(const ConvProblem& p)
{
    double share         = 1;
    const Spatial output = p.output();
    for(std::size_t i = 0; i < 3; ++i)
    {
        long_index_t inside = 0;
        for(long_index_t o = 0; o < output[i]; ++o)
            for(long_index_t y = 0; y < p.filter[i]; ++y)
            {
                const long_index_t at = o * p.stride[i] + y * p.dilation[i] - p.pad_low[i];
                inside += at >= 0 && at < p.input[i] ? 1 : 0;
            }
        share *= static_cast<double>(inside) /
                 static_cast<double>(std::max(long_index_t{1}, output[i] * p.filter[i]));
    }
    return share;
}

namespace {

using namespace tensor_operation::device;
using Kernel = PlainKernel<RearrangeArguments>;
using Bytes  = std::vector<unsigned char>;

const Choice type_choice{"data type", {"f32", "f16", "bf16", "i8"}};
const Choice layout_choice{"layout", {"gnhwc", "nhwgc"}};
const Choice way_choice{"operation", {"im2col", "col2im"}};

struct Asked
{
    std::string type;
    Layout layout;
    std::vector<std::string> ways;
    std::vector<NamedProblem> problems;
};

Asked read_numbers(const Command& command, Options& options)
{
    Reader reader(command.operation, command.positions);
    Asked asked;
    asked.type   = reader.next(type_choice);
    asked.layout = layout_from_name(reader.next(layout_choice));
    read_flags(reader, options);
    asked.ways     = {reader.next(way_choice)};
    asked.problems = {{"", read_problem(reader, false)}};
    reader.end();
    return asked;
}

Asked read_words(const Command& command)
{
    Asked asked{command.type, layout_from_name(command.layout), {"im2col", "col2im"}, {}};
    bool known = false;
    for(const char* type : type_choice.values)
        known = known || asked.type == type;
    if(!known)
        throw WrongArgument("the type is '" + asked.type +
                            "', but conv_tensor_rearrange takes one of f32, f16, bf16, i8");
    if(!command.file.empty())
        asked.problems = read_problems(command.file, command.filter);
    for(const std::string& text : command.problems)
        asked.problems.push_back({"", problem_from_text(text)});
    return asked;
}

Asked read(const Command& command, Options& options)
{
    const bool in_words = !command.problems.empty() || !command.file.empty();
    if(in_words == !command.positions.empty() || !command.miopen.empty())
        throw WrongArgument("a problem of conv_tensor_rearrange must be given by one of: numbers "
                            "after the operation, --problem and --problems");
    Asked asked = in_words ? read_words(command) : read_numbers(command, options);
    for(NamedProblem& named : asked.problems)
    {
        if(const Support s = validate(named.problem); !s)
            throw WrongArgument(s.reason);
        set_strides(named.problem, asked.layout);
    }
    return asked;
}

/// G, M and K of the matrix.
std::array<long_index_t, 3> matrix_lengths(const ConvProblem& p)
{
    const Spatial o = p.output(), &f = p.filter;
    return {p.groups, p.batch * o[0] * o[1] * o[2], f[0] * f[1] * f[2] * p.in_channels};
}

/// The result by definition. 1D and 2D are 3D with lengths of 1.
template <template <index_t, class, class, class> class Way, class T>
Bytes reference(const ConvProblem& p, const Bytes& from)
{
    using Of         = Way<3, tensor_layout::convolution::NDHWGC, T, T>;
    const auto sizes = [](const auto& values) {
        return std::vector<std::size_t>(values.begin(), values.end());
    };
    const auto list = [](const Spatial& s) {
        return std::vector<long_index_t>(s.begin(), s.end());
    };
    const HostTensorDescriptor image(sizes(p.input_lengths()), sizes(p.input_strides)),
        matrix(sizes(matrix_lengths(p)));
    Tensor<T> in(Of::from_image ? image : matrix), out(Of::from_image ? matrix : image);
    std::memcpy(in.data(), from.data(), from.size());
    Of::MakeInvoker().Run(Of::MakeArgument(in,
                                           out,
                                           list(p.filter),
                                           list(p.stride),
                                           list(p.dilation),
                                           list(p.pad_low),
                                           list(p.pad_high)));
    Bytes to(out.size() * sizeof(T));
    std::memcpy(to.data(), out.data(), to.size());
    return to;
}

template <class T>
Bytes reference(const ConvProblem& p, bool from_image, const Bytes& from)
{
    return from_image ? reference<tensor_operation::host::ReferenceImageToColumn, T>(p, from)
                      : reference<tensor_operation::host::ReferenceColumnToImage, T>(p, from);
}

Bytes reference(const std::string& type, const ConvProblem& p, bool from_image, const Bytes& from)
{
    return type == "f32"    ? reference<float>(p, from_image, from)
           : type == "f16"  ? reference<half_t>(p, from_image, from)
           : type == "bf16" ? reference<bhalf_t>(p, from_image, from)
                            : reference<std::int8_t>(p, from_image, from);
}

/// One problem in one direction.
class RearrangeRun
{
public:
    RearrangeRun(const Asked& asked,
                 const NamedProblem& named,
                 const std::string& way,
                 const Options& options,
                 Report& report)
        : type_(number_type(asked.type)),
          problem_(named.problem),
          from_image_(way == "im2col"),
          options_(options),
          report_(report)
    {
        const auto image  = element_count(problem_.input_lengths());
        const auto gmk    = matrix_lengths(problem_);
        const auto matrix = gmk[0] * gmk[1] * gmk[2];
        const auto bytes  = [&](long_index_t n) {
            return static_cast<std::size_t>(n) * type_.bytes;
        };
        base_.bytes                 = static_cast<double>(bytes(image) + bytes(matrix));
        const long_index_t elements = from_image_ ? image : matrix;
        const Block block(options.fill, 0, elements, type_);
        const int sets = options.warm_cache || on_cpu ? 1 : sets_beyond_caches(base_.bytes);
        for(int i = 0; i < sets; ++i)
        {
            in_.emplace_back(bytes(elements));
            out_.emplace_back(bytes(from_image_ ? matrix : image));
            fill_memory(in_.back(), elements, block.values(), type_);
        }
        arguments_.problem              = problem_;
        arguments_.problem.out_channels = 1;
        arguments_.matrix_strides       = {gmk[1] * gmk[2], gmk[2], 1};
        work_.bytes =
            static_cast<double>(bytes(image)) * (from_image_ ? touched_share(problem_) : 1) +
            static_cast<double>(bytes(matrix)) * (from_image_ ? 1 : inside_share(problem_));
        work_.buffers = base_.bytes * sets;
        if(options.verify)
            expected_ = reference(asked.type, problem_, from_image_, bytes_of(in_.front()));
        base_.text      = to_text(problem_);
        base_.problem   = named.name.empty() ? base_.text : named.name;
        base_.operation = "conv_tensor_rearrange";
        base_.direction = way;
        base_.type      = asked.type;
        base_.layout    = name(asked.layout);
        base_.kind      = named.kind();
    }

    void run(std::span<const Kernel> kernels)
    {
        report_.line("problem: " + base_.operation + " " + base_.direction + " " + base_.type +
                     " " + base_.layout + ": " + base_.text);
        report_.line("found " + std::to_string(kernels.size()) + " instances");
        const utils::Pattern pattern(options_.instances);
        Result* fastest = nullptr;
        for(const Kernel& kernel : kernels)
        {
            report_.progress().step(kernel.name);
            if(!pattern.is_in(kernel.name))
                continue;
            Result* const r = run_instance(kernel);
            if(r != nullptr && (fastest == nullptr || r->ms < fastest->ms))
                fastest = r;
        }
        report_.best(fastest);
        if(fastest == nullptr)
            report_.fail("no instance has computed this problem" +
                         std::string(options_.why ? "" : "; --why says why"));
    }

private:
    /// The arguments of launch i.
    RearrangeArguments arguments(int i) const
    {
        const auto set       = static_cast<std::size_t>(i) % in_.size();
        RearrangeArguments a = arguments_;
        a.in                 = in_[set].GetDeviceBuffer();
        a.out                = out_[set].GetDeviceBuffer();
        return a;
    }
    static Bytes bytes_of(const DeviceMem& memory)
    {
        Bytes bytes(memory.GetBufferSize());
        if(!bytes.empty())
            memory.FromDevice(bytes.data());
        return bytes;
    }
    double element(const Bytes& bytes, std::size_t i) const
    {
        double value = 0;
        type_.decode(bytes.data() + i * type_.bytes, 1, &value);
        return value;
    }

    /// Null if the kernel refused or failed.
    Result* run_instance(const Kernel& kernel)
    {
        if(const Support s = kernel.supports(arguments(0)); !s)
        {
            report_.refuse({base_.problem, kernel.name, s.reason});
            return nullptr;
        }
        try
        {
            return measure(kernel);
        }
        catch(const std::runtime_error& e)
        {
            report_.fail(kernel.name, e.what());
            return nullptr;
        }
    }

    Result* measure(const Kernel& kernel)
    {
        Result r             = base_;
        r.instance           = kernel.name;
        const DeviceMem& out = out_.front();
        if(out.GetBufferSize() > 0)
            HIP_CHECK_ERROR(hipMemset(out.GetDeviceBuffer(), 0xff, out.GetBufferSize()));
        kernel.run(arguments(0), StreamConfig{});
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        const Bytes result = bytes_of(out);
        if(options_.print_tensor)
        {
            std::vector<double> values(result.size() / type_.bytes);
            type_.decode(result.data(), values.size(), values.data());
            report_.line("result: " + list(values));
        }
        if(options_.verify)
        {
            for(std::size_t i = 0; i < result.size() / type_.bytes; ++i)
                if(std::memcmp(&result[i * type_.bytes], &expected_[i * type_.bytes], type_.bytes))
                {
                    report_.fail(kernel.name,
                                 describe(Accuracy{
                                     0, 0, false, i, element(result, i), element(expected_, i)}));
                    return nullptr;
                }
            r.error = r.bound = 0;
        }
        if(options_.time)
        {
            const Launch launch = [&](int i, hipStream_t stream) {
                kernel.run(arguments(i), StreamConfig{stream});
            };
            set_time(r,
                     time_each({launch}, rounds_of(options_)).front(),
                     find_roofline(device_name(), type_.name),
                     work_);
        }
        return &report_.add(r);
    }

    const NumberType& type_;
    const ConvProblem problem_;
    const bool from_image_;
    const Options& options_;
    Report& report_;
    std::vector<DeviceMem> in_, out_; ///< take turns, so that none stays in the cache
    RearrangeArguments arguments_{};  ///< without addresses
    Work work_{};
    Bytes expected_;
    Result base_;
};

} // namespace

std::string describe_rearrange(const std::string& operation)
{
    std::string text = operation + ", numbers by position:\n";
    int number       = 0;
    const auto line  = [&](const std::string& what) {
        text += "  " + std::to_string(++number) + "  " + what + "\n";
    };
    line(describe(type_choice));
    line(describe(layout_choice));
    for(const std::string& flag : flag_descriptions)
        line(flag);
    line(describe(way_choice));
    return text +
           "  then  spatial dimensions, G, N, K, C (K: any; C of a group) and, each as [D] H W:\n"
           "        filter lengths, input lengths, strides, dilations, left pads, right pads\n"
           "With --problem both operations run.\n";
}

void run_rearrange(const Command& command, Report& report)
{
    Options options   = command.options;
    const Asked asked = read(command, options);
    for(const char* option :
        {options.rival.empty() ? "" : "--rival", options.times.empty() ? "" : "--times"})
        if(*option != '\0')
            throw WrongArgument(std::string(option) +
                                " is for convolutions, not for conv_tensor_rearrange");
    using namespace conv_tensor_rearrange_op;
    const auto kernels_of = [&](const std::string& way) {
        return way == "im2col"
                   ? instance::rearrange_kernels(ImageToColumn{}, asked.type, asked.type)
                   : instance::rearrange_kernels(ColumnToImage{}, asked.type, asked.type);
    };
    long all = 0;
    for(const std::string& way : asked.ways)
        all += static_cast<long>(kernels_of(way).size() * asked.problems.size());
    report.progress().expect(all);
    for(const NamedProblem& named : asked.problems)
        for(const std::string& way : asked.ways)
            RearrangeRun(asked, named, way, options, report).run(kernels_of(way));
}

} // namespace ck::profiler
