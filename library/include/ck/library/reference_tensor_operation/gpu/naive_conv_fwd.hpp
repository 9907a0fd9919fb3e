#pragma once
// Forward in 3 dimensions by definition on the device, as a kernel function with Composable
// Kernel's name. naive_conv.hpp has other ranks, strides and directions.
#include "ck/arch/user_kernel.hpp"
#include "ck/library/reference_tensor_operation/gpu/naive_conv.hpp"
#include "ck/utility/integer.hpp"

namespace ck::ref {

#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA) || defined(CK_RUNTIME_HOST)

/// Y[n,do,ho,wo,k] = out_op(sum over z,y,x,c of in_op(X[n,di,hi,wi,c]) * wei_op(W[k,z,y,x,c])),
///   di = do*stride_z + z*dilation_z - pad_z, likewise hi and wi; padding is 0 after in_op.
/// Contiguous NDHWC, KZYXC and NDHWK tensors in device memory.
/// A kernel for any number of workgroups of at most 256 threads, without dynamic shared memory.
/// Launch it with launch_and_time_kernel of host_utility/flush_cache.hpp, with
/// arch::launch_function, or on a GPU with <<<>>>. All arithmetic, also that of operations, uses
/// TAcc in a fixed order. Every element of Y is written.
template <typename TIn,
          typename TWei,
          typename TOut,
          typename TAcc,
          typename InElementwiseOperation,
          typename WeiElementwiseOperation,
          typename OutElementwiseOperation>
CK_USER_KERNEL(256, 1)
void naive_conv_fwd_ndhwc_kzyxc_ndhwk(const TIn* p_in,
                                      const TWei* p_wei,
                                      TOut* p_out,
                                      index_t N,
                                      index_t K,
                                      index_t C,
                                      index_t Di,
                                      index_t Hi,
                                      index_t Wi,
                                      index_t Z,
                                      index_t Y,
                                      index_t X,
                                      index_t Do,
                                      index_t Ho,
                                      index_t Wo,
                                      index_t stride_z,
                                      index_t stride_y,
                                      index_t stride_x,
                                      index_t dilation_z,
                                      index_t dilation_y,
                                      index_t dilation_x,
                                      index_t pad_z,
                                      index_t pad_y,
                                      index_t pad_x)
{
    const auto place         = arch::place_in_grid();
    const long_index_t count = long_index_t{N} * Do * Ho * Wo * K;
    for(long_index_t at = place.thread; at < count; at += place.threads)
    {
        long_index_t rest = at;
        const auto next   = [&](index_t length) {
            const auto digit = static_cast<index_t>(rest % length);
            rest /= length;
            return digit;
        };
        const index_t k = next(K), wo = next(Wo), ho = next(Ho), d = next(Do);
        const long_index_t n = rest;
        TAcc sum             = 0;
        for(index_t z = 0; z < Z; ++z)
            for(index_t y = 0; y < Y; ++y)
                for(index_t x = 0; x < X; ++x)
                {
                    const index_t di = d * stride_z + z * dilation_z - pad_z;
                    const index_t hi = ho * stride_y + y * dilation_y - pad_y;
                    const index_t wi = wo * stride_x + x * dilation_x - pad_x;
                    const bool inside =
                        0 <= di && di < Di && 0 <= hi && hi < Hi && 0 <= wi && wi < Wi;
                    const long_index_t from   = (((n * Di + di) * Hi + hi) * Wi + wi) * C;
                    const long_index_t weight = (((long_index_t{k} * Z + z) * Y + y) * X + x) * C;
                    for(index_t c = 0; c < C; ++c)
                    {
                        TAcc in_element = 0, wei_element = 0;
                        if(inside)
                            InElementwiseOperation{}(in_element,
                                                     type_convert<TAcc>(p_in[from + c]));
                        WeiElementwiseOperation{}(wei_element,
                                                  type_convert<TAcc>(p_wei[weight + c]));
                        sum += in_element * wei_element;
                    }
                }
        TAcc out = 0;
        OutElementwiseOperation{}(out, sum);
        p_out[at] = type_convert<TOut>(out);
    }
}

#endif

} // namespace ck::ref
