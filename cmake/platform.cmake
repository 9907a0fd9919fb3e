# The three platforms: compiler flags, and the header-only target composable_kernel::headers. It is ck_headers in this build,
# because a parent project shares the names of targets.
#
#   ck_target(<target>)  sets warnings, sanitizers and the platform's language for one of our own targets. Each of its .cpp
#                        is HIP on amd and CUDA on nvidia. Call it when all sources are known.
#   ck_no_kernels(<source>...)  compiles sources without kernels only for the host. This takes a fifth of the time, because
#                        otherwise there is a pass for each GPU. A kernel in them does not link on amd, and does not
#                        compile on nvidia. Call it before ck_target.
#   ck_units(<variable> <name> <number> <source>...)  returns files that include <number> sources each, or the sources if
#                        CK_UNITY is off. Sources without kernels take most of their time to read headers, which is now
#                        done once for each file.
#   ck_runs_briefly(<target>)  does not optimise its host code if CK_UNITY is on. It compiles in a third less time, and
#                        programs that run for moments lose little. Call it after ck_target.
#   ck_one_target(<target>)  compiles it only for the first GPU target if CK_PROGRAMS_FOR_ONE_TARGET is on. Call it after
#                        ck_target.

set(CK_PLATFORM_HOST OFF)
set(CK_PLATFORM_AMD OFF)
set(CK_PLATFORM_NVIDIA OFF)
ck_check_choice(CK_PLATFORM)
string(TOUPPER "CK_PLATFORM_${CK_PLATFORM}" platform_macro)
set(${platform_macro} ON)
include(flags)
ck_check_sanitizers()
ck_check_build_type()
ck_check_shared()
ck_check_optimisation()

set(CMAKE_CXX_EXTENSIONS OFF)
add_library(ck_headers INTERFACE)
add_library(composable_kernel::headers ALIAS ck_headers)
set_target_properties(ck_headers PROPERTIES EXPORT_NAME headers)
target_compile_features(ck_headers INTERFACE cxx_std_20)
target_include_directories(ck_headers INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/library/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>") # config.h, version.h

find_package(Threads REQUIRED)
target_link_libraries(ck_headers INTERFACE Threads::Threads)
set(CK_LANGUAGE_OPTIONS)
# GCC collects garbage at 1 GiB instead of 128 MiB: a tenth less time.
set(CK_COLLECT_RARELY "--param=ggc-min-heapsize=1000000 --param=ggc-min-expand=300")

if(CK_PLATFORM_HOST)
    find_package(Boost 1.74 REQUIRED COMPONENTS context) # fibers, which run a block's threads
    target_link_libraries(ck_headers INTERFACE Boost::context)
elseif(CK_PLATFORM_AMD)
    include(amd)
else()
    include(nvidia)
endif()

function(ck_no_kernels)
    if(CK_PLATFORM_AMD)
        foreach(source IN LISTS ARGN)
            string(MD5 id "${source}") # clang 19 defines a symbol with this id, but makes up an id only if the source has kernels
            set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS --cuda-host-only -Xclang -cuid=${id})
        endforeach()
    elseif(CK_PLATFORM_NVIDIA)
        set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX CK_NO_KERNELS ON)
    endif()
endfunction()

option(CK_UNITY "Compile sources together that make little of their own, and on the host the tests of kernels: faster from nothing, slower after a change" OFF)
function(ck_units variable name number)
    if(NOT CK_UNITY)
        set(${variable} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(units)
    set(text)
    foreach(source IN LISTS ARGN)
        get_filename_component(path "${source}" ABSOLUTE)
        list(APPEND text "#include \"${path}\"")
        list(LENGTH text length)
        if(length EQUAL number)
            ck_write_unit()
        endif()
    endforeach()
    if(text)
        ck_write_unit()
    endif()
    set(${variable} ${units} PARENT_SCOPE)
endfunction()
macro(ck_write_unit) # part of ck_units()
    list(LENGTH units unit)
    list(JOIN text "\n" text)
    file(CONFIGURE OUTPUT "units/${name}_${unit}.cpp" CONTENT "${text}\n" @ONLY)
    list(APPEND units "${CMAKE_CURRENT_BINARY_DIR}/units/${name}_${unit}.cpp")
    set(text)
endmacro()

function(ck_runs_briefly target)
    if(CK_UNITY AND CK_PLATFORM_HOST AND NOT CK_SANITIZE)
        target_compile_options(${target} PRIVATE -O0)
    endif()
endfunction()

option(CK_PROGRAMS_FOR_ONE_TARGET "Examples, ckProfiler, copies and other operations for the first GPU target alone" OFF)
function(ck_one_target target)
    if(CK_PROGRAMS_FOR_ONE_TARGET AND CK_PLATFORM_AMD)
        ck_other_targets(others)
        target_compile_options(${target} PRIVATE ${others})
    elseif(CK_PROGRAMS_FOR_ONE_TARGET AND CK_PLATFORM_NVIDIA)
        list(GET CMAKE_CUDA_ARCHITECTURES 0 first)
        set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${first})
    endif()
endfunction()
function(ck_other_targets variable) # AMD: returns the options that leave out all GPU targets except the first
    set(others ${GPU_TARGETS})
    list(POP_FRONT others)
    list(TRANSFORM others PREPEND --no-offload-arch=)
    set(${variable} ${others} PARENT_SCOPE)
endfunction()

function(ck_target target)
    set(options -Wall -Wextra $<$<BOOL:${CK_WERROR}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        separate_arguments(collect_rarely UNIX_COMMAND "${CK_COLLECT_RARELY}")
        list(APPEND options ${collect_rarely})
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC 12 warns about its own std::string (GCC bug 105329) and std::vector (bug 104475)
        list(APPEND options -Wno-restrict -Wno-free-nonheap-object)
    endif()
    if(CK_SANITIZE)
        list(APPEND options -fsanitize=${CK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
        target_link_options(${target} PRIVATE -fsanitize=${CK_SANITIZE})
    endif()
    if(CK_PLATFORM_NVIDIA)
        get_target_property(sources ${target} SOURCES)
        list(FILTER sources INCLUDE REGEX "\\.cpp$")
        foreach(source IN LISTS sources)
            get_source_file_property(no_kernels "${source}" CK_NO_KERNELS)
            if(NOT no_kernels)
                set_source_files_properties("${source}" PROPERTIES LANGUAGE CUDA)
            endif()
        endforeach()
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${options}>")
        # nvcc writes template arguments as values, so constants that are only template arguments look unused.
        list(APPEND options -Wno-unused-but-set-variable)
        list(JOIN options "," options)
        target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=${options}>")
    else()
        target_compile_options(${target} PRIVATE ${options} ${CK_LANGUAGE_OPTIONS})
    endif()
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
