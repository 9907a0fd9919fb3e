# cmake/old_glibc links in folders with spaces in their names, with a program in place of zig that makes an empty file.
# Needs: SOURCE SCRATCH COMPILER GENERATOR
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")
set(tree "${SCRATCH}/a tree")
file(COPY "${SOURCE}/cmake/old_glibc" "${SOURCE}/cmake/old_glibc.cmake" DESTINATION "${tree}/cmake")
file(WRITE "${tree}/a zig/zig" [[#!/bin/sh
while [ "$1" != -o ]; do shift; done
echo "linked by zig" >"$2"
]])
file(CHMOD "${tree}/a zig/zig" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(WRITE "${tree}/a.cpp" "int a() { return 1; }\n")
file(WRITE "${tree}/CMakeLists.txt" [[cmake_minimum_required(VERSION 3.22)
project(a CXX)
function(ck_no_kernels)
endfunction()
include(cmake/old_glibc.cmake)
add_library(a SHARED a.cpp)
ck_link_for_old_glibc(a)
]])

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(failed)
        message(FATAL_ERROR "${ARGN}:\n${out}")
    endif()
endfunction()
run("${CMAKE_COMMAND}" -S "${tree}" -B "${tree}/build" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCK_GLIBC=2.28
    "-DCK_ZIG=${tree}/a zig/zig")
run("${CMAKE_COMMAND}" --build "${tree}/build")
file(GLOB library "${tree}/build/liba.so" "${tree}/build/*/liba.so")
file(READ "${library}" text)
if(NOT text STREQUAL "linked by zig\n")
    message(FATAL_ERROR "${library} was not linked by zig: '${text}'")
endif()
