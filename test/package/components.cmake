# Part of install_and_use.cmake: clients of single components need only what these need. What else the library was
# built with, MPI and SQLite, is linked although the client does not name it.
set(client_number 0)

# client(<components> <linked> <source> <options>...): configures test/package/components; its status and words are left in
# `failed` and `words`.
macro(client components linked source)
    math(EXPR client_number "${client_number} + 1")
    set(client_build "${SCRATCH}/components_${client_number}")
    execute_process(COMMAND "${CMAKE_COMMAND}" --no-warn-unused-cli -S "${SOURCE}/test/package/components" -B "${client_build}"
        -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
        "-DCOMPONENTS=${components}" -DLINKED=${linked} -DSOURCE=${source} ${ARGN}
        RESULT_VARIABLE failed OUTPUT_VARIABLE words ERROR_VARIABLE words)
    string(REGEX REPLACE "[ \n]+" " " words "${words}")
    message("+ a client of the components '${components}' ${ARGN}")
endmacro()
set(hidden -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON)

client("device_conv_operations" device_conv_operations instances.cpp ${hidden})
if(failed OR words MATCHES "MPI|SQLite")
    message(FATAL_ERROR "device_conv_operations needs more than it has to:\n${words}")
endif()
run("${CMAKE_COMMAND}" --build "${client_build}")
run("${client_build}/client")

client("" device_conv_operations instances.cpp ${hidden})
if(failed)
    message(FATAL_ERROR "a client that names no components needs MPI or SQLite:\n${words}")
endif()
file(READ "${prefix}/lib/cmake/composable_kernel/composable_kernel-components.cmake" needs)
foreach(package MPI SQLite3)
    if(NOT needs MATCHES "composable_kernel_needs\\([^ ]* [^ ]* ${package}")
        message("this library was built without ${package}: a client without it was not tested")
        continue()
    endif()
    set(sentence "composable_kernel was built with ${package}, which is not found here \\(Debian: lib[a-z0-9]+-dev\\)")
    if(NOT words MATCHES "${sentence}")
        message(FATAL_ERROR "a client that names no components is not told that ${package} is absent:\n${words}")
    endif()
    client("headers;distributed" distributed ranks.cpp -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
    if(NOT failed OR NOT words MATCHES "${sentence}")
        message(FATAL_ERROR "a client of `distributed` without ${package} is not told so:\n${words}")
    endif()
    client("" device_conv_operations instances.cpp ${hidden})
endforeach()

client("distributed" distributed ranks.cpp)
if(failed)
    message(FATAL_ERROR "a client of `distributed` does not configure:\n${words}")
endif()
run("${CMAKE_COMMAND}" --build "${client_build}")
run("${client_build}/client")
set(has_mpi no)
if(needs MATCHES " distributed MPI ")
    set(has_mpi yes)
endif()
set(expected_ranks "MPI ${has_mpi}, NCCL no")
if(NOT output MATCHES "${expected_ranks}")
    message(FATAL_ERROR "expected '${expected_ranks}' of a client that says:\n${output}")
endif()

# The same without CMake: neither MPI's libraries are named nor any other but ours.
run("${COMPILER}" -std=c++20 "-I${prefix}/include" "${SOURCE}/test/package/components/ranks.cpp"
    "-L${prefix}/lib" -lck_distributed -o "${SCRATCH}/linked_by_hand")
run("${SCRATCH}/linked_by_hand")
if(NOT output MATCHES "${expected_ranks}")
    message(FATAL_ERROR "expected '${expected_ranks}' of a client linked by hand that says:\n${output}")
endif()
