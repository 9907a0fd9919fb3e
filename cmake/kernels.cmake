# The sources of the library's kernels. library/src/tables/manifest.hpp lists the kernels. A program that includes it
# writes the sources whenever the build is configured.
#
# ck_write_kernels(<variable>)
#   appends the sources for CK_PLATFORM, CK_INSTANCES and CK_KERNELS to the variable
function(ck_write_kernels variable)
    set(tables "${PROJECT_SOURCE_DIR}/library/src/tables")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/kernels")
    set(writer "${CMAKE_CURRENT_BINARY_DIR}/write_kernels")
    set(read "${tables}/write_kernels.cpp" "${tables}/selection.hpp" "${tables}/manifest.hpp")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read})
    file(MAKE_DIRECTORY "${folder}")
    set(no_kernel)
    if(CK_PLATFORM_AMD) # hipcc would compile this source as HIP
        set(no_kernel COMPILE_DEFINITIONS -xc++)
    endif()
    try_compile(CK_WRITER_COMPILES "${CMAKE_CURRENT_BINARY_DIR}" "${tables}/write_kernels.cpp"
        CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/include;${PROJECT_SOURCE_DIR}/library/src"
        ${no_kernel} OUTPUT_VARIABLE output COPY_FILE "${writer}" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
    if(NOT CK_WRITER_COMPILES)
        message(FATAL_ERROR "The program that writes the kernels' sources does not compile:\n${output}")
    endif()
    execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} "${writer}" "${CK_PLATFORM}" "${CK_INSTANCES}"
        "${CK_KERNELS}" "${folder}" RESULT_VARIABLE status OUTPUT_VARIABLE written_sources ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${errors}")
    endif()
    string(STRIP "${written_sources}" written_sources)
    string(REPLACE "\n" ";" written_sources "${written_sources}")
    set(${variable} ${${variable}} ${written_sources} PARENT_SCOPE) # no local variable here may have the name of the caller's
endfunction()
