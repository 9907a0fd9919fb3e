# Checks of flags: which are refused, and why.

# Stops unless CK_SANITIZE is a list, with commas, of sanitizers that kernels run under.
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

# Stops where a build type that optimises has no flags. CMake leaves a cache so when its first configuration finds no
# compiler; the library would be built, and slow.
function(ck_check_optimisation)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    if(type MATCHES "^(RELEASE|RELWITHDEBINFO|MINSIZEREL)$" AND NOT CMAKE_CXX_FLAGS_${type} MATCHES "[^ ]"
            AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
        message(FATAL_ERROR "CMAKE_CXX_FLAGS_${type} is empty: this build folder was configured before there was a "
            "compiler. Delete ${CMAKE_BINARY_DIR} and configure again.")
    endif()
endfunction()
