# ck_add_tests(): each folder below test/ that holds *.cpp becomes one GoogleTest program, test_<folder>, whose
# cases CTest lists itself. test/isa is for GPUs alone, test/amd_emulator/tests for AMD's, test/arch/host,
# test/library/tables (numbers) and test/profiler for the host.
# test/fuzz is libFuzzer's, in builds with the address sanitizer alone; one with the thread sanitizer has nothing but
# test/library/tensor_operation_instance/threads.
#   host:    every case; those that run kernels (below convolution/, arch/, tensor_operation/gpu/) again in a
#            shuffled order of a block's threads, label host-shuffled, or in that order alone (CK_TEST_ORDERS); those of
#            sanitized builds in the natural one
#   GPUs:    every case on the device, if there is one when the build is configured (CK_DEVICE_TESTS), label gpu;
#            else, for nvidia, those of tensor maps are compiled
#   amd:     isa, amd_emulator and convolution programs in the emulator as well, label isa; see cmake/emulated_tests.cmake
include(GoogleTest)
include(emulated_tests)
find_package(GTest QUIET)
if(NOT GTest_FOUND)
    message(FATAL_ERROR "CK_BUILD_TESTS=ON needs GoogleTest (Debian: apt install libgtest-dev); "
        "-DCK_BUILD_TESTS=OFF builds without tests.")
endif()
if(CK_PLATFORM_HOST)
    find_package(nlohmann_json QUIET)
    if(NOT nlohmann_json_FOUND)
        message(FATAL_ERROR "CK_BUILD_TESTS=ON needs nlohmann-json (Debian: apt install nlohmann-json3-dev); "
            "-DCK_BUILD_TESTS=OFF builds without tests.")
    endif()
endif()

if(CK_PLATFORM_AMD)
    set(device_file /dev/kfd)
else()
    set(device_file /dev/nvidiactl)
endif()
set(device_present OFF)
if(NOT CK_PLATFORM_HOST AND EXISTS ${device_file})
    set(device_present ON)
endif()
# Whether tests compute with the library's kernels, of every type: on the host, which runs them, it may not have them.
set(CK_LIBRARY_TESTS ON)
if(CK_PLATFORM_HOST AND CK_INSTANCES STREQUAL "representative")
    set(CK_LIBRARY_TESTS OFF)
endif()
set(CK_TEST_PREFIX "" CACHE STRING "Put before the name of each test, to tell builds apart in one CTest run")
# What a source asks of builds stands in it, as words of its line "// Labels: ", separated by commas; read when the
# build is configured:
#   not sanitized             only in sanitized builds with all tests (CK_SANITIZED_TESTS). Representative is the lattice of
#                             problems with each engine, and of each family of kernels a few short cases; not other types,
#                             Inf and NaN, full-size and large problems, operands of several tensors, arithmetic that
#                             touches no memory ...: a third of the time. They all run without sanitizers.
#   optimized where sanitized sanitized builds are not optimized, a third of the time to compile; these sources run long
#                             enough to win back what the compiler takes
#   not on AMD                kernels of NVIDIA's alone, or problems of more memory than the emulator has
#   not emulated              only in builds for absent GPUs with all tests (CK_EMULATED_TESTS): arithmetic of the host's,
#                             or the same kernels with other operations, sizes of groups or orders of launches
#   emulated on one target    gfx950 alone, if not all emulated tests are wanted: no matrix instructions, or few, matter for
#                             what is tested
#   emulated on two targets   gfx90a and gfx1100: the matrix instructions are those of the directions, or of types, which
#                             run for every target
#   emulated on newest targets gfx950 and gfx1200: the matrix instructions of the others are those of types, and of what
#                             is emulated on two targets
#   debug build               compiled without NDEBUG: what kernels check and print only so
#   compiled alone            not together with the folder's others, which have other things of the same names
# and in the line "// Cases not sanitized: " GoogleTest's names of cases that differ from others in the numbers or in how
# often a kernel runs, not in what memory it touches.
set(CK_SANITIZED_TESTS "all" CACHE STRING "Which tests a sanitized build has: all, or representative")
set_property(CACHE CK_SANITIZED_TESTS PROPERTY STRINGS all representative)
ck_check_choice(CK_SANITIZED_TESTS)
set(CK_TEST_ORDERS "all" CACHE STRING "Orders of a block's threads in tests of kernels on the host: all, or shuffled, the whole lattice in that one alone")
set_property(CACHE CK_TEST_ORDERS PROPERTY STRINGS all shuffled)
ck_check_choice(CK_TEST_ORDERS)
set(ck_shuffled_alone OFF)
if(CK_PLATFORM_HOST AND NOT CK_SANITIZE AND CK_TEST_ORDERS STREQUAL "shuffled")
    set(ck_shuffled_alone ON)
