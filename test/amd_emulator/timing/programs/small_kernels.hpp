// Kernels that do the same work as those whose times on an MI300A are published (sarchlab/mgpusim
// at d01e70d5, gpu_perf_scripts): the same loads and stores in the same order, by the same number
// of threads. As there, pointers may alias, tiles are in memory, and loops stay loops where the
// published code objects have loops.
#pragma once
#include <hip/hip_runtime.h>

__device__ inline unsigned thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void vector_add(const float* a, const float* b, float* __restrict__ c, int n)
{
    const int i = static_cast<int>(thread_of_grid());
    if(i < n)
        c[i] = a[i] + b[i];
}

__global__ void relu(const float* in, float* out, int n)
{
    const int i = static_cast<int>(thread_of_grid());
    if(i < n)
        out[i] = in[i] > 0 ? in[i] : 0;
}

/// What a call of hipMemset is; of another number another kernel, which the emulator describes.
template <int Number>
__global__ void fill(float* out, int n)
{
    const int i = static_cast<int>(thread_of_grid());
    if(i < n)
        out[i] = 0;
}

/// Each thread transposes a 4x4 square, through LDS.
__global__ void transpose(const float4* __restrict__ in, float4* __restrict__ out, unsigned width)
{
    __shared__ float4 block[16 * 4 * 16];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, pitch = width / 4;
    const unsigned column = (blockIdx.x + blockIdx.y) % gridDim.x, row = blockIdx.x;
    const unsigned from = column * 16 + x + (row * 16 + y) * width;
    for(unsigned k = 0; k < 4; ++k)
        block[y * 64 + x + k * 16] = in[from + k * pitch];
    __syncthreads();
    float4 v[4];
    for(unsigned k = 0; k < 4; ++k)
        v[k] = block[x * 64 + y + k * 16];
    const unsigned to   = row * 16 + x + (column * 16 + y) * width;
    out[to]             = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    out[to + pitch]     = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    out[to + 2 * pitch] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    out[to + 3 * pitch] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
}

/// A sum of the inputs up to the thread's; what lies before the first comes from another array.
__global__ void fir(float* out, float* taps, float* in, float* before, unsigned count)
{
    const unsigned i = thread_of_grid();
    float sum        = 0;
#pragma unroll 1
    for(unsigned t = 0; t < count; ++t)
        sum += taps[t] * (i >= t ? in[i - t] : before[count - (t - i)]);
    out[i] = sum;
}

/// A sum over a square of masked integers, one pixel a thread.
__global__ void convolution(unsigned* in,
                            float* mask,
                            int* out,
                            unsigned width,
                            unsigned height,
                            unsigned side,
                            unsigned pitch)
{
    const unsigned i = thread_of_grid(), x = i % width, y = i / width;
    if(y >= height)
        return;
    float sum = 0;
#pragma unroll 1
    for(unsigned row = 0; row < side; ++row)
#pragma unroll 1
        for(unsigned column = 0; column < side; ++column)
            sum +=
                static_cast<float>(in[(y + row) * pitch + x + column]) * mask[row * side + column];
    out[i] = static_cast<int>(sum + 0.5f);
}

struct Image
{
    int width, height, filter, stride, pad, dilation, channels, count;
};

/// A column of the matrix a thread; the image has a margin of zeros that is not stored.
__global__ void im2col(float* in, float* out, Image m)
{
    const int thread  = static_cast<int>(thread_of_grid());
    const int reach   = (m.filter - 1) * m.dilation + 1;
    const int columns = (m.width - reach + 2 * m.pad) / m.stride + 1;
    const int field   = ((m.height - reach + 2 * m.pad) / m.stride + 1) * columns;
    const int picture = thread / field, place = thread % field;
    const int left       = place % columns * m.stride - m.pad;
    const int top        = place / columns * m.stride - m.pad;
    const int of_picture = m.width * m.height, taps = m.filter * m.filter;
    if(picture >= m.count)
        return;
#pragma unroll 1
    for(int row = 0; row < taps * m.channels; ++row)
    {
        const int channel = row / taps;
        const int x       = left + row % m.filter * m.dilation;
        const int y       = top + row % taps / m.filter * m.dilation;
        float value       = 0;
        if(x >= 0 && y >= 0 && x < m.width && y < m.height)
            value = in[(picture * m.channels + channel) * of_picture + y * m.width + x];
        out[row * field * m.count + thread] = value;
    }
}

