# An installation of AMD's ROCm as its packages lay it out, made of links to another compiler, runtime and device library:
# the project configures with it and takes nothing from elsewhere, and the scripts see it.
# Needs: SOURCE SCRATCH COMPILER (a clang) HIP_INCLUDE HIP_LIBRARY BITCODE GENERATOR
cmake_minimum_required(VERSION 3.21)
set(rocm "${SCRATCH}/rocm")
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${rocm}/llvm/bin" "${rocm}/include" "${rocm}/lib" "${rocm}/amdgcn")
file(WRITE "${rocm}/llvm/bin/clang++" "#!/bin/sh\nexec ${COMPILER} --driver-mode=g++ \"$@\"\n")
file(CHMOD "${rocm}/llvm/bin/clang++" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(CREATE_LINK "${HIP_INCLUDE}/hip" "${rocm}/include/hip" SYMBOLIC)
file(CREATE_LINK "${HIP_LIBRARY}" "${rocm}/lib/libamdhip64.so" SYMBOLIC)
file(CREATE_LINK "${BITCODE}" "${rocm}/amdgcn/bitcode" SYMBOLIC)

execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}/build" -G "${GENERATOR}" -DCK_PLATFORM=amd
    "-DCMAKE_CXX_COMPILER=${rocm}/llvm/bin/clang++" -DGPU_TARGETS=gfx90a -DCK_INSTALL=OFF -DCK_BUILD_TESTS=OFF
    -DCK_BUILD_EXAMPLES=OFF RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
foreach(expected "Device library: ${rocm}/amdgcn/bitcode" "HIP of ${rocm}\n")
    string(FIND "${output}" "${expected}" at)
    if(failed OR at EQUAL -1)
        message(FATAL_ERROR "expected '${expected}' of configuring:\n${output}")
    endif()
endforeach()

execute_process(COMMAND "${CMAKE_COMMAND}" -E env "ROCM_PATH=${rocm}" bash -euc ". '${SOURCE}/script/common.sh'; amd_preset"
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(failed OR NOT output STREQUAL "amd-rocm ${rocm}/llvm/bin/clang++\n")
    message(FATAL_ERROR "script/common.sh does not see the ROCm in ${rocm}: ${output}")
endif()
