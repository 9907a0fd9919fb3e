// Profiles lists of GEMMs: from positional arguments to results.
#include "grouped_gemm.hpp"

#include "ck/arch/target.hpp"
#include "ck/host_utility/hip_check_error.hpp"
#include "ck/library/utility/pattern.hpp"

#include "buffers.hpp"
#include "describe.hpp"
#include "device_name.hpp"
#include "grouped_gemm_instance.hpp"
#include "measure.hpp"
#include "operations.hpp"
#include "platform.hpp"
#include "reader.hpp"
#include "reference.hpp"
#include "timed.hpp"
#include <array>
#include <optional>
#include <stdexcept>

namespace ck::profiler {

namespace {

using tensor_operation::device::GemmDesc;

const Choice type_choice{"data type", {"f32", "f16", "bf16", "i8"}};
/// The contiguous dimension is in lower case.
const Choice layout_choice{"layout", {"mk_kn_mn", "mk_nk_mn", "km_kn_mn", "km_nk_mn"}};

struct Asked
{
    std::string type, layout;
    bool a_row_major, b_row_major;
    std::vector<GemmDesc> gemms;
};

/// Replaces strides of 0 and -1 by contiguous ones.
GemmDesc
make_gemm(const Asked& asked, index_t m, index_t n, index_t k, std::array<index_t, 3> strides)
{
    const std::array<index_t, 3> packed{asked.a_row_major ? k : m, asked.b_row_major ? n : k, n};
    constexpr const char* names[] = {"A", "B", "C"};
    for(std::size_t i = 0; i < 3; ++i)
        if(strides[i] <= 0)
            strides[i] = packed[i];
        else if(strides[i] < packed[i])
            throw WrongArgument("the stride of " + std::string(names[i]) + " is " +
                                std::to_string(strides[i]) + ", but must be at least " +
                                std::to_string(packed[i]) + ", or 0 or -1 for that");
    return {m, n, k, strides[0], strides[1], strides[2], {}};
}

Asked read(const Command& command, Options& options)
{
    if(command.positions.empty())
        throw WrongArgument(command.operation + " takes numbers by position, but there are none");
    Reader reader(command.operation, command.positions);
    Asked asked;
    asked.type        = reader.next(type_choice);
    asked.layout      = reader.next(layout_choice);
    asked.a_row_major = asked.layout.starts_with("mk");
    asked.b_row_major = asked.layout.find("kn") != std::string::npos;
    read_flags(reader, options);
    std::vector<std::vector<index_t>> lists;
    for(const char* name : {"Ms", "Ns", "Ks", "StrideAs", "StrideBs", "StrideCs"})
    {
        lists.push_back(reader.next_list(name, *name == 'S' ? -1 : 1));
        if(lists.back().size() != lists.front().size())
            throw WrongArgument(reader.where(name) + " has " + std::to_string(lists.back().size()) +
                                " numbers, but there are " + std::to_string(lists.front().size()) +
                                " Ms");
    }
    if(!reader.at_end())
        reader.next("kbatch: the sums are not split", 1, 1);
    reader.end();
    for(std::size_t i = 0; i < lists[0].size(); ++i)
        asked.gemms.push_back(make_gemm(
            asked, lists[0][i], lists[1][i], lists[2][i], {lists[3][i], lists[4][i], lists[5][i]}));
    return asked;
}

/// A GEMM is a convolution with filters of length 1: rows are pixels, k is channels.
ConvProblem as_convolution(const Asked& asked, const GemmDesc& g)
{
    ConvProblem p       = make_packed_problem<1>(1, 1, g.N_, g.K_, {1}, {g.M_}, {1}, {1}, {0}, {0});
    p.input_strides[2]  = asked.a_row_major ? 1 : g.stride_A_;
    p.input_strides[5]  = asked.a_row_major ? g.stride_A_ : 1;
    p.filter_strides[1] = asked.b_row_major ? 1 : g.stride_B_;
    p.filter_strides[2] = asked.b_row_major ? g.stride_B_ : 1;
    return p; // E is contiguous
}

/// The matrices of one GEMM.
class Matrices
{
public:
    Matrices(const Asked& asked, const GemmDesc& gemm, const Options& options)
        : gemm_(gemm),
          problem_(as_convolution(asked, gemm)),
          shapes_(problem_, type_of(asked), type_of(asked), type_of(asked)),
          operands_(make_operands(asked, options.fill)),
          e_(static_cast<std::size_t>(gemm.M_) * static_cast<std::size_t>(gemm.stride_C_) *
             type_of(asked).bytes)
    {
        for(std::size_t i = 0; i < 2; ++i)
        {
            memory_[i] = DeviceMem(shapes_.bytes(i));
            fill_memory(memory_[i], shapes_.elements[i], operands_[i].values(), *shapes_.type[i]);
        }
        if(!options.verify)
            return;
        ConvRequest request;
        request.family =
            family_of(*find_conv_operation("grouped_conv_fwd"),
                      find_types(*find_conv_operation("grouped_conv_fwd"), asked.type));
        reference_.emplace(
            request, problem_, shapes_, operands_, std::vector<Block>{}, options.fill);
        if(asked.type == "i8")
            reference_->keep_low_bits();
    }