endif()
option(CK_DEVICE_TESTS "Register the tests that need a device" ${device_present})
set(CK_EMULATED_TESTS "all" CACHE STRING "Which tests a build for absent GPUs has: all, or representative")
set_property(CACHE CK_EMULATED_TESTS PROPERTY STRINGS all representative)
ck_check_choice(CK_EMULATED_TESTS)
set(ck_emulated_representative OFF)
if(NOT CK_PLATFORM_HOST AND NOT CK_DEVICE_TESTS AND CK_EMULATED_TESTS STREQUAL "representative")
    set(ck_emulated_representative ON)
endif()

# ck_labels(<variable> <source>): a list.
function(ck_labels variable source)
    file(STRINGS "${source}" line REGEX "^// Labels: " LIMIT_COUNT 1)
    string(REPLACE "// Labels: " "" line "${line}")
    string(REPLACE ", " ";" labels "${line}")
    set(known "not sanitized" "optimized where sanitized" "not on AMD" "not emulated" "emulated on one target"
        "emulated on two targets"
        "emulated on newest targets" "debug build" "compiled alone")
    foreach(label IN LISTS labels)
        if(NOT label IN_LIST known)
            message(FATAL_ERROR "${source} has the unknown label '${label}'; labels are described in cmake/tests.cmake")
        endif()
    endforeach()
    set(${variable} "${labels}" PARENT_SCOPE)
endfunction()

