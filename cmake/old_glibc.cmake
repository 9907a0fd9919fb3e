# Links libck_conv.so for systems with an older glibc than this one, as the wheels' tag manylinux_2_28 requires.

set(CK_GLIBC "" CACHE STRING "Oldest glibc that libck_conv.so is for, as 2.28 (needs CK_ZIG; empty: this system's)")
set(CK_ZIG "" CACHE FILEPATH "The program zig of PyPI's ziglang, for CK_GLIBC")

# Links a shared library for the glibc version CK_GLIBC, if it is set.
function(ck_link_for_old_glibc target)
    if(NOT CK_GLIBC)
        return()
    endif()
    if(NOT CK_GLIBC MATCHES "^2\\.[0-9]+$" OR CK_GLIBC VERSION_LESS 2.28)
        message(FATAL_ERROR "CK_GLIBC is '${CK_GLIBC}', but must be 2.28 or a later version, as 2.34.")
    endif()
    if(NOT EXISTS "${CK_ZIG}" OR IS_DIRECTORY "${CK_ZIG}")
        message(FATAL_ERROR "CK_GLIBC is ${CK_GLIBC}, and CK_ZIG, the program that links for it, is '${CK_ZIG}', which "
            "is no file. `pip install ziglang` brings it; script/wheel does all of this.")
    endif()
    set(folder "${PROJECT_SOURCE_DIR}/cmake/old_glibc")
    target_sources(${target} PRIVATE "${folder}/since_2_28.cpp")
    ck_no_kernels("${folder}/since_2_28.cpp")
    set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK "\"${folder}/link\" \"${CK_ZIG}\" ${CK_GLIBC}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${folder}/link")
endfunction()
