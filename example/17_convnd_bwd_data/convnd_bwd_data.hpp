#pragma once
// Backward data, dX = dY * W, by the operations under Composable Kernel's positional names.
#include "common/conv_example.hpp"
#include "operations.hpp"

namespace example {

/// Runs the operations of an engine (each engine has a file) for tensors of T.
template <Engine engine, class T>
struct ConvBwdData : ConvExample<T>
{
    template <index_t rank>
    using Operations = typename example::Operations<engine, T>::template OfRank<rank>::Tuple;

    struct Direction : BackwardData<ConvBwdData>
    {
        /// These operations take no groups and no strides, and need whole vectors.
        template <index_t>
        static auto argument(auto& op, const ConvParam& p, const auto& t)
        {
            const auto narrow = [](const std::vector<ck::long_index_t>& values) {
                return std::vector<index_t>(values.begin(), values.end());
            };
            return op.MakeArgumentPointer(t.in.pointer(),
                                          t.wei.pointer(),
                                          t.out.pointer(),
                                          static_cast<index_t>(p.N_),
                                          static_cast<index_t>(p.K_),
                                          static_cast<index_t>(p.C_),
                                          narrow(p.input_spatial_lengths_),
                                          narrow(p.filter_spatial_lengths_),
                                          narrow(p.output_spatial_lengths_),
                                          narrow(p.conv_filter_strides_),
                                          narrow(p.conv_filter_dilations_),
                                          narrow(p.input_left_pads_),
                                          narrow(p.input_right_pads_),
                                          PassThrough{},
                                          PassThrough{},
                                          PassThrough{});
        }
    };

    static Defaults defaults()
    {
        const auto with_batch = [](index_t n) {
            return ConvParam(2, 1, n, 256, 128, {3, 3}, {71, 71}, {2, 2}, {1, 1}, {1, 1}, {1, 1});
        };
        return {.on_gpu = with_batch(128), .on_cpu = with_batch(1), .grouped = false};
    }
};

} // namespace example