function(ck_add_tests)
    if(CK_PLATFORM_AMD AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
        message(STATUS "clang 15 dies on GoogleTest's headers in HIP and C++20: no GoogleTest programs in this build")
        return()
    endif()
    file(GLOB_RECURSE sources RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" CONFIGURE_DEPENDS *.cpp)
    list(FILTER sources EXCLUDE REGEX "^(habits|compile_fail|kernel_resources|instruction_counts|example|package|fuzz|conv_c|optimized|mutate)/|^amd_emulator/([^/]*$|timing/)|^distributed/(mpi|nccl|streams)/")
    list(REMOVE_ITEM sources profiler/cudnn_check.cpp) # a program of its own
    set(folders)
    set(not_sanitized)
    foreach(source IN LISTS sources)
        get_filename_component(folder "${source}" DIRECTORY)
        ck_labels(labels "${source}")
        if((CK_SANITIZE AND NOT CK_SANITIZED_TESTS STREQUAL "all" AND "not sanitized" IN_LIST labels) OR
                (ck_emulated_representative AND "not emulated" IN_LIST labels) OR
                (CK_PLATFORM_AMD AND "not on AMD" IN_LIST labels))
            continue()
        endif()
        if("compiled alone" IN_LIST labels)
            set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        endif()
        if("debug build" IN_LIST labels)
            set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS -UNDEBUG SKIP_PRECOMPILE_HEADERS ON)
        endif()
        foreach(label IN LISTS labels)
            if(label MATCHES "^emulated on (one|two|newest) targets?$")
                list(APPEND folders_for_${CMAKE_MATCH_1} "${folder}")
            endif()
        endforeach()
        file(STRINGS "${source}" cases REGEX "^// Cases not sanitized: ")
        string(REPLACE "// Cases not sanitized: " "" cases "${cases}")
        string(REPLACE " " ";" cases "${cases}")
        list(APPEND not_sanitized ${cases})
        if(folder STREQUAL "") # the headers at the top of include/ck
            set(folder front_door)
        endif()
        list(APPEND folders "${folder}")
        list(APPEND sources_of_${folder} "${source}")
        if(CK_SANITIZE AND "optimized where sanitized" IN_LIST labels)
            list(APPEND optimized "${source}") # ck_add_test_program() reads it
        endif()
    endforeach()
    list(REMOVE_DUPLICATES folders)
    list(REMOVE_DUPLICATES not_sanitized)
    list(JOIN not_sanitized ":" ck_cases_not_sanitized) # ck_discover() reads it
    if(CK_SANITIZE STREQUAL "thread")
        set(folders library/tensor_operation_instance/threads) # what threads of the user's may do at a time
    elseif(CK_SANITIZE) # what the library lists, other tests run: see library/CMakeLists.txt
        list(FILTER folders EXCLUDE REGEX "^(library/tensor_operation_instance|conv$|distributed|oracle)")
    endif()
    if(CK_SANITIZE) # what needs none of the library's kernels
        list(FILTER sources_of_profiler INCLUDE REGEX "/(contest|miopen|positional|problem_file|problem_text|request|roof|roofline)\\.cpp$")
    endif()
    if(NOT TARGET profiler_base)
        if(CK_PLATFORM_HOST AND profiler IN_LIST folders)
            ck_not_run(test_profiler "ckProfiler was not built: CLI11 is not installed (Debian: libcli11-dev)")
        endif()
        list(REMOVE_ITEM folders profiler)
    endif()
    ck_find_onednn()
    if(NOT CK_ONEDNN)
        list(REMOVE_ITEM folders oracle)
    endif()
    list(REMOVE_ITEM folders convolution/lattice) # what forward and backward data test alike
    if(CK_PLATFORM_AMD)
        # What the emulated results are compared with: as long as the emulation, were it not optimised (script/test).
        set_source_files_properties(convolution/lattice/tensors.cpp PROPERTIES COMPILE_OPTIONS -O2)
        set(single_instructions ${sources_of_amd_emulator/tests}) # the emulator's; few files have kernels
        list(FILTER single_instructions INCLUDE REGEX "/(conversions|fused|integers|matrix_instructions|operands|values_[a-z]+)\\.cpp$")
        set_source_files_properties(${single_instructions} PROPERTIES COMPILE_OPTIONS -O2)
        ck_no_kernels(convolution/lattice/problems.cpp convolution/lattice/tensors.cpp ${single_instructions})
    endif()
    if(NOT CK_PLATFORM_HOST AND CK_INSTANCES STREQUAL "representative")
        list(REMOVE_ITEM folders library/tensor_operation_instance/gpu) # asks every factory for its instances
    endif()
    if(NOT CK_LIBRARY_TESTS)
        list(FILTER folders EXCLUDE REGEX "^(library/tensor_operation_instance|conv$|distributed$|oracle$|profiler$)")
        ck_not_run(test_library "these tests compute with the library, which with CK_INSTANCES=representative has few kernels on the host")
    endif()
    foreach(folder convolution/forward convolution/backward_data)
        list(APPEND sources_of_${folder} ${sources_of_convolution/lattice})
    endforeach()
    if(ck_shuffled_alone)
        set_property(SOURCE convolution/lattice/problems.cpp APPEND PROPERTY COMPILE_DEFINITIONS CK_TEST_SHUFFLED_ALONE)
    endif()
    if(CK_PLATFORM_HOST AND NOT CK_SANITIZE STREQUAL "thread")
        add_library(optimized_emulation OBJECT optimized/emulation.cpp)
        target_link_libraries(optimized_emulation PRIVATE composable_kernel::headers)
        if(CK_SANITIZE) # sanitizers' checks keep loops from becoming vector code
            target_compile_options(optimized_emulation PRIVATE -O1)
        else()
            target_compile_options(optimized_emulation PRIVATE -O3)
        endif()
        ck_target(optimized_emulation)
    endif()
    foreach(folder IN LISTS folders)
        if(NOT (CK_PLATFORM_HOST AND folder MATCHES "^isa") AND
                NOT (NOT CK_PLATFORM_AMD AND folder MATCHES "^amd_emulator") AND
                NOT (NOT CK_PLATFORM_HOST AND folder MATCHES "^(arch/host|library/tables|profiler)"))
            ck_add_test_program("${folder}" ${sources_of_${folder}})
        endif()
    endforeach()
endfunction()

# quick_tests: what script/test builds without arguments, the targets of test/quick.txt.
function(ck_quick_tests)
    if(NOT (CK_PLATFORM_HOST AND CK_LIBRARY_TESTS AND CK_INSTALL AND TARGET ckProfiler AND TARGET example_convnd_fwd_xdl_fp16) OR
            CK_SANITIZE)
        return()
    endif()
    add_custom_target(quick_tests)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/quick.txt")
    file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/quick.txt" rows REGEX "^[^#]")
    foreach(row IN LISTS rows)
        string(REGEX REPLACE " \\|.*" "" targets "${row}")
        string(REPLACE " " ";" targets "${targets}")
        list(REMOVE_ITEM targets -)
        if(targets)
            add_dependencies(quick_tests ${targets}) # CMake refuses one that is not there
        endif()
    endforeach()
endfunction()

# What is no list of kernels is compiled for AMD by the part of script/test that makes the package; in one that has
# neither that nor the profiler, where no GPU is, only on demand. So are the other operations with the thread sanitizer.
function(ck_leave_out_calls)
    if(ck_emulated_representative AND CK_PLATFORM_AMD AND NOT CK_INSTALL AND NOT CK_BUILD_PROFILER AND NOT CK_BUILD_EXAMPLES)
        set_target_properties(ck_conv_static ck_distributed ck_conv PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    if(CK_SANITIZE STREQUAL "thread") # its one program links none of them
        set_target_properties(${CK_OTHER_COMPONENTS} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# CK_ONEDNN: its library, which test/oracle compares with; where it is absent, the test is there as one that did not
# run. Its own CMake package is not used: Debian's wants the headers of OpenCL, too.
function(ck_find_onednn)
    find_path(CK_ONEDNN_INCLUDE oneapi/dnnl/dnnl.hpp)
    find_library(CK_ONEDNN dnnl)
    mark_as_advanced(CK_ONEDNN_INCLUDE CK_ONEDNN)
    set(why "oneDNN is not installed (Debian: libdnnl-dev)")
    if(CK_ONEDNN AND CK_ONEDNN_INCLUDE)
        file(STRINGS "${CK_ONEDNN_INCLUDE}/oneapi/dnnl/dnnl_version.h" version REGEX "define DNNL_VERSION_MAJOR 2$")
        if(version)
            return()
        endif()
        set(why "oneDNN is not of version 2, whose interface test/oracle uses")
    endif()
    set(CK_ONEDNN FALSE PARENT_SCOPE)
    if(NOT CK_SANITIZE AND (CK_PLATFORM_HOST OR CK_DEVICE_TESTS))
        ck_not_run(test_oracle "${why}")
    endif()
endfunction()

# ck_not_run(<program> <why>): CTest lists the program as one test that did not run.
function(ck_not_run program why)
    set(test "${CK_TEST_PREFIX}${program}")
    add_test(NAME "${test}" COMMAND sh -c "echo '${why}'; exit 77")
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77)
    message(STATUS "${test} will not run: ${why}")
endfunction()

# ck_chosen_targets(<variable> <folder>): those that the labels of the folder's sources name, if this build has them all;
# else the variable stays as it is.
function(ck_chosen_targets variable folder)
    set(one gfx950)
    set(two gfx90a gfx1100)
    set(newest gfx950 gfx1200)
    foreach(which one two newest)
        set(absent ${${which}})
        list(REMOVE_ITEM absent ${GPU_TARGETS})
        if(folder IN_LIST folders_for_${which} AND NOT absent)
            set(${variable} ${${which}} PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

function(ck_add_test_program folder)
    string(REPLACE "/" "_" name "test_${folder}")
    set(not_optimized)
    set(optimized_here)
    foreach(source IN LISTS ARGN)
        if(source IN_LIST optimized)
            list(APPEND optimized_here "${source}")
        else()
            list(APPEND not_optimized "${source}")
        endif()
    endforeach()
    if(CK_PLATFORM_NVIDIA AND folder STREQUAL "convolution/tensor_maps") # CMake compiles CUDA together since 3.31
        ck_units(not_optimized tensor_maps 4 ${not_optimized})
    endif()
    add_executable(${name} ${not_optimized})
    target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE composable_kernel::utility GTest::gtest GTest::gtest_main)
    if(folder MATCHES "^(library/tensor_operation_instance|conv$|distributed$|oracle)")
        target_link_libraries(${name} PRIVATE device_conv_operations)
        if(CK_INSTANCES STREQUAL "all" AND NOT CK_KERNELS)
            target_compile_definitions(${name} PRIVATE CK_LIBRARY_IS_COMPLETE)
        endif()
    endif()
    if(folder STREQUAL "batch_norm") # without the library's other kernels: sanitized, and in the emulator, too
        file(GLOB library CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/library/src/batch_norm/*.cpp")
        target_sources(${name} PRIVATE ${library} "${PROJECT_SOURCE_DIR}/library/src/conv/refused.cpp")
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/library/src")
        if(CK_PLATFORM_NVIDIA) # what is compared with is in long double, of which nvcc says that GPUs have none
            ck_no_kernels(batch_norm/batch_norm.cpp batch_norm/numbers.cpp)
        endif()
    endif()
    if(folder MATCHES "^(conv|library/tensor_operation_instance/threads)$")
        target_link_libraries(${name} PRIVATE composable_kernel::conv)
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/library/src")
    endif()
    if(folder STREQUAL "conv" AND SQLite3_FOUND) # databases as other programs make them
        target_link_libraries(${name} PRIVATE SQLite::SQLite3)
        target_compile_definitions(${name} PRIVATE CK_SQLITE)
    endif()
    if(folder MATCHES "^convolution/(forward|backward_data)$") # which of them the sources of convolution/lattice test
        string(TOUPPER "CK_TEST_${CMAKE_MATCH_1}" direction)
        target_compile_definitions(${name} PRIVATE ${direction})
    endif()
    if(folder STREQUAL "tensor_operation/gpu/conv/model") # __FILE__ is relative where ccache says so
        set_source_files_properties(${folder}/every_term.cpp ${folder}/every_line.cpp PROPERTIES COMPILE_DEFINITIONS
            "CK_PREDICTIONS=\"${CMAKE_CURRENT_SOURCE_DIR}/${folder}\"")
    endif()
    if(folder STREQUAL "library/tables")
        target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json)
        set_source_files_properties(${folder}/kernel_pictures.cpp PROPERTIES COMPILE_DEFINITIONS
            "CK_PICTURES=\"${PROJECT_SOURCE_DIR}/docs/pictures\"")
    endif()
    if(folder STREQUAL "distributed")
        target_link_libraries(${name} PRIVATE composable_kernel::distributed)
    endif()
    if(folder STREQUAL "library/other_operations") # the factories whose instances are no convolutions
        target_link_libraries(${name} PRIVATE device_other_operations device_reduction_operations)
    endif()
    if(folder MATCHES "^(convolution/(forward|backward_data|backward_weight|nonfinite|types)|library/tables|tensor_operation/gpu/conv/(kernels|launch|model|plan))$") # the library's tables
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/library/src")
    endif()
    if(folder STREQUAL "profiler" AND CK_SANITIZE)
        target_link_libraries(${name} PRIVATE profiler_base)
    elseif(folder STREQUAL "profiler")
        target_link_libraries(${name} PRIVATE profiler_parts profiler_split nlohmann_json::nlohmann_json)
    endif()
    if(folder STREQUAL "oracle")
        target_link_libraries(${name} PRIVATE "${CK_ONEDNN}")
    endif()
    if(folder STREQUAL "library/tensor_operation_instance") # these alone: they look at what no client sees
        foreach(source separate_epilogue kernel_facts flat_launch fill_zeros patch_matrix cut_image)
            set_property(SOURCE ${folder}/${source}.cpp APPEND PROPERTY INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/library/src")
        endforeach()
    endif()
    if(folder STREQUAL "library/tables") # the lists of problems; operations of a table, without the library's kernels
        target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/library/src/tensor_operation_instance/check_argument.cpp"
            "${PROJECT_SOURCE_DIR}/library/src/rewrites/separate_epilogue_launches.cpp"
            "${PROJECT_SOURCE_DIR}/profiler/problem_file.cpp")
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/profiler")
        target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json)
    endif()
    ck_target(${name})
    if(folder MATCHES "^(convolution/|arch|tensor_operation/gpu|library/tensor_operation_instance|conv$|distributed$|full_size|oracle)")
        ck_link_emulation(${name})
    endif()
    if(folder STREQUAL "oracle")
        set_source_files_properties(oracle/onednn.cpp PROPERTIES LANGUAGE CXX) # nvcc 13 aborts on oneDNN's header
    endif()

    if(CK_PLATFORM_HOST)
        set(together OFF)
        # The files of those have many things of the same names.
        if(CK_UNITY AND NOT folder MATCHES "^(library/(reference_tensor_operation|tensor_operation_instance(/gpu|/threads)?)|tensor_operation/gpu/(block(/pipeline)?|conv/(model|plan)|element|grid))$")
            set(together ON)
        endif()
        if(optimized_here)
            ck_link_optimized(${name} ${optimized_here})
        endif()
        ck_host_compilation(${name} "${folder}")
        if(together)
            ck_compile_together(${name})
        endif()
        set(shuffled OFF)
        if(NOT CK_SANITIZE AND folder MATCHES "^(batch_norm|convolution/|arch|tensor_operation/gpu)")
            set(shuffled ON)
        endif()
        if(NOT (shuffled AND ck_shuffled_alone))
            set(environment)
            if(folder STREQUAL "oracle") # oneDNN's threads wait in loops, in which other tests could run
                set(environment OMP_NUM_THREADS=1)
            endif()
            ck_discover(${name} "" "host" ${environment})
        endif()
        if(CK_SANITIZE STREQUAL "thread")
            add_test(NAME "${CK_TEST_PREFIX}${name}.can_fail"
                COMMAND ${name} --gtest_also_run_disabled_tests --gtest_filter=*.DISABLED_*)
            set_tests_properties("${CK_TEST_PREFIX}${name}.can_fail" PROPERTIES
                LABELS host PASS_REGULAR_EXPRESSION "WARNING: ThreadSanitizer: data race")
        endif()
        if(shuffled)
            foreach(seed 1)
                ck_discover(${name} ".shuffled${seed}" "host-shuffled" CK_HOST_SCHEDULE_SEED=${seed})
            endforeach()
        endif()
        return()
    endif()
    set(emulated FALSE)
    if(CK_PLATFORM_AMD AND folder MATCHES "^(isa|amd_emulator|batch_norm|convolution/)")
        set(emulated TRUE)
        if(ck_emulated_representative)
            target_compile_definitions(${name} PRIVATE CK_TEST_FIRST_TUNINGS)
        endif()
        ck_compile_together(${name}) # five passes read the same headers, one for each target and one for the host
        set(TARGETS ${GPU_TARGETS})
        if(ck_emulated_representative)
            ck_chosen_targets(TARGETS "${folder}")
            set(others ${GPU_TARGETS})
            list(REMOVE_ITEM others ${TARGETS})
            list(TRANSFORM others PREPEND --no-offload-arch=)
            target_compile_options(${name} PRIVATE ${others})
        endif()
        if(ck_emulated_representative AND folder MATCHES "^convolution/")
            set(MODES shuffled) # the checks watch what a run does, and change nothing
        endif()
        ck_add_emulated_tests(${name} $<TARGET_FILE:${name}>)
    endif()
    if(CK_DEVICE_TESTS AND NOT folder MATCHES "^amd_emulator") # whose tests are of the emulator alone
        ck_discover(${name} "" "gpu")
    elseif(NOT emulated AND NOT (CK_PLATFORM_NVIDIA AND folder STREQUAL "convolution/tensor_maps"))
        # Nothing here can run it.
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    elseif(CK_PLATFORM_NVIDIA AND 90a-real IN_LIST CMAKE_CUDA_ARCHITECTURES)
        # Tensor maps are compiled all the same, because nvcc refuses what the host takes; for the GPU that has them.
        set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES 90a-real)
    endif()
endfunction()

# The program has the emulation of instructions optimised, on the host.
function(ck_link_emulation program)
    if(TARGET optimized_emulation)
        ck_link_first(${program} optimized_emulation)
    endif()
endfunction()

# Objects come before the program's own: of equal inline functions the linker takes the first.
function(ck_link_first program objects)
    target_link_options(${program} PRIVATE "$<TARGET_OBJECTS:${objects}>")
    set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS "$<TARGET_OBJECTS:${objects}>")
    add_dependencies(${program} ${objects})
endfunction()

# ck_link_optimized(program source...): sources of the program that are optimised, though it is not.
function(ck_link_optimized program)
    set(objects ${program}_optimized)
    add_library(${objects} OBJECT ${ARGN})
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS LINK_LIBRARIES)
        get_target_property(value ${program} ${property})
        if(value)
            set_property(TARGET ${objects} PROPERTY ${property} "${value}")
        endif()
    endforeach()
    target_compile_options(${objects} PRIVATE -O1)
    if(together)
        ck_compile_together(${objects})
    endif()
    ck_link_first(${program} ${objects})
endfunction()

# Twelve sources at a time read the headers and make what they all instantiate: a third less time, or half, if each has its
# names in a namespace of its own and undefines its macros; twenty where they have few kernels, for AMD: the headers are read
# for each target. Compilers of convolutions' tests take up to 2 GB.
function(ck_compile_together program)
    set(at_once 12)
    if(CK_PLATFORM_AMD AND ck_emulated_representative)
        set(at_once 20)
    endif()
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${at_once})
endfunction()

# What makes test programs of the host compile faster, a third together: optimised are those alone that run for long;
# and the headers of GoogleTest and of the standard library, none of the project's, are compiled once, with the first
# program of each optimisation.
function(ck_host_compilation program folder)
    set(kind short)
    if(folder MATCHES "^(convolution/|full_size|oracle)")
        set(kind long)
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # 7 % of the time to compile, and they run as fast
            target_compile_options(${program} PRIVATE -fno-tree-pta)
        endif()
    elseif(NOT CK_SANITIZE)
        target_compile_options(${program} PRIVATE -O0)
    endif()
    get_property(first GLOBAL PROPERTY CK_FIRST_${kind}_TEST)
    if(first)
        target_precompile_headers(${program} REUSE_FROM ${first})
        return()
    endif()
    set_property(GLOBAL PROPERTY CK_FIRST_${kind}_TEST ${program})
    target_precompile_headers(${program} PRIVATE <gtest/gtest.h> <algorithm> <array> <atomic> <bit> <charconv> <cmath>
        <concepts> <cstdint> <cstdio> <cstdlib> <cstring> <functional> <iomanip> <iostream> <limits> <map> <memory>
        <mutex> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <string> <string_view> <thread>
        <tuple> <type_traits> <utility> <vector>)
endfunction()

# ck_discover(program suffix label [variable=value]): cases are listed when ctest runs. CMake would take a second label or
# variable for the name of the next property, and set neither.
function(ck_discover program suffix label)
    set(filter)
    if(CK_SANITIZE AND NOT CK_SANITIZED_TESTS STREQUAL "all")
        set(filter TEST_FILTER "-${ck_cases_not_sanitized}")
    endif()
    gtest_discover_tests(${program} NO_PRETTY_VALUES ${filter} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        TEST_PREFIX "${CK_TEST_PREFIX}${program}." TEST_SUFFIX "${suffix}" TEST_LIST "${program}${suffix}_tests"
        PROPERTIES TIMEOUT 600 LABELS "${label}" ENVIRONMENT "${ARGN}")
endfunction()

# ck_mpi_test(<name> <ranks> <program> <arguments>...): more ranks than processors, as root in a container, too.
function(ck_mpi_test name ranks program)
    set(test ${CK_TEST_PREFIX}${name})
    add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${program} ${ARGN})
    set_tests_properties(${test} PROPERTIES LABELS host TIMEOUT 60 PROCESSORS 2
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
endfunction()
