# `make install` with Makefiles, of a few kernels, and a project that finds what it installs.
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

run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}/build" -G "Unix Makefiles" "-DCMAKE_CXX_COMPILER=${COMPILER}"
    -DCK_BUILD_TESTS=OFF -DCK_BUILD_EXAMPLES=OFF -DCK_BUILD_PROFILER=OFF -DCK_UNITY=ON "-DCK_KERNELS=^BackwardData<float>"
    -DCMAKE_CXX_FLAGS_RELEASE=-O0 "-DCMAKE_INSTALL_PREFIX=${SCRATCH}/ck")
run(make -C "${SCRATCH}/build" -j4 install)
run("${CMAKE_COMMAND}" -S "${SOURCE}/test/package/first_convolution" -B "${SCRATCH}/first" -G "Unix Makefiles"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${SCRATCH}/ck")
run(make -C "${SCRATCH}/first")
run("${SCRATCH}/first/first_convolution")
message("installed by make and used")
