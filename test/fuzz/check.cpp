// The rules that every call must satisfy.
#include "ck/utility/data_type.hpp"
#include "ck/utility/type_convert.hpp"

#include "fuzz/judge.hpp"
#include "fuzz/operation.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace ck::fuzz {
namespace {

using tensor_operation::device::BaseArgument;

/// The problem that an operation for packed tensors without groups is told.
Call packed(Call call)
{
    auto& [x, w, y, d0, d1] = call.tensors;
    x.lengths[0] = w.lengths[0] = y.lengths[0] = 1;
    y.lengths[1]                               = x.lengths[1];
    w.lengths[2]                               = x.lengths[2];
    y.lengths[2]                               = w.lengths[1];
    for(TensorArgument* t : {&x, &w, &y})
    {
        std::uint64_t next = 1;
        for(const std::size_t i : {2, 5, 4, 3, 1, 0})
        {
            t->strides[i] = static_cast<long_index_t>(next);
            next *= static_cast<std::uint64_t>(t->lengths[i]);
        }
    }
    return call;
}

Call told(const Traits& t, const Call& asked)
{
    const Call call = as_told(asked, t.rank, t.d_count, t.wide);
    return t.lists ? packed(call) : call;
}

/// Memory that nothing may touch, far from any other.
void* nowhere(std::size_t tensor, long_index_t offset)
{
    return reinterpret_cast<void*>(((tensor + 1) << 58) + static_cast<std::size_t>(offset));
}

/// Makes one call of one operation.
class Trial
{
public:
    Trial(Operation& op, const Call& asked)
        : op_(op),
          call_(told(op.traits, asked)),
          fault_(fault(call_, op.traits.element_bytes)),
          small_(is_small(call_, op.traits.element_bytes))
    {
        if(op.traits.lists && fault_.empty() && call_.longer != call_.shorter)
            fault_ = "a list is too long or too short";
        if(small_)
        {
            memory_.emplace(call_, op.traits.element_bytes);
            if(fault_.empty() && is_tangled(call_, op.traits.element_bytes))
                fault_ = "the result shares memory";
        }
        for(std::size_t i = 0; i < tensor_count; ++i)
        {
            const TensorArgument& t = call_.tensors[i];
            pointers_[i]            = t.null || t.at == tensor_count ? nullptr
                                      : small_                       ? memory_->address(t)
                                                                     : nowhere(t.at, t.offset);
        }
    }

    /// Whether it would run.
    bool ask()
    {
        if(std::getenv("CK_FUZZ_SHOW") != nullptr)
            show("asked");
        argument_ = op_.argument(call_, pointers_);
        set_workspace();
        const std::string why = ask_once();
        supported_            = why.empty();
        if(ask_once() != why)
            found("asked twice, answers differ");
        if(supported_)
        {
            ++op_.supported;
            if(!fault_.empty())
                found("supported, though " + fault_);
            if(call_.workspace == Workspace::misaligned)
                found("supported, though the workspace is misaligned");
            const double cycles = op_.predicted(*argument_);
            if(!std::isfinite(cycles) || cycles < 0)
                found("the predicted time is " + std::to_string(cycles));
        }
        else if(op_.traits.takes_all && small_ && fault_.empty() &&
                is_plain(call_, op_.traits.element_bytes) && call_.workspace == Workspace::as_asked)
            found("refused: " + why);
        if(!supported_)
            expect_refusal(why);
        else if(lacks_a_tensor())
            expect_refusal("null");
        return supported_ && small_ && !lacks_a_tensor() && workspace_fits_;
    }

    void run()
    {
        ++op_.ran;
        if(std::getenv("CK_FUZZ_SHOW") != nullptr)
            show("run");
        const Memory before = *memory_;
        op_.invoker()->Run(argument_.get());
        if(op_.traits.element_bytes == sizeof(float))
            compare<float>(before);
        else
            compare<half_t>(before);
    }

private:
    void show(const std::string& what) const
    {
        std::fprintf(stderr,
                     "%s\n  by %s, %zuD, %s\n  %s\n",
                     what.c_str(),
                     op_.traits.engine.c_str(),
                     op_.traits.rank,
                     op_.base().GetTypeString().c_str(),
                     text(call_).c_str());
    }
    [[noreturn]] void found(const std::string& what) const
    {
        show("FOUND: " + what);
        std::abort();
    }

