# Checks flags, and refuses some with the reason.

# Stops unless CK_SANITIZE is a comma-separated list of sanitizers that work with kernels.
function(ck_check_sanitizers)
    set(known address leak thread undefined)
    string(REPLACE "," ";" sanitizers "${CK_SANITIZE}")
    foreach(sanitizer IN LISTS sanitizers)
        if(NOT sanitizer IN_LIST known)
            list(JOIN known ", " known)
            message(FATAL_ERROR "CK_SANITIZE is '${CK_SANITIZE}', and '${sanitizer}' is none of ${known}. Several are "
                "written with commas; empty: none.")
        endif()
    endforeach()
    if(CK_SANITIZE AND NOT CK_PLATFORM_HOST)
        message(FATAL_ERROR "CK_SANITIZE is '${CK_SANITIZE}', and sanitizers are for CK_PLATFORM=host.")
    endif()
endfunction()

# Stops if CMake has no flags for the build type, for example because it is misspelt. Otherwise the library would silently
# be built without optimisation. A parent project may have no build type.
function(ck_check_build_type)
    set(known Debug Release RelWithDebInfo MinSizeRel)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(TOUPPER "${known}" known_types)
    if(CMAKE_BUILD_TYPE AND NOT type IN_LIST known_types AND NOT CMAKE_CXX_FLAGS_${type}) # for unknown types CMake sets empty flags
        list(JOIN known ", " known)
        message(FATAL_ERROR "CMAKE_BUILD_TYPE is '${CMAKE_BUILD_TYPE}'; its choices are ${known}, and others whose "
            "flags are in CMAKE_CXX_FLAGS_${type}.")
    endif()
    get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
    if(NOT CMAKE_BUILD_TYPE AND NOT multi_config AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
        message(STATUS "composable_kernel is built without optimisation: CMAKE_BUILD_TYPE is empty")
    endif()
endfunction()

# Stops if shared libraries are requested. A parent project's choice concerns only its own libraries.
function(ck_check_shared)
    if(BUILD_SHARED_LIBS AND PROJECT_IS_TOP_LEVEL)
        message(FATAL_ERROR "BUILD_SHARED_LIBS is ON, but the libraries of C++ are static ones; libck_conv.so "
            "(composable_kernel::ck_conv), the library of C and Python, is always shared. Leave it OFF.")
    elseif(BUILD_SHARED_LIBS)
        message(STATUS "BUILD_SHARED_LIBS is ON; the libraries of composable_kernel are static all the same, but for libck_conv.so")
    endif()
endfunction()

# Stops if a build type that optimises has no flags. CMake leaves such a cache if the first configuration finds no
# compiler. The library would be built, but slow.
function(ck_check_optimisation)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    if(type MATCHES "^(RELEASE|RELWITHDEBINFO|MINSIZEREL)$" AND NOT CMAKE_CXX_FLAGS_${type} MATCHES "[^ ]"
            AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
        message(FATAL_ERROR "CMAKE_CXX_FLAGS_${type} is empty: this build folder was configured before there was a "
            "compiler. Delete ${CMAKE_BINARY_DIR} and configure again.")
    endif()
endfunction()