    void append_to(GemmList& list)
    {
        list.gemms.push_back(gemm_);
        list.a.push_back(memory_[0].GetDeviceBuffer());
        list.b.push_back(memory_[1].GetDeviceBuffer());
        list.e.push_back(e_.GetDeviceBuffer());
    }
    void spoil() { HIP_CHECK_ERROR(hipMemset(e_.GetDeviceBuffer(), 0xff, e_.GetBufferSize())); }
    Accuracy compare() const
    {
        const std::vector<unsigned char> packed = result();
        return reference_ ? reference_->compare(packed) : Accuracy{none, none};
    }
    std::vector<double> values() const
    {
        const std::vector<unsigned char> packed = result();
        std::vector<double> values(packed.size() / shapes_.type[2]->bytes);
        shapes_.type[2]->decode(packed.data(), values.size(), values.data());
        return values;
    }
    double flops() const { return ck::flops(problem_); }
    /// Bytes, with each element counted once.
    double bytes() const
    {
        const double m = gemm_.M_, n = gemm_.N_, k = gemm_.K_;
        return (m * k + k * n + m * n) * static_cast<double>(shapes_.type[0]->bytes);
    }

private:
    static const NumberType& type_of(const Asked& asked) { return number_type(asked.type); }
    std::array<Block, 2> make_operands(const Asked& asked, Fill fill)
    {
        const auto span = [](index_t lines, index_t stride) {
            return long_index_t{lines} * stride;
        };
        shapes_.elements[0] = span(asked.a_row_major ? gemm_.M_ : gemm_.K_, gemm_.stride_A_);
        shapes_.elements[1] = span(asked.b_row_major ? gemm_.K_ : gemm_.N_, gemm_.stride_B_);
        return {Block(fill, 0, shapes_.elements[0], type_of(asked)),
                Block(fill, 1, shapes_.elements[1], type_of(asked))};
    }
    /// E without the gaps between its rows.
    std::vector<unsigned char> result() const
    {
        const std::size_t element = shapes_.type[2]->bytes,
                          row     = static_cast<std::size_t>(gemm_.N_) * element,
                          stride  = static_cast<std::size_t>(gemm_.stride_C_) * element;
        std::vector<unsigned char> all(e_.GetBufferSize()), packed;
        e_.FromDevice(all.data());
        for(std::size_t at = 0; at < all.size(); at += stride)
            packed.insert(packed.end(),
                          all.begin() + static_cast<std::ptrdiff_t>(at),
                          all.begin() + static_cast<std::ptrdiff_t>(at + row));
        return packed;
    }

    GemmDesc gemm_;
    ConvProblem problem_;
    TensorShapes shapes_;
    std::array<Block, 2> operands_;
    std::array<DeviceMem, 2> memory_;
    DeviceMem e_;
    std::optional<Reference> reference_;
};

GroupedGemms instances_of(const Asked& asked)
{
    const auto make  = asked.type == "f32"    ? grouped_gemms_f32
                       : asked.type == "f16"  ? grouped_gemms_f16
                       : asked.type == "bf16" ? grouped_gemms_bf16
                                              : grouped_gemms_i8;
    GroupedGemms all = make(asked.a_row_major, asked.b_row_major);
    if(all.empty())
        throw NotImplemented("grouped_gemm of " + asked.type +
                             " has the layouts mk_kn_mn and "
                             "mk_nk_mn, but this is " +
                             asked.layout);
    return all;
}

std::string text_of(const Asked& asked)
{
    std::string text;
    for(const GemmDesc& g : asked.gemms)
        text += (text.empty() ? "" : " ") + std::string("m") + std::to_string(g.M_) + "n" +
                std::to_string(g.N_) + "k" + std::to_string(g.K_);
    return text;
}

class ListRun
{
public:
    ListRun(const Asked& asked, const Options& options, Report& report)
        : asked_(asked),
          options_(options),
          report_(report)
    {
        base_.problem = base_.text = text_of(asked);
        base_.operation            = "grouped_gemm";
        base_.type                 = asked.type;
        base_.layout               = asked.layout;
        base_.kind                 = "gemm";
        matrices_.reserve(asked.gemms.size());
        for(const GemmDesc& g : asked.gemms)
        {
            Matrices& m = matrices_.emplace_back(asked, g, options);
            m.append_to(list_);
            base_.flops += m.flops();
            base_.bytes += m.bytes();
        }
    }

