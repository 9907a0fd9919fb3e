// Branches, calls, barriers, waits and other instructions of program control.

#include "handlers.hpp"
#include "scalar_operation.hpp"

namespace emu {
namespace {
template <bool (*C)(Wave&)>
void branch(Wave& w, const Instruction& inst)
{
    if(C(w))
        w.pc = inst.pc + 4 + (int64_t)inst.simm16 * 4;
}

void barrier(Wave& w, const Instruction&) { w.state = RunState::at_barrier; }

/// gfx12 splits the barrier: a wave says that it is there, and waits later until all have said so.
/// The one operand there is names the workgroup's barrier, -1 (ISA of RDNA 4, section 4.5.3).
constexpr uint32_t workgroup_barrier = ~0u;
void barrier_signal(Wave& w, const Instruction& inst)
{
    if(read_scalar(w, inst.src[0]) != workgroup_barrier)
        fault(w, inst, "s_barrier_signal of another barrier than the workgroup's, -1");
    if(w.signalled)
        fault(w, inst, "s_barrier_signal again, without s_barrier_wait after the last one");
    w.signalled = true;
}
void barrier_wait(Wave& w, const Instruction& inst)
{
    if(inst.simm16 != -1)
        fault(w, inst, "s_barrier_wait for another barrier than the workgroup's, -1");
    if(!w.signalled)
        fault(w, inst, "s_barrier_wait without s_barrier_signal: no wave would ever go on");
    w.signalled = false;
    w.state     = RunState::at_barrier;
}
void endpgm(Wave& w, const Instruction&) { w.state = RunState::ended; }
void nop(Wave&, const Instruction&) {}
/// The part of a hardware register that s_getreg and s_setreg name: an id, a first bit and a number
/// of bits.
struct HardwareRegister
{
    explicit HardwareRegister(const Instruction& inst)
        : id(inst.simm16 & 0x3f),
          first(inst.simm16 >> 6 & 0x1f)
    {
        const uint32_t bits = (static_cast<uint16_t>(inst.simm16) >> 11) + 1;
        mask                = bits == 32 ? ~0u : (1u << bits) - 1;
    }
    uint32_t id, first, mask;
};
void get_register(Wave& w, const Instruction& inst)
{
    const HardwareRegister part(inst);
    uint32_t v = 0;
    switch(part.id)
    {
    case 1:
        v = w.mode;
        break;
    case 4:
    case 23:
        v = w.id;
        break;
    case 6:
        v = w.wg->lds_size / 512 << 12;
        break;
    case 20:
    case 29:
        v = static_cast<uint32_t>(w.instructions_run);
        break;
    }
    write_scalar(w, inst.dst[0], v >> part.first & part.mask);
}
void set_register(Wave& w, const Instruction& inst, uint32_t value)
{
    const HardwareRegister part(inst);
    if(part.id == 1)
        w.mode = (w.mode & ~(part.mask << part.first)) | (value & part.mask) << part.first;
}
} // namespace

void register_scalar_control()
{
    for(auto n : {"s_nop",
                  "s_waitcnt",
                  "s_waitcnt_vscnt",
                  "s_waitcnt_vmcnt",
                  "s_waitcnt_expcnt",
                  "s_waitcnt_lgkmcnt",
                  "s_waitcnt_depctr",
                  "s_sleep",
                  "s_sethalt",
                  "s_setprio",
                  "s_sendmsg",
                  "s_clause",
                  "s_delay_alu",
                  "s_inst_prefetch",
                  "s_set_inst_prefetch_distance",
                  "s_icache_inv",
                  "s_dcache_inv",
                  "s_dcache_wb",
                  "s_gl1_inv",
                  "s_wait_loadcnt",
                  "s_wait_storecnt",
                  "s_wait_dscnt",
                  "s_wait_kmcnt",
                  "s_wait_expcnt",
                  "s_wait_samplecnt",
                  "s_wait_bvhcnt",
                  "s_wait_loadcnt_dscnt",
                  "s_wait_storecnt_dscnt",
                  "s_wait_alu",
                  "s_wait_idle",
                  "s_wait_event",
                  "s_incperflevel",
                  "s_decperflevel",
                  "s_ttracedata",
                  "s_singleuse_vdst",
                  "s_setvskip",
                  "s_round_mode",
                  "s_denorm_mode",
                  "s_prefetch_inst",
                  "s_prefetch_data",
                  "s_prefetch_inst_pc_rel",
                  "s_prefetch_data_pc_rel",
                  "s_code_end",
                  "s_sleep_var",
                  "s_dcache_wb_vol",
                  "s_dcache_inv_vol",
                  "buffer_gl0_inv",
                  "buffer_gl1_inv",
                  "buffer_wbinvl1",
                  "buffer_wbinvl1_vol",
                  "buffer_wbl2",
                  "buffer_invl2",
                  "buffer_inv",
                  "global_wb",
                  "global_inv",
                  "global_wbinv",
                  "v_nop",
                  "v_pipeflush",
                  "ds_nop"})
        add_scalar(n, 0, nop);
    add_scalar("s_barrier", 0, barrier);
    add_scalar("s_barrier_signal", 0, barrier_signal);
    add_scalar("s_barrier_wait", 0, barrier_wait);
    add_scalar("s_endpgm", 0, endpgm);
    add_scalar("s_endpgm_saved", 0, endpgm);
    add_scalar("s_trap", 0, [](Wave& w, const Instruction& inst) {
        fault(w, inst, "s_trap executed (assert or unreachable)");
    });
    add_scalar("s_branch", 0, branch<[](Wave&) { return true; }>);
    add_scalar("s_cbranch_scc0", 0, branch<[](Wave& w) { return w.scc == 0; }>);
    add_scalar("s_cbranch_scc1", 0, branch<[](Wave& w) { return w.scc != 0; }>);
    add_scalar("s_cbranch_vccz", 0, branch<[](Wave& w) { return w.vcc() == 0; }>);
    add_scalar("s_cbranch_vccnz", 0, branch<[](Wave& w) { return w.vcc() != 0; }>);
    add_scalar("s_cbranch_execz", 0, branch<[](Wave& w) { return w.exec() == 0; }>);
    add_scalar("s_cbranch_execnz", 0, branch<[](Wave& w) { return w.exec() != 0; }>);
    add_scalar("s_getpc_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], inst.pc + 4);
    });
    add_scalar("s_setpc_b64", 0, [](Wave& w, const Instruction& inst) {
        w.pc = read_scalar64(w, inst.src[0]);
    });
    add_scalar("s_swappc_b64", 1, [](Wave& w, const Instruction& inst) {
        uint64_t t = read_scalar64(w, inst.src[0]);
        write_scalar64(w, inst.dst[0], inst.pc + 4);
        w.pc = t;
    });
    add_scalar("s_call_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], inst.pc + 4);
        w.pc = inst.pc + 4 + (int64_t)inst.simm16 * 4;
    });
    add_scalar("s_set_gpr_idx_on", 0, [](Wave& w, const Instruction& inst) {
        w.sgpr[reg_m0] = (w.sgpr[reg_m0] & 0xffff0f00u) | (read_scalar(w, inst.src[0]) & 0xff) |
                         ((inst.raw[0] >> 8 & 0xf) << 12);
        w.gpr_index_mode = inst.raw[0] >> 8 & 0xf;
    });
    add_scalar("s_set_gpr_idx_off", 0, [](Wave& w, const Instruction&) { w.gpr_index_mode = 0; });
    add_scalar("s_set_gpr_idx_idx", 0, [](Wave& w, const Instruction& inst) {
        w.sgpr[reg_m0] = (w.sgpr[reg_m0] & ~0xffu) | (read_scalar(w, inst.src[0]) & 0xff);
    });
    add_scalar("s_set_gpr_idx_mode", 0, [](Wave& w, const Instruction& inst) {
        w.gpr_index_mode = inst.simm16 & 0xf;
        w.sgpr[reg_m0]   = (w.sgpr[reg_m0] & 0xffff0fffu) | (w.gpr_index_mode << 12);
    });
    add_scalar("s_memtime", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], w.instructions_run * 4);
    });
    add_scalar("s_memrealtime", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], w.instructions_run);
    });
    add_scalar("s_sendmsg_rtn_b32", 1, [](Wave& w, const Instruction& inst) {
        write_scalar(w, inst.dst[0], (uint32_t)w.instructions_run);
    });
    add_scalar("s_sendmsg_rtn_b64", 1, [](Wave& w, const Instruction& inst) {
        write_scalar64(w, inst.dst[0], w.instructions_run);
    });
    add_scalar("s_getreg_b32", 1, get_register);
    add_scalar("s_setreg_b32", 0, [](Wave& w, const Instruction& inst) {
        set_register(w, inst, read_scalar(w, inst.src[inst.n_src ? inst.n_src - 1 : 0]));
    });
    add_scalar("s_setreg_imm32_b32", 0, [](Wave& w, const Instruction& inst) {
        set_register(w, inst, inst.raw[1]);
    });
}
} // namespace emu
