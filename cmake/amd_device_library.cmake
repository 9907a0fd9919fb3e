# ck_amd_device_library(<folder> <targets> <rocm> <resource folder>): makes a device library folder that knows all targets,
# from the compiler's own (in its ROCm or its resource folder) or, without one, from another compiler's.
# A distribution's ROCm device libraries can be older than the compiler. For a newer target they lack only one file,
# oclc_isa_version_<n>.bc, with one constant; the compiler makes it here. Their ocml also needs a constant that says
# whether denormals are zero. Compilers since 20 do not supply it, so it is added to the same file.

function(ck_amd_device_library folder targets rocm resources)
    file(GLOB others /opt/rocm/amdgcn/bitcode /usr/lib/*/amdgcn/bitcode
        /usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode /usr/lib/llvm-*/lib/clang/*/lib/amdgcn/bitcode)
    set(candidates "${rocm}/amdgcn/bitcode" "${resources}/amdgcn/bitcode" "${resources}/lib/amdgcn/bitcode" ${others})
    set(CK_ROCM_DEVICE_LIBRARY "" CACHE PATH "Folder of ocml.bc; empty: the first found")
    list(PREPEND candidates ${CK_ROCM_DEVICE_LIBRARY})
    set(source)
    foreach(candidate IN LISTS candidates)
        if(EXISTS "${candidate}/ocml.bc")
            set(source "${candidate}")
            break()
        endif()
    endforeach()
    if(NOT source)
        message(FATAL_ERROR "No ROCm device library (ocml.bc) found. Debian: apt install rocm-device-libs (Debian "
            "13: rocm-device-libs-17); elsewhere set CK_ROCM_DEVICE_LIBRARY.")
    endif()

    message(STATUS "Device library: ${source}")
    file(MAKE_DIRECTORY "${folder}")
    file(GLOB bitcode RELATIVE "${source}" "${source}/*.bc")
    foreach(file IN LISTS bitcode)
        file(CREATE_LINK "${source}/${file}" "${folder}/${file}" SYMBOLIC COPY_ON_ERROR)
    endforeach()
    set(daz)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 20 AND EXISTS "${source}/oclc_daz_opt_off.bc")
        set(daz "@__oclc_daz_opt = linkonce_odr protected local_unnamed_addr addrspace(4) constant i8 0, align 1\n")
    endif()
    foreach(target IN LISTS targets)
        string(REGEX REPLACE "^gfx([0-9a-f]+).*" "\\1" name "${target}") # gfx90a:xnack- is gfx90a
        if(NOT EXISTS "${source}/oclc_isa_version_${name}.bc" OR daz)
            ck_make_isa_version("${folder}" "${name}" "${daz}")
        endif()
    endforeach()
endfunction()

# name: the target without gfx: decimal major version, then minor version and stepping, one hexadecimal digit each.
# more: further constants, or nothing.
function(ck_make_isa_version folder name more)
    set(out "${folder}/oclc_isa_version_${name}.bc")
    if(EXISTS "${out}" AND NOT more)
        return()
    endif()
    file(REMOVE "${out}") # it may be a link to the distribution's file
    if(NOT name MATCHES "^([0-9]+)([0-9a-f])([0-9a-f])$")
        message(FATAL_ERROR "'gfx${name}' is no AMD target name.")
    endif()
    math(EXPR isa "${CMAKE_MATCH_1} * 1000 + 0x${CMAKE_MATCH_2} * 100 + 0x${CMAKE_MATCH_3}")
    file(WRITE "${folder}/empty.c" "")
    execute_process(
        COMMAND "${CMAKE_CXX_COMPILER}" -target amdgcn-amd-amdhsa -nogpulib -x c -S -emit-llvm -o - "${folder}/empty.c"
        OUTPUT_VARIABLE empty_module COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCH "target datalayout[^\n]*" data_layout "${empty_module}")
    file(WRITE "${folder}/isa.ll" "${data_layout}\ntarget triple = \"amdgcn-amd-amdhsa\"\n"
        "@__oclc_ISA_version = linkonce_odr protected local_unnamed_addr addrspace(4) constant i32 ${isa}, align 4\n${more}")
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -target amdgcn-amd-amdhsa -nogpulib -x ir -c -emit-llvm
        -Xclang -disable-llvm-passes "${folder}/isa.ll" -o "${out}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${folder}/isa.ll" "${folder}/empty.c")
    message(STATUS "Device library: made oclc_isa_version_${name}.bc (${isa})")
endfunction()