/// 16x16 sums per block, of tiles of A and B in LDS; `out` is set to zero first.
__global__ void product_16(int m,
                           int n,
                           int k,
                           float alpha,
                           float beta,
                           const float* a,
                           const float* b,
                           const float* c,
                           float* out)
{
    __shared__ float of_a[16][16], of_b[16][16];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int row         = static_cast<int>(blockIdx.y) * 16 + y,
              column      = static_cast<int>(blockIdx.x) * 16 + x;
    out[row * n + column] = 0;
    float sum             = 0;
    for(int first = 0; first < k; first += 16)
    {
        of_a[y][x] = first + x < k && row < m ? a[row * k + first + x] : 0;
        of_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for(int j = 0; j < 16; ++j)
            if(first + j < k)
                sum += of_a[y][j] * of_b[j][x];
        __syncthreads();
    }
    if(row < m && column < n)
        out[row * n + column] = alpha * sum + beta * c[row * n + column];
}

/// 4x4 sums per thread, 8x8 threads. The tile of A passes through `rows`, in memory: every
/// block writes its own over it.
__global__ void product(float4* a, float4* b, float4* c, int k, float4* rows)
{
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int wide   = static_cast<int>(blockDim.x);
    const int pitch  = static_cast<int>(gridDim.x) * wide;
    const int column = static_cast<int>(blockIdx.x) * wide + x;
    const int row    = (static_cast<int>(blockIdx.y * blockDim.y) + y) * 4;
    float4 sum[4]    = {};
#pragma unroll 1
    for(int first = 0; first < k / 4; first += wide)
    {
        for(int r = 0; r < 4; ++r) // rows of the first block, as published
            rows[(y * 4 + r) * wide + x] = a[(y * 4 + r) * (k / 4) + first + x];
        __syncthreads();
#pragma unroll 1
        for(int j = 0; j < wide; ++j)
        {
            const auto load     = [&](int r) { return rows[(y * 4 + r) * wide + j]; };
            const auto multiply = [&](float4& out, float4 u, const float4* v) {
                out.x += u.x * v[0].x + u.y * v[1].x + u.z * v[2].x + u.w * v[3].x;
                out.y += u.x * v[0].y + u.y * v[1].y + u.z * v[2].y + u.w * v[3].y;
                out.z += u.x * v[0].z + u.y * v[1].z + u.z * v[2].z + u.w * v[3].z;
                out.w += u.x * v[0].w + u.y * v[1].w + u.z * v[2].w + u.w * v[3].w;
            };
            float4 v[4];
            for(int r = 0; r < 4; ++r)
                v[r] = b[((first + j) * 4 + r) * pitch + column];
            const float4 u = load(0), w = load(1); // the other two follow the products
            multiply(sum[0], u, v);
            multiply(sum[1], w, v);
            __builtin_amdgcn_sched_barrier(0);
            multiply(sum[2], load(2), v);
            __builtin_amdgcn_sched_barrier(0);
            multiply(sum[3], load(3), v);
        }
        __syncthreads();
    }
    for(int r = 0; r < 4; ++r)
        c[(row + r) * pitch + column] = sum[r];
}

/// A body a thread. The others pass through `tile`, which lies in memory: every block writes the
/// same to it.
__global__ void bodies(float4* place,
                       float4* speed,
                       int count,
                       float step,
                       float softening,
                       float4* tile,
                       float4* next,
                       float4* next_speed)
{
    const unsigned i = thread_of_grid(), wide = blockDim.x;
    const float4 mine = place[i];
    float ax = 0, ay = 0, az = 0;
#pragma unroll 1
    for(unsigned t = 0; t < static_cast<unsigned>(count) / wide; ++t)
    {
        tile[threadIdx.x] = place[t * wide + threadIdx.x];
        __syncthreads();
#pragma unroll 1
        for(unsigned j = 0; j < wide; ++j)
        {
            const float4 o = tile[j];
            const float x = o.x - mine.x, y = o.y - mine.y, z = o.z - mine.z;
            const float d = 1.f / __builtin_sqrtf(x * x + y * y + z * z + softening);
            const float s = o.w * (d * d * d);
            ax += s * x, ay += s * y, az += s * z;
        }
        __syncthreads();
    }
    const float4 v = speed[i];
    const float h  = 0.5f * step * step;
    next[i]        = make_float4(mine.x + v.x * step + ax * h,
                          mine.y + v.y * step + ay * h,
                          mine.z + v.z * step + az * h,
                          mine.w);
    next_speed[i]  = make_float4(v.x + ax * step, v.y + ay * step, v.z + az * step, v.w);
}

