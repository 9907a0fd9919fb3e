# Makes the .deb of a finished build, installs it into a scratch root with dpkg, builds test/package/consumer and
# client_example against it, and runs the consumer's programs.
# Needs: BUILD SOURCE SCRATCH COMPILER FLAGS GENERATOR PLATFORM VERSION
cmake_minimum_required(VERSION 3.21)

find_program(DPKG dpkg)
if(NOT DPKG)
    message("SKIPPED: no dpkg on this machine, nothing of the package was tested")
    return()
endif()
find_program(CPACK cpack REQUIRED)
file(REMOVE_RECURSE "${SCRATCH}")
file(MAKE_DIRECTORY "${SCRATCH}/root/var/lib/dpkg/updates" "${SCRATCH}/root/var/lib/dpkg/info"
    "${SCRATCH}/root/var/lib/dpkg/triggers")
file(WRITE "${SCRATCH}/root/var/lib/dpkg/status" "")
file(WRITE "${SCRATCH}/root/var/lib/dpkg/available" "")

function(run)
    list(JOIN ARGV " " shown)
    message("+ ${shown}")
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(failed)
        message(FATAL_ERROR "${output}\nfailed: ${shown}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

run("${CPACK}" -G DEB --config "${BUILD}/CPackConfig.cmake" -B "${SCRATCH}/cpack")
file(GLOB package "${SCRATCH}/cpack/*.deb")
list(LENGTH package count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "cpack made ${count} packages, expected one: ${package}")
endif()
run("${DPKG}" --root=${SCRATCH}/root --force-not-root --force-depends --install "${package}")
set(prefix "${SCRATCH}/root/usr")

# Nothing of the source or build tree may have found its way into the package.
file(GLOB_RECURSE config "${prefix}/lib/cmake/composable_kernel/*.cmake")
if(NOT config)
    message(FATAL_ERROR "the package holds no CMake package file")
endif()
foreach(file IN LISTS config)
    file(READ "${file}" text)
    foreach(tree "${SOURCE}" "${BUILD}")
        string(FIND "${text}" "${tree}/" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${file} names a path of the build machine: ${tree}")
        endif()
    endforeach()
endforeach()

foreach(project "${SOURCE}/test/package/consumer" "${SOURCE}/client_example")
    get_filename_component(name "${project}" NAME)
    run("${CMAKE_COMMAND}" -S "${project}" -B "${SCRATCH}/${name}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}"
        "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DEXPECTED_VERSION=${VERSION}")
    run("${CMAKE_COMMAND}" --build "${SCRATCH}/${name}")
endforeach()
if(PLATFORM STREQUAL "host")
    foreach(program version header_only first_convolution)
        run("${SCRATCH}/consumer/${program}")
        message("${output}")
    endforeach()
endif()

# A component that nobody knows is an error, and the error names it.
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}/test/package/consumer" -B "${SCRATCH}/unknown"
    -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DEXPECTED_VERSION=${VERSION}" -DEXTRA_COMPONENT=no_such_operations
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT failed OR NOT output MATCHES "no component 'no_such_operations'")
    message(FATAL_ERROR "asking for an unknown component did not fail as it should:\n${output}")
endif()
message("package installed and used")
