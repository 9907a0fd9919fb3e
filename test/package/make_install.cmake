# The conda recipe's build.sh, with Makefiles, of a few kernels, and programs that find what it installs, by CMake, by
# pkg-config and from Python.
# Needs: SOURCE SCRATCH COMPILER
cmake_minimum_required(VERSION 3.21)
file(REMOVE_RECURSE "${SCRATCH}")
function(run)
    list(JOIN ARGV " " shown)
    message("+ ${shown}")
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        message(FATAL_ERROR "${output}\nfailed: ${shown}")
    endif()
endfunction()

find_program(PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
set(site lib/python3/site-packages)
run("${CMAKE_COMMAND}" -E env "SRC_DIR=${SOURCE}" "CK_BUILD=${SCRATCH}/build" "PREFIX=${SCRATCH}/ck" "PYTHON=${PYTHON}"
    "SP_DIR=${SCRATCH}/ck/${site}" CPU_COUNT=4 "CMAKE_ARGS=-DCMAKE_CXX_COMPILER=${COMPILER} -DCK_UNITY=ON \
    -DCK_KERNELS=^BackwardData<float> -DCMAKE_CXX_FLAGS_RELEASE=-O0" "${SOURCE}/packaging/conda/build.sh")
run("${CMAKE_COMMAND}" -S "${SOURCE}/test/package/first_convolution" -B "${SCRATCH}/first" -G "Unix Makefiles"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${SCRATCH}/ck")
run(make -C "${SCRATCH}/first")
run("${SCRATCH}/first/first_convolution")

# pkg_config(<variable> <package>): the words of its flags, of an installation that has been moved.
find_program(PKG_CONFIG pkg-config REQUIRED)
file(RENAME "${SCRATCH}/ck" "${SCRATCH}/moved")
function(pkg_config variable package)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${SCRATCH}/moved/lib/pkgconfig" "${PKG_CONFIG}"
        --cflags --libs ${package} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        message(FATAL_ERROR "pkg-config ${package}: ${output}")
    endif()
    separate_arguments(output UNIX_COMMAND "${output}")
    set(${variable} ${output} PARENT_SCOPE)
endfunction()
file(WRITE "${SCRATCH}/plan.cpp" [[
#include "ck/conv.hpp"
#include <cstdio>
int main()
{
    const ck::ConvSpec spec{.direction = ck::Direction::backward_data, .type = ck::DataType::f32, .n = 1, .k = 4, .c = 4, .input = {5}, .filter = {3}};
    std::puts(ck::plan(spec).kernel().c_str());
}
]])
pkg_config(flags composable_kernel)
run("${COMPILER}" "${SCRATCH}/plan.cpp" -o "${SCRATCH}/plan" ${flags})
run("${SCRATCH}/plan")
file(WRITE "${SCRATCH}/version.c" [[
#include "ck/conv.h"
#include <stdio.h>
int main(void) { return puts(ck_conv_version()) < 0; }
]])
pkg_config(flags ck_conv)
run("${COMPILER}" -x c "${SCRATCH}/version.c" -x none -o "${SCRATCH}/version" ${flags})
run("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${SCRATCH}/moved/lib" "${SCRATCH}/version")
file(STRINGS "${SOURCE}/version.txt" version)
run("${CMAKE_COMMAND}" -E env "PYTHONPATH=${SCRATCH}/moved/${site}" --unset=CK_CONV_LIBRARY "${PYTHON}" -B -c
    "import ck_conv\nassert ck_conv.version() == '${version}' and ck_conv.__file__.startswith('${SCRATCH}'), ck_conv")
message("installed by the recipe and used")