/// A row of the matrix a thread. Its sum is in memory, which the other arrays might be, too: it is
/// stored for each product.
__global__ void rows_by_vector(float* a, float* x, float* y, int rows, int columns, bool from_zero)
{
    const int i = static_cast<int>(thread_of_grid());
    if(i >= rows)
        return;
    if(from_zero)
        y[i] = 0;
#pragma unroll 1
    for(int j = 0; j < columns; ++j)
        y[i] += a[i * columns + j] * x[j];
}

/// A column of the matrix a thread, its sum as above.
__global__ void
columns_by_vector(float* a, float* x, float* y, int rows, int columns, bool from_zero)
{
    const int j = static_cast<int>(thread_of_grid());
    if(j >= columns)
        return;
    if(from_zero)
        y[j] = 0;
#pragma unroll 1
    for(int i = 0; i < rows; ++i)
        y[j] += a[i * columns + j] * x[i];
}

/// The nearest of some centres for each point; a feature of all points lies together.
__global__ void
nearest_centre(float* features, float* centres, int* nearest, int points, int count, int of_point)
{
    const int i = static_cast<int>(thread_of_grid());
    if(i >= points)
        return;
    float least = 3e38f;
    int found   = 0;
#pragma unroll 1
    for(int c = 0; c < count; ++c)
    {
        float sum = 0;
#pragma unroll 1
        for(int l = 0; l < of_point; ++l)
        {
            const float d = features[l * points + i] - centres[c * of_point + l];
            sum += d * d;
        }
        if(sum < least)
            least = sum, found = c;
    }
    nearest[i] = found;
}

/// A row of a sparse matrix a thread.
__global__ void sparse_rows_by_vector(const float* __restrict__ values,
                                      const float* __restrict__ x,
                                      const int* __restrict__ columns,
                                      const int* __restrict__ first,
                                      int rows,
                                      float* __restrict__ y)
{
    const int i = static_cast<int>(thread_of_grid());
    if(i >= rows)
        return;
    float sum = 0;
#pragma unroll 1
    for(int j = first[i]; j < first[i + 1]; ++j)
        sum += values[j] * x[columns[j]];
    y[i] = sum;
}

/// Nine points around each: 64 threads side by side, sixteen rows each, through LDS. The grid's
/// first dimension is the rows.
__global__ void
stencil(float* in, float* out, int alignment, float centre, float cross, float diagonal)
{
    constexpr int rows = 16;
    __shared__ float part[(rows + 2) * (64 + 2)];
    const int x = static_cast<int>(threadIdx.y), wide = static_cast<int>(blockDim.y);
    const int columns = static_cast<int>(gridDim.y) * wide + 2;
    const int over    = columns % alignment;
    const int pitch   = columns + (over == 0 ? 0 : alignment - over);
    const int row     = static_cast<int>(blockIdx.x) * rows;
    const int column  = static_cast<int>(blockIdx.y) * wide + x;
    const int near    = wide + 2;
    const auto load   = [&](int by) { // loads first, then writes to LDS
        float v[rows + 2];
        for(int r = 0; r < rows + 2; ++r)
            v[r] = in[(row + r) * pitch + column + 1 + by];
        for(int r = 0; r < rows + 2; ++r)
            part[r * near + x + 1 + by] = v[r];
    };
    load(0);
    if(x == 0)
        load(-1);
    else if(x == wide - 1)
        load(1);
    __syncthreads();
    for(int r = 0; r < rows; ++r)
    {
        const float* p = part + (r + 1) * near + x + 1;
        out[(row + r + 1) * pitch + column + 1] =
            centre * p[0] + cross * (p[-near] + p[near] + p[1] + p[-1]) +
            diagonal * (p[1 - near] + p[1 + near] + p[-1 - near] + p[-1 + near]);
    }
}