    std::string ask_once() const
    {
        const std::string why = op_.base().WhyNotSupported(argument_.get());
        if(op_.base().IsSupportedArgument(argument_.get()) != why.empty())
            found("supported, and why not: " + why);
        return why;
    }

    void set_workspace()
    {
        const std::size_t bytes = op_.base().GetWorkSpaceSize(argument_.get());
        if(call_.workspace == Workspace::none)
            return;
        const bool misaligned = call_.workspace == Workspace::misaligned;
        if(bytes == 0 && !misaligned)
            return;
        workspace_fits_ = bytes <= 64 << 20;
        void* at        = nowhere(tensor_count, 0);
        if(workspace_fits_ && small_)
        {
            workspace_.reset(static_cast<std::byte*>(std::malloc(bytes)));
            std::memset(workspace_.get(), 0xFF, bytes);
            at = workspace_.get();
        }
        op_.base().SetWorkSpacePointer(argument_.get(),
                                       static_cast<std::byte*>(at) + (misaligned ? 4 : 0));
    }

    /// A null D tensor of an empty result is not missing.
    bool lacks_a_tensor() const
    {
        for(std::size_t i = 0; i < tensor_count; ++i)
            if(const TensorArgument& t = call_.tensors[i];
               t.null && t.at != tensor_count && !is_empty(t) &&
               !(i >= tensor_d0 && is_empty(call_.result())))
                return true;
        return false;
    }

    void expect_refusal(const std::string& why) const
    {
        try
        {
            op_.invoker()->Run(argument_.get());
        }
        catch(const std::runtime_error& error)
        {
            if(std::string_view(error.what()).find(why) == std::string_view::npos)
                found("refused by '" + why + "', but when run by '" + error.what() + "'");
            return;
        }
        found("ran what it refuses: " + why);
    }

    template <class T>
    void compare(const Memory& before) const
    {
        const std::vector<double> right = expected<T>(call_, before);
        Memory rest                     = *memory_;
        std::string wrong;
        for_each_element(call_.result(), [&](std::size_t number, long_index_t offset) {
            const double got = type_convert<float>(memory_->read<T>(call_.result(), offset));
            if(!(got == right[number]) && wrong.empty())
                wrong = "element " + std::to_string(number) + " is " + std::to_string(got) +
                        ", not " + std::to_string(right[number]);
            rest.write(call_.result(), offset, before.read<T>(call_.result(), offset));
        });
        if(!wrong.empty())
            found(wrong);
        if(!(rest == before))
            found("wrote outside the result");
    }

    struct Free
    {
        void operator()(std::byte* p) const { std::free(p); }
    };
    Operation& op_;
    Call call_;
    std::string fault_;
    bool small_;
    std::optional<Memory> memory_{};
    std::unique_ptr<std::byte[], Free> workspace_{};
    bool workspace_fits_ = true;
    Operation::Pointers pointers_{};
    std::unique_ptr<BaseArgument> argument_{};
    bool supported_ = false;
};

} // namespace

void check(const Operations& operations, const Call& call)
{
    std::vector<std::unique_ptr<Trial>> common, special; // one of them runs
    for(const auto& op : operations)
        if(op->traits.rank == call.rank || op->traits.rank == 3)
            if(auto trial = std::make_unique<Trial>(*op, call); trial->ask())
                (op->traits.takes_all ? common : special).push_back(std::move(trial));
    const bool usual = special.empty() || call.run_by % 4 == 0;
    const auto& from = usual && !common.empty() ? common : special;
    if(!from.empty())
        from[call.run_by / 4 % from.size()]->run();
}

} // namespace ck::fuzz
