#pragma once
// The processor that this pass compiles for, and the instructions that a kernel needs. The host
// asks `meets` about the device that it will launch on, and the kernel entry asks it about its
// target.
#include "ck/utility/integer.hpp"

#include <cstddef>
#include <string_view>

namespace ck::arch {

enum class Target
{
    host,      // the CPU: the emulated platform, and the host pass of a GPU compiler
    gfx908,    // CDNA 1
    gfx90a,    // CDNA 2
    gfx942,    // CDNA 3, also gfx940 and gfx941
    gfx950,    // CDNA 4
    gfx10,     // RDNA 1 and 2: gfx1010 to gfx1036
    gfx11,     // RDNA 3 and 3.5: gfx1100 to gfx1103, gfx1150 to gfx1153
    gfx12,     // RDNA 4: gfx1200 and gfx1201
    gfx125,    // gfx1250 and gfx1251: only dot products; their matrix instructions are not in the
               // table
    sm80,      // NVIDIA Ampere, Ada, and later ones that are not Hopper, used like sm_80
    sm90,      // NVIDIA Hopper
    other_amd, // no known matrix instructions
    other_nvidia, // NVIDIA without known matrix instructions
};

// The only place that detects the target of this pass.
#if defined(__gfx908__)
inline constexpr Target compiling_for = Target::gfx908;
#elif defined(__gfx90a__)
inline constexpr Target compiling_for = Target::gfx90a;
#elif defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
inline constexpr Target compiling_for = Target::gfx942;
#elif defined(__gfx950__)
inline constexpr Target compiling_for = Target::gfx950;
#elif defined(__GFX10__)
inline constexpr Target compiling_for = Target::gfx10;
#elif defined(__GFX11__)
inline constexpr Target compiling_for = Target::gfx11;
#elif defined(__gfx1200__) || defined(__gfx1201__)
inline constexpr Target compiling_for = Target::gfx12;
#elif defined(__gfx1250__) || defined(__gfx1251__)
inline constexpr Target compiling_for = Target::gfx125;
#elif defined(__HIP_DEVICE_COMPILE__) // not __AMDGCN__: clang defines that in HIP's host pass, too
inline constexpr Target compiling_for = Target::other_amd;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr Target compiling_for = Target::other_nvidia;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900
inline constexpr Target compiling_for = Target::sm90;
#elif defined(__CUDA_ARCH__)
inline constexpr Target compiling_for = Target::sm80;
#else
inline constexpr Target compiling_for = Target::host;
#endif

/// True if the whole program is plain host C++ and every kernel runs on the CPU.
#if defined(CK_LANGUAGE_HIP) || defined(CK_LANGUAGE_CUDA)
inline constexpr bool emulated = false;
#else
inline constexpr bool emulated        = true;
#endif

/// The instructions that a kernel needs.
enum class Requirement
{
    none,
    mfma,              // f16 and f32 MFMA
    mfma_bf16,         // bf16 MFMA of gfx908: half the k of later ones
    mfma_bf16_1k,      // bf16 MFMA with the same k as f16
    mfma_i8,           // int8 MFMA of gfx908: half the k of later ones
    mfma_i8_gfx942,    // int8 MFMA with twice that k
    mfma_gfx942,       // MFMA of eight-bit floats (FNUZ); xf32
    mfma_gfx950,       // MFMA with twice the k for f16, bf16, int8; for eight-bit floats (OCP)
    mfma_f64,          // MFMA of doubles
    wmma_gfx11,        // WMMA with operands replicated in both halves of the wave
    wmma_gfx12,        // WMMA with operands spread over the wave
    mma_sync,          // the warp-wide mma of sm_80
    mma_sync_f64,      // the warp-wide mma for doubles
    mma_sync_f64_sm90, // the same with 16 rows
    mma_sync_f8,       // the warp-wide mma for eight-bit floats
    wgmma,             // the warpgroup-wide mma of sm_90a
};

CK_HOST_DEVICE constexpr bool meets(Target target, Requirement requirement)
{
    using enum Target;
    if(target == host)
        return true;
    switch(requirement)
    {
    case Requirement::none:
        return true;
    case Requirement::mfma:
        return target == gfx908 || target == gfx90a || target == gfx942 || target == gfx950;
    case Requirement::mfma_bf16:
    case Requirement::mfma_i8:
        return target == gfx908 || target == gfx90a;
    case Requirement::mfma_bf16_1k:
    case Requirement::mfma_f64:
        return target == gfx90a || target == gfx942 || target == gfx950;
    case Requirement::mfma_i8_gfx942:
        return target == gfx942 || target == gfx950;
    case Requirement::mfma_gfx942:
        return target == gfx942;
    case Requirement::mfma_gfx950:
        return target == gfx950;
    case Requirement::wmma_gfx11:
        return target == gfx11;
    case Requirement::wmma_gfx12:
        return target == gfx12;
    case Requirement::mma_sync:
    case Requirement::mma_sync_f64:
        return target == sm80 || target == sm90;
    case Requirement::mma_sync_f64_sm90:
    case Requirement::mma_sync_f8:
    case Requirement::wgmma:
        return target == sm90;
    }
    return false;
}

/// Whether it is an MFMA of any type.
CK_HOST_DEVICE constexpr bool is_mfma(Requirement requirement)
{
    using enum Target;
    return requirement != Requirement::none &&
           (meets(gfx908, requirement) || meets(gfx942, requirement) || meets(gfx950, requirement));
}

/// Whether it is a WMMA of any type.
CK_HOST_DEVICE constexpr bool is_wmma(Requirement requirement)
{
    return requirement == Requirement::wmma_gfx11 || requirement == Requirement::wmma_gfx12;
}

/// Whether it is a warp-wide mma of any type.
CK_HOST_DEVICE constexpr bool is_mma_sync(Requirement requirement)
{
    return requirement == Requirement::mma_sync || requirement == Requirement::mma_sync_f64 ||
           requirement == Requirement::mma_sync_f64_sm90 || requirement == Requirement::mma_sync_f8;
}

/// Whether ldmatrix loads its operands: all warp-wide mma except those of doubles.
CK_HOST_DEVICE constexpr bool reads_matrices(Requirement requirement)
{
    return requirement == Requirement::mma_sync || requirement == Requirement::mma_sync_f8;
}

CK_HOST_DEVICE constexpr bool is_amd(Target target)
{
    using enum Target;
    return target == gfx908 || target == gfx90a || target == gfx942 || target == gfx950 ||
           target == gfx10 || target == gfx11 || target == gfx12 || target == gfx125 ||
           target == other_amd;
}

CK_HOST_DEVICE constexpr bool is_rdna(Target target)
{
    return target == Target::gfx10 || target == Target::gfx11 || target == Target::gfx12;
}

/// Bytes of shared memory that one workgroup may use on an AMD target (LLVM, "User Guide for AMDGPU
/// Backend"; gfx950: 160 KiB; gfx1250 has more than is used here). NVIDIA devices with the same
/// target have different sizes: see ck::shared_bytes_of_block().
CK_HOST_DEVICE constexpr std::size_t shared_bytes_of_block(Target target)
{
    return (target == Target::gfx950 ? 160 : 64) << 10;
}

CK_HOST_DEVICE constexpr const char* name(Target target)
{
    switch(target)
    {
    case Target::host:
        return "host";
    case Target::gfx908:
        return "gfx908";
    case Target::gfx90a:
        return "gfx90a";
    case Target::gfx942:
        return "gfx942";
    case Target::gfx950:
        return "gfx950";
    case Target::gfx10:
        return "gfx10";
    case Target::gfx11:
        return "gfx11";
    case Target::gfx12:
        return "gfx12";
    case Target::gfx125:
        return "gfx1250, of which dot products alone are used";
    case Target::sm80:
        return "sm_80";
    case Target::sm90:
        return "sm_90";
    case Target::other_amd:
        return "AMD GPU without known matrix instructions";
    case Target::other_nvidia:
        return "NVIDIA GPU before sm_80";
    }
    return "unknown target";
}

/// The name of the instructions in messages, and the targets that have them.
CK_HOST_DEVICE constexpr const char* name(Requirement requirement)
{
    switch(requirement)
    {
    case Requirement::none:
        return "no special instruction";
    case Requirement::mfma:
        return "MFMA (gfx908, gfx90a, gfx942, gfx950)";
    case Requirement::mfma_bf16:
        return "bf16 MFMA of gfx908 (gfx908, gfx90a)";
    case Requirement::mfma_bf16_1k:
        return "bf16_1k MFMA (gfx90a, gfx942, gfx950)";
    case Requirement::mfma_i8:
        return "int8 MFMA of gfx908 (gfx908, gfx90a)";
    case Requirement::mfma_i8_gfx942:
        return "int8 MFMA of gfx942 (gfx942, gfx950)";
    case Requirement::mfma_gfx942:
        return "MFMA of gfx942";
    case Requirement::mfma_gfx950:
        return "MFMA of gfx950";
    case Requirement::mfma_f64:
        return "f64 MFMA (gfx90a, gfx942, gfx950)";
    case Requirement::wmma_gfx11:
        return "WMMA of gfx11";
    case Requirement::wmma_gfx12:
        return "WMMA of gfx12";
    case Requirement::mma_sync:
        return "mma.sync (sm_80 and later)";
    case Requirement::mma_sync_f64:
        return "f64 mma.sync (sm_80 and later)";
    case Requirement::mma_sync_f64_sm90:
        return "f64 mma.sync of 16 rows (sm_90)";
    case Requirement::mma_sync_f8:
        return "mma.sync of eight-bit floats (sm_90)";
    case Requirement::wgmma:
        return "wgmma (sm_90)";
    }
    return "unknown requirement";
}

/// The target of a device by its name: hipDeviceProp_t::gcnArchName on AMD
/// ("gfx90a:sramecc+:xnack-"), "sm_" and the compute capability on NVIDIA ("sm_90"), or "host".
/// Never throws: an unknown device only meets Requirement::none.
constexpr Target target_from_name(std::string_view device_name)
{
    const std::string_view device = device_name.substr(0, device_name.find(':'));
    if(device == "host")
        return Target::host;
    if(device == "gfx908")
        return Target::gfx908;
    if(device == "gfx90a")
        return Target::gfx90a;
    if(device == "gfx940" || device == "gfx941" || device == "gfx942")
        return Target::gfx942;
    if(device == "gfx950")
        return Target::gfx950;
    if(device == "gfx1200" || device == "gfx1201")
        return Target::gfx12;
    if(device == "gfx1250" || device == "gfx1251")
        return Target::gfx125;
    if(device.size() == 7 && device.starts_with("gfx10"))
        return Target::gfx10;
    if(device.size() == 7 && (device.starts_with("gfx110") || device.starts_with("gfx115")) &&
       device[6] >= '0' && device[6] <= '3')
        return Target::gfx11;
    if(!device.starts_with("sm_"))
        return Target::other_amd;

    index_t capability = 0;
    for(const char digit : device.substr(3))
    {
        if(digit < '0' || digit > '9')
            break; // "sm_90a"
        capability = capability * 10 + (digit - '0');
    }
    if(capability < 80)
        return Target::other_nvidia;
    return capability == 90 ? Target::sm90 : Target::sm80;
}

/// Bytes of shared memory that one block may use on a device by its name, as for
/// target_from_name(). NVIDIA: "CUDA Programming Guide", "Compute Capabilities"; what an unknown
/// one has at least. The host emulates any number.
constexpr std::size_t shared_bytes_of_device(std::string_view device_name)
{
    const Target target = target_from_name(device_name);
    if(target == Target::host)
        return ~std::size_t{0};
    if(is_amd(target))
        return shared_bytes_of_block(target);
    for(const std::string_view device : {"sm_80", "sm_87"})
        if(device_name == device)
            return 163 << 10;
    for(const std::string_view device : {"sm_90", "sm_90a", "sm_100", "sm_103", "sm_110"})
        if(device_name == device)
            return 227 << 10;
    return (target == Target::other_nvidia ? 48 : 99) << 10;
}

/// Ends the program. Reached by a kernel on a target that it was not built for.
CK_DEVICE inline void trap()
{
#if defined(__CUDA_ARCH__)
    __trap();
#else
    __builtin_trap();
#endif
}

} // namespace ck::arch
