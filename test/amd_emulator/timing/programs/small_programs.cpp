// Small programs of the kinds whose times on an MI300A are published: what
// script/validate_amd_model runs in the emulator's mode `time`.
//   small_programs <name> <size> [<size>]
#include "ck/arch/amd/hip_5.hpp"

#include "small_kernels.hpp"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

void check(hipError_t e)
{
    if(e == hipSuccess)
        return;
    std::fprintf(stderr, "%s\n", hipGetErrorString(e));
    std::exit(1);
}

/// Zeros on the device, until the program ends.
template <typename T>
T* zeros(size_t count)
{
    T* p = nullptr;
    check(hipMalloc(reinterpret_cast<void**>(&p), count * sizeof(T)));
    check(hipMemset(p, 0, count * sizeof(T)));
    return p;
}

template <typename T>
T* copy(const std::vector<T>& values)
{
    T* const p = zeros<T>(values.size());
    check(hipMemcpy(p, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return p;
}

unsigned parts(size_t all, size_t part) { return static_cast<unsigned>((all + part - 1) / part); }

/// Columns of an image of one channel, without a margin. Returns their number.
unsigned columns_of(unsigned side, unsigned filter, float* out)
{
    const int n = static_cast<int>(side), f = static_cast<int>(filter);
    const unsigned field = (side - filter + 1) * (side - filter + 1);
    im2col<<<parts(field, 256), 256>>>(
        zeros<float>(static_cast<size_t>(side) * side), out, Image{n, n, f, 1, 0, 1, 1, 1});
    return field;
}

using Run = void (*)(unsigned, unsigned);
const std::map<std::string, Run> programs{
    {"vectoradd",
     [](unsigned n, unsigned) {
         vector_add<<<parts(n, 256), 256>>>(zeros<float>(n), zeros<float>(n), zeros<float>(n), n);
     }},
    {"relu",
     [](unsigned n, unsigned) {
         relu<<<parts(n, 256), 256>>>(zeros<float>(n), zeros<float>(n), n);
     }},
    {"matrixtranspose",
     [](unsigned n, unsigned) {
         const size_t all = static_cast<size_t>(n) * n / 4;
         transpose<<<dim3(n / 64, n / 64), 256>>>(zeros<float4>(all), zeros<float4>(all), n);
     }},
    {"fir",
     [](unsigned n, unsigned taps) {
         fir<<<n / 256, 256>>>(
             zeros<float>(n), zeros<float>(taps), zeros<float>(n), zeros<float>(taps + 1), taps);
     }},
    {"simpleconvolution",
     [](unsigned n, unsigned mask) {
         const unsigned pitch = n + mask - 1;
         const size_t all     = static_cast<size_t>(n) * n;
         convolution<<<parts(all, 64), 64>>>(zeros<unsigned>(static_cast<size_t>(pitch) * pitch),
                                             zeros<float>(mask * mask),
                                             zeros<int>(all),
                                             n,
                                             n,
                                             mask,
                                             pitch);
     }},
    {"im2col",
     [](unsigned n, unsigned filter) {
         columns_of(n, filter, zeros<float>(static_cast<size_t>(n) * n * filter * filter));
     }},
    {"conv2d",
     [](unsigned n, unsigned filter) {
         const int taps          = static_cast<int>(filter * filter);
         float* const matrix     = zeros<float>(static_cast<size_t>(n) * n * filter * filter);
         const unsigned columns  = columns_of(n, filter, matrix);
         constexpr int channels  = 3;
         const size_t with_zeros = 17 * (static_cast<size_t>(columns) + 16);
         product_16<<<dim3(parts(columns, 16), 1), dim3(16, 16)>>>(channels,
                                                                   columns,
                                                                   taps,
                                                                   1.f,
                                                                   0.f,
                                                                   zeros<float>(channels * taps),
                                                                   matrix,
                                                                   zeros<float>(with_zeros),
                                                                   zeros<float>(with_zeros));
     }},
    {"matrixmultiplication",
     [](unsigned n, unsigned) {
         const size_t all = static_cast<size_t>(n) * n / 4;
         product<<<dim3(n / 32, n / 32), dim3(8, 8)>>>(zeros<float4>(all),
                                                       zeros<float4>(all),
                                                       zeros<float4>(all),
                                                       n,
                                                       zeros<float4>(parts(all, 256) * 256));
     }},
    {"nbody",
     [](unsigned n, unsigned) {
         bodies<<<n / 256, 256>>>(zeros<float4>(n),
                                  zeros<float4>(n),
                                  n,
                                  0.005f,
                                  50.f,
                                  zeros<float4>(n),
                                  zeros<float4>(n),
                                  zeros<float4>(n));
     }},
    {"atax",
     [](unsigned n, unsigned) {
         float* const a = zeros<float>(static_cast<size_t>(n) * n);
         float* const x = zeros<float>(n);
         float* const y = zeros<float>(n);
         float* const z = zeros<float>(n);
         fill<1><<<parts(n, 256), 256>>>(y, n);
         fill<2><<<parts(n, 256), 256>>>(z, n);
         rows_by_vector<<<parts(n, 256), 256>>>(a, x, y, n, n, false);
         columns_by_vector<<<parts(n, 256), 256>>>(a, y, z, n, n, false);
     }},
    {"bicg",
     [](unsigned n, unsigned) {
         float* const a = zeros<float>(static_cast<size_t>(n) * n);
         rows_by_vector<<<parts(n, 256), 256>>>(a, zeros<float>(n), zeros<float>(n), n, n, true);
         columns_by_vector<<<parts(n, 256), 256>>>(a, zeros<float>(n), zeros<float>(n), n, n, true);
     }},
    {"kmeans",
     [](unsigned points, unsigned features) {
         constexpr int centres = 5;
         nearest_centre<<<parts(points, 256), 256>>>(
             zeros<float>(static_cast<size_t>(points) * features),
             zeros<float>(centres * features),
             zeros<int>(points),
             points,
             centres,
             features);
     }},
    {"spmv_csr_scalar",
     [](unsigned rows, unsigned entries) {
         const unsigned of_row = entries / rows;
         std::vector<int> columns(entries), first(rows + 1);
         for(unsigned i = 0; i < entries; ++i)
             columns[i] = static_cast<int>((i / of_row + i % of_row) % rows);
         for(unsigned i = 0; i <= rows; ++i)
             first[i] = static_cast<int>(i * of_row);
         sparse_rows_by_vector<<<parts(rows, 256), 256>>>(zeros<float>(entries),
                                                          zeros<float>(rows),
                                                          copy(columns),
                                                          copy(first),
                                                          rows,
                                                          zeros<float>(rows));
     }},
    {"stencil2d", [](unsigned n, unsigned) {
         const size_t all = (static_cast<size_t>(n) + 2) * (n + 16);
         stencil<<<dim3(n / 16, n / 64), dim3(1, 64)>>>(
             zeros<float>(all), zeros<float>(all), 16, 0.25f, 0.15f, 0.05f);
     }}};

} // namespace

int main(int argc, char** argv)
{
    const auto program = argc < 3 ? programs.end() : programs.find(argv[1]);
    if(program == programs.end())
    {
        std::fprintf(stderr, "usage: %s <name> <size> [<size>], name one of", argv[0]);
        for(const auto& [name, run] : programs)
            std::fprintf(stderr, " %s", name.c_str());
        std::fprintf(stderr, "\n");
        return 2;
    }
    program->second(static_cast<unsigned>(std::atoi(argv[2])),
                    argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 0);
    check(hipGetLastError());
    check(hipDeviceSynchronize());
    return 0;
}
