# The sources of the library's kernels. library/src/tables/manifest.hpp lists the kernels. A program that includes it
# writes the sources whenever the build is configured.
#
# ck_kernels_of_types(<variable>)
#   sets the variable to an expression, as CK_KERNELS is one, of the families for tensors of CK_TYPES
function(ck_kernels_of_types variable)
    set(f64 "<double[,>]")
    set(f32 "<float[,>]|, float, tf32_t,")
    set(f16 "<half_t[,>]")
    set(bf16 "<bhalf_t[,>]")
    set(i8 "<std::int8_t[,>]")
    set(f8 "f8_t|f8_ocp_t|Mixed[A-Za-z]*<bhalf_t") # the last: for operands with scales
    if(CK_TYPES STREQUAL "")
        message(FATAL_ERROR "CK_TYPES is '', but must name at least one of f64 f32 f16 bf16 i8 f8, or be all.")
    endif()
    set(expressions)
    foreach(type IN LISTS CK_TYPES)
        if(NOT type MATCHES "^(f64|f32|f16|bf16|i8|f8)$")
            message(FATAL_ERROR "CK_TYPES is '${CK_TYPES}', but '${type}' is not one of f64 f32 f16 bf16 i8 f8.")
        endif()
        list(APPEND expressions "${${type}}")
    endforeach()
    list(JOIN expressions "|" expressions)
    set(${variable} "${expressions}" PARENT_SCOPE)
endfunction()

# ck_write_kernels(<variable>)
#   appends the sources for CK_PLATFORM, CK_INSTANCES, CK_TYPES and CK_KERNELS to the variable
function(ck_write_kernels variable)
    set(tables "${PROJECT_SOURCE_DIR}/library/src/tables")
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/kernels")
    set(writer "${CMAKE_CURRENT_BINARY_DIR}/write_kernels")
    set(read "${tables}/write_kernels.cpp" "${tables}/selection.hpp" "${tables}/manifest.hpp")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read})
    file(MAKE_DIRECTORY "${folder}")
    set(kernels "${CK_KERNELS}")
    if(NOT CK_TYPES STREQUAL "all")
        if(NOT kernels STREQUAL "")
            message(FATAL_ERROR "CK_TYPES is '${CK_TYPES}' and CK_KERNELS is '${CK_KERNELS}'; set only one of them.")
        endif()
        ck_kernels_of_types(kernels)
    endif()
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
        "${kernels}" "${folder}" RESULT_VARIABLE status OUTPUT_VARIABLE written_sources ERROR_VARIABLE errors)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${errors}")
    endif()
    string(STRIP "${written_sources}" written_sources)
    string(REPLACE "\n" ";" written_sources "${written_sources}")
    set(${variable} ${${variable}} ${written_sources} PARENT_SCOPE) # no local variable here may have the name of the caller's
endfunction()