    void run(GroupedGemms& instances)
    {
        report_.line("problem: grouped_gemm " + asked_.type + " " + asked_.layout);
        for(std::size_t i = 0; i < asked_.gemms.size(); ++i)
        {
            const GemmDesc& g = asked_.gemms[i];
            report_.line("gemm[" + std::to_string(i) + "]: M " + std::to_string(g.M_) + ", N " +
                         std::to_string(g.N_) + ", K " + std::to_string(g.K_) + ", strides {" +
                         std::to_string(g.stride_A_) + ", " + std::to_string(g.stride_B_) + ", " +
                         std::to_string(g.stride_C_) + "}");
        }
        report_.line("found " + std::to_string(instances.size()) + " instances");
        const utils::Pattern pattern(options_.instances);
        report_.progress().expect(static_cast<long>(instances.size()));
        Result* fastest = nullptr;
        for(const auto& instance : instances)
        {
            report_.progress().step(instance->name());
            if(!pattern.is_in(instance->name()))
                continue;
            Result* const r = run_instance(*instance);
            if(r != nullptr && (fastest == nullptr || r->ms < fastest->ms))
                fastest = r;
        }
        report_.best(fastest);
        if(fastest == nullptr)
            report_.fail("no instance has computed this problem" +
                         std::string(options_.why ? "" : "; --why says why"));
    }

private:
    /// Null if the instance refused or failed.
    Result* run_instance(GroupedGemmInstance& instance)
    {
        if(const Support s = instance.supports(list_); !s)
        {
            report_.refuse({base_.problem, instance.name(), s.reason});
            return nullptr;
        }
        try
        {
            return measure(instance);
        }
        catch(const std::runtime_error& e)
        {
            report_.fail(instance.name(), e.what());
            return nullptr;
        }
    }

    Result* measure(GroupedGemmInstance& instance)
    {
        Result r    = base_;
        r.instance  = instance.name();
        r.workspace = instance.workspace_bytes(list_);
        const DeviceMem workspace(r.workspace);
        for(Matrices& m : matrices_)
            m.spoil();
        instance.run(list_, workspace.GetDeviceBuffer(), StreamConfig{});
        HIP_CHECK_ERROR(hipDeviceSynchronize());
        for(std::size_t i = 0; i < matrices_.size(); ++i)
        {
            if(options_.print_tensor)
                report_.line("result of gemm[" + std::to_string(i) +
                             "]: " + list(matrices_[i].values()));
            const Accuracy accuracy = matrices_[i].compare();
            if(!accuracy.right)
            {
                report_.fail(r.instance, "gemm[" + std::to_string(i) + "]: " + describe(accuracy));
                return nullptr;
            }
            if(!(r.error >= accuracy.error))
            {
                r.error = accuracy.error;
                r.bound = accuracy.bound;
                r.unit  = accuracy.unit;
            }
        }
        if(options_.time)
        {
            const Work work{r.flops, r.bytes, r.bytes}; // one set of buffers
            set_time(r,
                     time(instance, workspace.GetDeviceBuffer()),
                     find_roofline(device_name(), asked_.type),
                     work);
        }
        return &report_.add(r);
    }

    Timing time(GroupedGemmInstance& instance, void* workspace)
    {
        const int warm_up  = on_cpu ? 0 : 5;
        const int launches = on_cpu ? 1 : 20;
        std::vector<double> ms;
        for(int i = 0; i < rounds_of(options_).count; ++i)
            ms.push_back(
                instance.run(list_, workspace, StreamConfig{nullptr, true, 0, warm_up, launches}));
        return timing_of(ms);
    }

    const Asked& asked_;
    const Options& options_;
    Report& report_;
    Result base_;
    std::vector<Matrices> matrices_;
    GemmList list_;
};

} // namespace

std::string describe_grouped_gemm(const std::string& operation)
{
    std::string text = operation + ", numbers by position:\n";
    int number       = 0;
    const auto line  = [&](const std::string& what) {
        text += "  " + std::to_string(++number) + "  " + what + "\n";
    };
    line(describe(type_choice));
    line(describe(layout_choice) + " (A, B, C; km and kn: m and n are contiguous)");
    for(const std::string& flag : flag_descriptions)
        line(flag);
    for(const char* name : {"Ms", "Ns", "Ks", "StrideAs", "StrideBs", "StrideCs"})
        line(std::string(name) + ": one number for each GEMM, separated by commas" +
             (*name == 'S' ? "; 0 or -1: packed" : ""));
    line("kbatch: 1, which may be left out");
    return text;
}

void run_grouped_gemm(const Command& command, Report& report)
{
    Options options   = command.options;
    const Asked asked = read(command, options);
    GroupedGemms all  = instances_of(asked);
    for(const char* option :
        {options.rival.empty() ? "" : "--rival", options.times.empty() ? "" : "--times"})
        if(*option != '\0')
            throw WrongArgument(std::string(option) + " is for convolutions, not for grouped_gemm");
    ListRun(asked, options, report).run(all);
}

} // namespace ck::profiler
