# The project inside a parent's, by add_subdirectory: it adds its libraries and changes nothing of the parent's.
# Needs: SOURCE SCRATCH COMPILER GENERATOR
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")

# The parent has targets of the names that components of the library have, and no build type.
file(CONFIGURE OUTPUT "${SCRATCH}/parent/CMakeLists.txt" @ONLY CONTENT [[
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES CXX)
foreach(name headers utility conv distributed library profiler tests examples)
    add_library(${name} INTERFACE)
endforeach()
set(flags "${CMAKE_CXX_FLAGS_RELEASE}")
set(install_prefix "${CMAKE_INSTALL_PREFIX}")
add_subdirectory("@SOURCE@" ck)

function(expect what is should_be)
    if(NOT "${is}" STREQUAL "${should_be}")
        message(SEND_ERROR "WRONG: ${what} is '${is}' after add_subdirectory, and was '${should_be}'")
    endif()
endfunction()
get_property(build_type CACHE CMAKE_BUILD_TYPE PROPERTY VALUE)
expect("the cache's CMAKE_BUILD_TYPE" "${build_type}" "")
expect(CMAKE_BUILD_TYPE "${CMAKE_BUILD_TYPE}" "")
expect(CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}" "${flags}")
expect(CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}" "${install_prefix}")
foreach(option CK_BUILD_TESTS CK_BUILD_EXAMPLES CK_BUILD_PROFILER CK_INSTALL)
    get_property(value CACHE ${option} PROPERTY VALUE)
    expect(${option} "${value}" OFF)
endforeach()

# Every target of the project has a name that no parent's has: ck_..., or that of Composable Kernel's library.
function(check_targets folder)
    get_property(targets DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
        if(NOT target MATCHES "^ck_|^device_[a-z]+_operations$")
            message(SEND_ERROR "WRONG: the target ${target} of ${folder} could be a parent's")
        endif()
        set_property(GLOBAL APPEND PROPERTY CHECKED_TARGETS ${target})
    endforeach()
    get_property(subfolders DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
    foreach(subfolder IN LISTS subfolders)
        check_targets("${subfolder}")
    endforeach()
endfunction()
check_targets("@SOURCE@")
get_property(checked GLOBAL PROPERTY CHECKED_TARGETS)
list(LENGTH checked count)
message(STATUS "${count} targets checked")
if(count LESS 6)
    message(SEND_ERROR "WRONG: the project has the targets '${checked}' alone")
endif()

file(WRITE "${CMAKE_BINARY_DIR}/main.cpp" "int main() {}\n")
add_executable(program "${CMAKE_BINARY_DIR}/main.cpp")
target_link_libraries(program PRIVATE composable_kernel::headers composable_kernel::utility composable_kernel::conv
    composable_kernel::distributed composable_kernel::device_conv_operations composable_kernel::device_gemm_operations)
]])

# configures(<regex> <options>...): the parent configures, and says what the regular expression finds.
function(configures regex)
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SCRATCH}/parent" -B "${SCRATCH}/build" -G "${GENERATOR}"
        "-DCMAKE_CXX_COMPILER=${COMPILER}" ${ARGN}
        RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed OR output MATCHES "WRONG" OR NOT output MATCHES "${regex}")
        message(FATAL_ERROR "expected '${regex}' of a parent project that configures:\n${output}")
    endif()
endfunction()
configures("built without optimisation: CMAKE_BUILD_TYPE is empty")
configures("the libraries of composable_kernel are static all the same" -DBUILD_SHARED_LIBS=ON)
