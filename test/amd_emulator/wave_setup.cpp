// The registers that a wave begins with, in the order that its kernel descriptor fixes.
#include "launch.hpp"
#include "target.hpp"
#include <algorithm>

namespace emu {

namespace {

constexpr int aperture_limit = -1;

void set_apertures(Wave& w)
{
    w.sgpr[reg_shared_base]       = 0;
    w.sgpr[reg_shared_base + 1]   = shared_aperture;
    w.sgpr[reg_shared_limit]      = static_cast<uint32_t>(aperture_limit);
    w.sgpr[reg_shared_limit + 1]  = shared_aperture;
    w.sgpr[reg_private_base]      = 0;
    w.sgpr[reg_private_base + 1]  = private_aperture;
    w.sgpr[reg_private_limit]     = static_cast<uint32_t>(aperture_limit);
    w.sgpr[reg_private_limit + 1] = private_aperture;
}

/// User SGPRs: only those that the kernel's properties ask for.
void set_user_registers(Wave& w, const Workgroup& wg, const WaveSetup& setup)
{
    static const uint32_t queue[64] = {0}; // kernels that ask for it get a queue that says nothing
    const Kernel& kernel            = setup.kernel;
    const auto scratch              = reinterpret_cast<uint64_t>(w.scratch);
    uint32_t r                      = 0;
    const auto has                  = [&](int bit) { return kernel.properties >> bit & 1; };
    const auto put                  = [&](uint64_t x) {
        w.sgpr64(static_cast<int>(r), x);
        r += 2;
    };
    if(has(0)) // a buffer descriptor of scratch, swizzled by lane
    {
        put((scratch & 0xffffffffffffull) | 1ull << 63);
        w.sgpr[r++] = setup.scratch_per_lane * w.W;
        w.sgpr[r++] = 1u << 23 | (w.W == 64 ? 3u : 2u) << 21;
    }
    if(has(1))
        put(reinterpret_cast<uint64_t>(&setup.packet));
    if(has(2))
        put(reinterpret_cast<uint64_t>(queue));
    if(has(3))
        put(reinterpret_cast<uint64_t>(setup.arguments));
    if(has(4)) // dispatch id; only its being there matters
        put(wg.id[0]);
    if(has(5))
        put(scratch);
    if(has(6))
        w.sgpr[r++] = setup.scratch_per_lane;
    const uint32_t dwords = kernel.preloaded & 0x7f, first = kernel.preloaded >> 7;
    std::copy_n(static_cast<const uint32_t*>(setup.arguments) + first, dwords, w.sgpr + r);
}

void set_workgroup_id(Wave& w, const Workgroup& wg, const WaveSetup& setup)
{
    const uint32_t rsrc2 = setup.kernel.rsrc2;
    uint32_t r           = rsrc2 >> 1 & 0x1f; // user SGPRs
    if(target.generation >= gfx12)
    {
        w.sgpr[reg_ttmp + 9] = wg.id[0];
        w.sgpr[reg_ttmp + 7] = (wg.id[1] & 0xffff) | wg.id[2] << 16;
        return;
    }
    for(int axis = 0; axis < 3; ++axis)
        if(rsrc2 >> (7 + axis) & 1)
            w.sgpr[r++] = wg.id[axis];
    if(rsrc2 >> 10 & 1) // workgroup info
        w.sgpr[r++] = 0;
    if((rsrc2 & 1) && !target.gfx940 && target.generation < gfx11)
        w.sgpr[r++] = 0; // offset in scratch: the wave's base includes it already
}

void set_thread_ids(Wave& w, const WaveSetup& setup, uint32_t first, uint32_t lanes)
{
    const uint32_t* const block = setup.dims.block;
    const uint32_t separate     = setup.kernel.rsrc2 >> 11 & 3; // ids after x, each in a register
    for(uint32_t l = 0; l < lanes; ++l)
    {
        const uint32_t t = first + l, x = t % block[0], y = t / block[0] % block[1],
                       z = t / block[0] / block[1];
        if(target.packed_tid)
        {
            w.vgpr[0][l] = x | y << 10 | z << 20;
            continue;
        }
        w.vgpr[0][l] = x;
        if(separate >= 1)
            w.vgpr[1][l] = y;
        if(separate >= 2)
            w.vgpr[2][l] = z;
    }
}

} // namespace

void set_up_wave(
    Wave& w, Workgroup& wg, uint32_t index, const WaveSetup& setup, std::vector<uint8_t>& scratch)
{
    const Kernel& kernel = setup.kernel;
    const int used       = target.generation == gfx9 ? vector_registers : 256;
    std::fill(&w.vgpr[0][0], &w.vgpr[used][0], setup.poison);
    std::fill(std::begin(w.sgpr), std::end(w.sgpr), setup.poison);
    w.sgpr[reg_null]   = 0;
    w.scc              = 0;
    w.pc               = kernel.entry;
    w.wg               = &wg;
    w.code             = kernel.code;
    w.state            = RunState::running;
    w.signalled        = false;
    w.gpr_index_mode   = 0;
    w.id               = index;
    w.W                = kernel.wave;
    w.instructions_run = 0;
    w.mode             = kernel.rsrc1 >> 12 & 0xff;
    w.scratch_per_lane = setup.scratch_per_lane;
    w.scratch          = nullptr;
    if(setup.scratch_per_lane != 0)
    {
        scratch.resize(static_cast<size_t>(setup.scratch_per_lane) * kernel.wave);
        auto* const dwords = reinterpret_cast<uint32_t*>(scratch.data());
        std::fill(dwords, dwords + scratch.size() / 4, setup.poison);
        w.scratch = scratch.data();
    }
    set_apertures(w);
    w.sgpr64(reg_vcc, 0);
    w.sgpr64(reg_flatscr, reinterpret_cast<uint64_t>(w.scratch));
    const uint32_t* const block = setup.dims.block;
    const uint32_t first = index * kernel.wave, threads = block[0] * block[1] * block[2];
    const uint32_t lanes = std::min<uint32_t>(threads - first, kernel.wave);
    w.sgpr64(reg_exec, lanes == 64 ? ~0ull : (1ull << lanes) - 1);
    set_user_registers(w, wg, setup);
    set_workgroup_id(w, wg, setup);
    set_thread_ids(w, setup, first, lanes);
}

} // namespace emu
