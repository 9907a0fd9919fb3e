# CK_PLATFORM=amd: every .cpp of the project is HIP, compiled by clang with `-x hip`. CMake's HIP language is not
# used, because it needs a ROCm installation, which Debian does not have. hipcc also works as compiler.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CK_PLATFORM=amd needs clang or hipcc; CMAKE_CXX_COMPILER is ${CMAKE_CXX_COMPILER} "
        "(${CMAKE_CXX_COMPILER_ID}). Debian: apt install hipcc, then -DCMAKE_CXX_COMPILER=clang++-15.")
endif()
function(ck_compiler_knows target result)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -x hip --cuda-device-only --offload-arch=${target} -nogpulib -nogpuinc
        -E /dev/null RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
    if(unknown)
        set(${result} FALSE PARENT_SCOPE)
    else()
        set(${result} TRUE PARENT_SCOPE)
    endif()
endfunction()

set(default_targets)
if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 17)
    foreach(target gfx90a gfx942 gfx950 gfx1100 gfx1200) # LLVM 17 does not know gfx12, nor LLVM 19 gfx950
        ck_compiler_knows(${target} known)
        if(known)
            list(APPEND default_targets ${target})
        endif()
    endforeach()
else() # LLVM 15 knows gfx11, but has no WMMA builtins
    set(default_targets gfx908 gfx90a gfx1030)
endif()
set(GPU_TARGETS "${default_targets}" CACHE STRING "AMD targets to build for")
foreach(target IN LISTS GPU_TARGETS)
    ck_compiler_knows(${target} known)
    if(NOT known)
        list(JOIN default_targets ", " default_targets)
        message(FATAL_ERROR "GPU_TARGETS has '${target}', which ${CMAKE_CXX_COMPILER} does not know; "
            "its choices are ${default_targets} and others of the compiler's.")
    endif()
endforeach()

# Search first in the ROCm installation of the compiler, <rocm>/llvm/bin/clang++ or <rocm>/bin/hipcc.
string(REGEX REPLACE "(/lib)?(/llvm)?/bin/[^/]*$" "" rocm "${CMAKE_CXX_COMPILER}")
find_path(CK_HIP_INCLUDE_DIR hip/hip_runtime.h HINTS "${rocm}/include" PATHS /opt/rocm/include NO_CMAKE_FIND_ROOT_PATH)
find_library(CK_HIP_LIBRARY amdhip64 HINTS "${rocm}/lib" PATHS /opt/rocm/lib NO_CMAKE_FIND_ROOT_PATH)
if(NOT CK_HIP_INCLUDE_DIR OR NOT CK_HIP_LIBRARY)
    message(FATAL_ERROR "No HIP runtime (hip/hip_runtime.h, libamdhip64.so) found, neither beside ${CMAKE_CXX_COMPILER} nor "
        "in /opt/rocm. Debian: apt install libamdhip64-dev; elsewhere set CK_HIP_INCLUDE_DIR and CK_HIP_LIBRARY.")
endif()
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-resource-dir
    OUTPUT_VARIABLE resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
include(amd_device_library)
ck_amd_device_library("${PROJECT_BINARY_DIR}/amdgcn/bitcode" "${GPU_TARGETS}" "${rocm}" "${resource_dir}")

get_filename_component(rocm "${CK_HIP_INCLUDE_DIR}" DIRECTORY)
list(TRANSFORM GPU_TARGETS PREPEND "--offload-arch=" OUTPUT_VARIABLE offload_options)
set(CK_LANGUAGE_OPTIONS
    -x hip ${offload_options} "--rocm-path=${rocm}" "--rocm-device-lib-path=${PROJECT_BINARY_DIR}/amdgcn/bitcode"
    "SHELL:-idirafter ${resource_dir}" # HIP's headers include the compiler's <include/...>
    -Wno-unused-command-line-argument)
if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19) # HIP runtimes before 6.0 cannot read compressed code objects
    list(APPEND CK_LANGUAGE_OPTIONS --no-offload-compress)
endif()
if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 20) # ... nor code objects of version 6, which clang 20 and later write by default
    list(APPEND CK_LANGUAGE_OPTIONS -mcode-object-version=5)
endif()

# A client's sources are HIP, too, because _Float16 is part of the library's symbols. hipcc adds the rest; a client that
# compiles with clang must pass --offload-arch itself.
target_compile_options(ck_headers INTERFACE "$<INSTALL_INTERFACE:SHELL:-x hip>")
target_compile_definitions(ck_headers INTERFACE __HIP_PLATFORM_AMD__)
target_include_directories(ck_headers SYSTEM INTERFACE "$<BUILD_INTERFACE:${CK_HIP_INCLUDE_DIR}>")
target_link_libraries(ck_headers INTERFACE "$<BUILD_INTERFACE:${CK_HIP_LIBRARY}>" "$<INSTALL_INTERFACE:amdhip64>")
message(STATUS "CK_PLATFORM=amd for ${GPU_TARGETS}, HIP of ${rocm}")
