# An example as a project of its own, against a package of a platform that has none of its engines: it is configured, and
# one message says that nothing is built. Others say nothing of the kind.
# Needs: SOURCE SCRATCH COMPILER GENERATOR
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")

function(configure folder platform)
    # a package of nothing; the language of kernels has no compiler here
    file(WRITE "${SCRATCH}/${platform}/composable_kernel-config.cmake" "
set(composable_kernel_PLATFORM ${platform})
set(composable_kernel_PROGRAMS \"${SOURCE}\")
add_library(composable_kernel::utility INTERFACE IMPORTED)
function(enable_language)
endfunction()
")
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}/example/${folder}" -B "${SCRATCH}/${platform}/${folder}"
        -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-Dcomposable_kernel_DIR=${SCRATCH}/${platform}"
        OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
    if(failed)
        message(FATAL_ERROR "example/${folder} on ${platform}:\n${output}")
    endif()
    string(REGEX MATCHALL "example/${folder} builds nothing on [^\n]*" said "${output}")
    set(said "${said}" PARENT_SCOPE)
endfunction()

set(reductions 10_convnd_fwd_multiple_d_multiple_reduce)
configure(${reductions} nvidia)
if(NOT said STREQUAL "example/${reductions} builds nothing on nvidia: no program of it is for mma, dl")
    message(FATAL_ERROR "on nvidia it says: '${said}'")
endif()
foreach(folder ${reductions} 17_convnd_bwd_data 52_im2col_col2im)
    configure(${folder} host)
    if(said)
        message(FATAL_ERROR "on host it says: '${said}'")
    endif()
endforeach()
