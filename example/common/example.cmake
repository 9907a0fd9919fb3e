# Included by the CMakeLists.txt of each example, which is part of the project's tree and a project of its own against
# the installed package. Programs of the tree lie in build/<preset>/example, of a project of its own in bin/; links to
# them in bin/ and, of a project of its own, beside it.
#
# CK_EXAMPLE_COMPONENTS, if it is set before: of the package, what the example needs besides utility.
#
# ck_example(<source> <name> <engine/type>...) adds a program example_<name> for each engine and element type, put
# into the source and the name in their places. DEFINE: further definitions. The programs use device operations
# directly, no instances; engines that no GPU of the platform has are left out.
# CK_EXAMPLES=representative, the default and what continuous integration builds: one source of each number, as f16
# and by the platform's first engine (the tests in test/convolution have every engine and type of every direction); the
# others are ONLY_WITH_ALL. On the host a test compiles each that is left out. In the tree on AMD, where each is
# compiled for several targets: of each direction the first, and the grouped GEMM; the others, OTHER_OPERATION, are
# those with D tensors, an activation or a transposed convolution.
include_guard()
set(CK_EXAMPLES "representative" CACHE STRING "Which examples: representative (see example/common/example.cmake) or all")
set_property(CACHE CK_EXAMPLES PROPERTY STRINGS representative all)

if(CK_EXAMPLE_IN_TREE) # set by ../CMakeLists.txt
    set_property(GLOBAL PROPERTY CK_EXAMPLE_FOLDERS "${PROJECT_BINARY_DIR}/example" "${PROJECT_BINARY_DIR}/bin")
else()
    set_property(GLOBAL PROPERTY CK_EXAMPLE_FOLDERS "${CMAKE_BINARY_DIR}/bin" "${CMAKE_BINARY_DIR}/bin" "${CMAKE_BINARY_DIR}")
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release)
    endif()
    find_package(composable_kernel REQUIRED COMPONENTS utility ${CK_EXAMPLE_COMPONENTS})
    string(TOUPPER "${composable_kernel_PLATFORM}" platform)
    set(CK_PLATFORM_${platform} TRUE)
    if(CK_PLATFORM_NVIDIA)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            set(CMAKE_CUDA_ARCHITECTURES 80)
        endif()
        enable_language(CUDA)
    endif()
    # ck_target(<target>): what holds kernels is compiled as the platform's language.
    function(ck_target target)
        if(CK_PLATFORM_NVIDIA)
            get_target_property(sources ${target} SOURCES)
            set_source_files_properties(${sources} PROPERTIES LANGUAGE CUDA COMPILE_OPTIONS -std=c++20)
        endif()
    endfunction()
    function(ck_runs_briefly target)
    endfunction()
    function(ck_one_target target)
    endfunction()
endif()
if(CK_PLATFORM_AMD)
    set(engines xdl wmma dl)
elseif(CK_PLATFORM_NVIDIA)
    set(engines mma dl)
else()
    set(engines xdl wmma dl mma)
endif()
set_property(GLOBAL PROPERTY CK_EXAMPLE_ENGINES "${engines}")

# ck_example_names(<program>): links by the other names of a program example_..., and targets that build it by them:
# without example_ and, of fp16 programs or those of an only type, without the type.
function(ck_example_names program)
    get_property(folders GLOBAL PROPERTY CK_EXAMPLE_FOLDERS)
    list(POP_FRONT folders own)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${own}")
    string(REGEX REPLACE "^example_" "" name "${program}")
    set(names ${name})
    if(name MATCHES "^(.*)_(fp16|f32)$")
        list(APPEND names ${CMAKE_MATCH_1} example_${CMAKE_MATCH_1})
    endif()
    set(links)
    foreach(folder IN LISTS folders)
        set(others ${names})
        if(NOT folder STREQUAL own)
            list(APPEND others ${program})
        endif()
        file(RELATIVE_PATH to "${folder}" "${own}/${program}")
        foreach(other IN LISTS others)
            list(APPEND links COMMAND "${CMAKE_COMMAND}" -E create_symlink "${to}" "${folder}/${other}")
        endforeach()
    endforeach()
    foreach(other IN LISTS names)
        if(NOT TARGET ${other})
            add_custom_target(${other} DEPENDS ${program})
        endif()
    endforeach()
    add_custom_command(TARGET ${program} POST_BUILD
        COMMAND "${CMAKE_COMMAND}" -E make_directory ${folders} ${links} VERBATIM)
endfunction()

# ck_example_program(<program> <source> <definition>...)
function(ck_example_program program source)
    add_executable(${program} "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
    target_include_directories(${program} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
    target_compile_definitions(${program} PRIVATE ${ARGN})
    target_link_libraries(${program} PRIVATE composable_kernel::utility)
    ck_target(${program})
    ck_runs_briefly(${program})
    ck_one_target(${program})
    ck_example_names(${program})
    set_property(GLOBAL APPEND PROPERTY CK_EXAMPLE_PROGRAMS ${program})
endfunction()

function(ck_example source name)
    cmake_parse_arguments(PARSE_ARGV 2 arg "ONLY_WITH_ALL;OTHER_OPERATION" "" DEFINE)
    get_property(engines GLOBAL PROPERTY CK_EXAMPLE_ENGINES)
    list(GET engines 0 first_engine)
    foreach(variant IN LISTS arg_UNPARSED_ARGUMENTS)
        string(REPLACE "/" ";" parts "${variant}")
        list(POP_FRONT parts engine type)
        if(NOT engine IN_LIST engines)
            continue()
        endif()
        string(REPLACE "<engine>" ${engine} program "example_${name}")
        string(REPLACE "<type>" ${type} program "${program}")
        string(REPLACE "<engine>" ${engine} file "${source}")
        set(definitions EXAMPLE_ENGINE=${engine} EXAMPLE_TYPE=${type} ${arg_DEFINE})
        if(CK_EXAMPLES STREQUAL "representative" AND (arg_ONLY_WITH_ALL OR (arg_OTHER_OPERATION AND CK_PLATFORM_AMD AND CK_EXAMPLE_IN_TREE)
                OR NOT (type STREQUAL "fp16" AND engine STREQUAL first_engine)))
            string(REPLACE ";" " " definitions "${definitions}")
            get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
            set_property(GLOBAL APPEND PROPERTY CK_EXAMPLES_LEFT_OUT "${program} ${folder}/${file} ${definitions}")
            continue()
        endif()
        ck_example_program(${program} "${file}" ${definitions})
    endforeach()
endfunction()

# Types of most examples by engine.
set_property(GLOBAL PROPERTY CK_EXAMPLE_FLOATS
    xdl/fp32 xdl/fp16 xdl/bf16 wmma/fp16 wmma/bf16 dl/fp32 dl/fp16 dl/bf16 mma/fp16 mma/bf16)
set_property(GLOBAL PROPERTY CK_EXAMPLE_INTEGERS xdl/int8 wmma/int8 dl/int8 mma/int8)
