# Version, and the generated headers ck/config.h and ck/version.h.
if(CK_INSTALL)
    find_package(ROCM 0.7 QUIET PATHS /opt/rocm /usr/share/rocm/cmake)
    if(NOT ROCM_FOUND)
        message(FATAL_ERROR "CK_INSTALL=ON needs rocm-cmake (Debian: apt install rocm-cmake); "
            "-DCK_INSTALL=OFF builds without install rules and packages.")
    endif()
    include(ROCMSetupVersion)
    rocm_setup_version(VERSION ${PROJECT_VERSION} NO_GIT_TAG_VERSION)
endif()

set(CK_VERSION "${PROJECT_VERSION}")
set(CK_COMMIT_ID "unknown")
find_package(Git QUIET)
if(Git_FOUND)
    execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse HEAD WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(CK_COMMIT_ID "${commit}")
    endif()
endif()

foreach(family 94 95)
    set(CK_USE_GFX${family} ON)
    if(CK_PLATFORM_AMD AND NOT GPU_TARGETS MATCHES "gfx${family}")
        set(CK_USE_GFX${family} OFF)
    endif()
endforeach()

set(CK_GENERATED_INCLUDE_DIR "${PROJECT_BINARY_DIR}/include")
configure_file("${PROJECT_SOURCE_DIR}/include/ck/config.h.in" "${CK_GENERATED_INCLUDE_DIR}/ck/config.h" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/include/ck/version.h.in" "${CK_GENERATED_INCLUDE_DIR}/ck/version.h" @ONLY)
