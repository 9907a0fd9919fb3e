// The verification of the examples fails on wrong results, and on right ones it does not.
#include "ck/library/utility/host_tensor_generator.hpp"

#include "17_convnd_bwd_data/verify.hpp"
#include <functional>
#include <limits>

namespace {

// 1D, N 1, K 4, C 2, filter 3, input 5, stride 2, pads 1: dX [N, C, Wi].
const ck::utils::conv::ConvParam problem(1, 1, 1, 4, 2, {3}, {5}, {2}, {1}, {1}, {1});

/// Whether `change` of the right dX passes.
template <class T>
bool passes(bool integers, const std::function<void(Tensor<T>&)>& change)
{
    Tensor<T> in({1, 2, 5}, {10, 1, 2}), wei({4, 2, 3}, {6, 1, 2}), out({1, 4, 3}, {12, 1, 4});
    if(integers)
    {
        wei.GenerateTensorValue(GeneratorTensor_2<T>{-5, 6});
        out.GenerateTensorValue(GeneratorTensor_2<T>{-5, 6});
    }
    else
    {
        wei.GenerateTensorValue(GeneratorTensor_3<T>{-.5f, .5f});
        out.GenerateTensorValue(GeneratorTensor_3<T>{0.f, 1.f});
    }
    // By definition: wi = 2 wo + x - 1.
    for(int c = 0; c < 2; ++c)
        for(int wi = 0; wi < 5; ++wi)
        {
            double sum = 0;
            for(int k = 0; k < 4; ++k)
                for(int x = 0; x < 3; ++x)
                    for(int wo = 0; wo < 3; ++wo)
                        if(2 * wo + x - 1 == wi)
                            sum += ck::type_convert<double>(out(0, k, wo)) *
                                   ck::type_convert<double>(wei(k, c, x));
            in(0, c, wi) = ck::type_convert<T>(static_cast<float>(sum));
        }
    change(in);
    return verify<1>(problem, in, wei, out, integers);
}

template <class T>
int failures()
{
    const auto add = [](float difference) {
        return [difference](Tensor<T>& in) {
            in(0, 1, 4) = ck::type_convert<T>(ck::type_convert<float>(in(0, 1, 4)) + difference);
        };
    };
    int count         = 0;
    const auto expect = [&](const char* what, bool wanted, bool got) {
        if(wanted != got)
        {
            std::cout << "WRONG: " << what << (got ? " passed\n" : " did not pass\n");
            ++count;
        }
    };
    for(const bool integers : {true, false})
    {
        const auto change_to = [](float value) {
            return [value](Tensor<T>& in) { in(0, 0, 0) = ck::type_convert<T>(value); };
        };
        expect("the right result", true, passes<T>(integers, add(0.f)));
        expect("an error of 1", false, passes<T>(integers, add(1.f)));
        expect("a NaN", false, passes<T>(integers, change_to(std::nanf(""))));
        expect("an infinity",
               false,
               passes<T>(integers, change_to(std::numeric_limits<float>::infinity())));
    }
    return count;
}

} // namespace

int main()
{
    return failures<float>() + failures<ck::half_t>() + failures<ck::bhalf_t>() == 0 ? 0 : 1;
}
