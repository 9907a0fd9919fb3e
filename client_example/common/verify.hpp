#pragma once
// Verifies a client's results against plain loops on the CPU, which are part of the package.
// The operands are small integers, whose sums are exact in any order, so there is one right
// value.
#include "ck/library/utility/host_tensor.hpp"
#include "ck/utility/type_convert.hpp"

#include "run_instances.hpp"
#include <functional>
#include <random>
#include <tuple>
#include <vector>

/// A tensor on the device, packed or not. If the client verifies, it is also on the host and
/// contains integers from -2 to 2; otherwise zeros.
template <class T>
struct Operand
{
    Operand(const HostTensorDescriptor& shape, bool verifies)
        : device(sizeof(T) * shape.GetElementSpaceSize()),
          host(verifies ? shape : HostTensorDescriptor(std::vector<std::size_t>{1}))
    {
        if(!verifies)
            return;
        std::minstd_rand random(1 + static_cast<unsigned>(host.mData.size()));
        for(T& x : host.mData)
            x = ck::type_convert<T>(static_cast<float>(random() % 5) - 2.f);
        check(
            hipMemcpy(
                device.p, host.mData.data(), sizeof(T) * host.mData.size(), hipMemcpyHostToDevice),
            "hipMemcpy");
    }

    SimpleDeviceMem device;
    Tensor<T> host;
};

/// Applies the operation on the result to sums. d(i): a tuple of the D tensors' elements at element
/// i of the result. Sum: the type in which kernels accumulate.
template <class T, class Sum, class Operation, class GetD>
void apply_operation(Tensor<double>& sums, const Operation& operation, const GetD& d)
{
    for(std::size_t i = 0; i < sums.mData.size(); ++i)
    {
        T result{};
        std::apply(
            [&](const auto&... elements) {
                operation(result, static_cast<Sum>(sums.mData[i]), elements...);
            },
            d(i));
        sums.mData[i] = ck::type_convert<float>(result);
    }
}

/// The result of a client's operation. compute: writes the expected values, by a reference.
template <class T>
struct Result
{
    using Compute = std::function<void(Tensor<double>& expected)>;

    Result(const HostTensorDescriptor& shape_, bool verifies_, Compute compute_)
        : device(sizeof(T) * shape_.GetElementSpaceSize()),
          shape(shape_),
          verifies(verifies_),
          compute(std::move(compute_))
    {}

    /// Filled with a pattern that no result has (a NaN in most types), to show elements that are
    /// not written; or with the values to which the operation adds.
    void spoil() const
    {
        if(!verifies)
            return;
        if(in_place())
            check(hipMemcpy(
                      device.p, before.data(), sizeof(T) * before.size(), hipMemcpyHostToDevice),
                  "hipMemcpy");
        else
            check(hipMemset(device.p, 0xff, sizeof(T) * shape.GetElementSpaceSize()), "hipMemset");
    }
    /// Whether each run changes what the next one reads.
    bool in_place() const { return !before.empty(); }

    /// The expected values, in the order of memory.
    const std::vector<T>& values()
    {
        if(expected_.empty())
        {
            Tensor<double> exact(shape);
            compute(exact);
            for(const double value : exact.mData)
                expected_.push_back(ck::type_convert<T>(static_cast<float>(value)));
        }
        return expected_;
    }

    /// Whether the result on the device is right; always true if the client does not
    /// verify.
    bool right()
    {
        if(!verifies)
            return true;
        const std::vector<T>& expected = values();
        std::vector<T> got(expected.size());
        check(hipMemcpy(got.data(), device.p, sizeof(T) * got.size(), hipMemcpyDeviceToHost),
              "hipMemcpy");
        std::size_t wrong = 0;
        for(std::size_t i = 0; i < got.size(); ++i)
            // Written so that a NaN counts as a difference.
            wrong += !(ck::type_convert<float>(got[i]) == ck::type_convert<float>(expected[i]));
        std::cout << "verification: " << (wrong == 0 ? "PASS" : "FAIL, ");
        if(wrong != 0)
            std::cout << wrong << " of " << got.size() << " elements";
        std::cout << '\n';
        return wrong == 0;
    }

    SimpleDeviceMem device;
    HostTensorDescriptor shape;
    bool verifies;
    Compute compute;
    std::vector<T> before; ///< where the operation reads the result: what is there

private:
    std::vector<T> expected_;
};
