# ck_add_tests(): each folder below test/ with *.cpp becomes one GoogleTest program, test_<folder>. CTest lists each case.
# test/isa is only for GPUs, test/amd_emulator/tests only for AMD; test/arch/host, test/library/tables (numbers) and
# test/profiler only for the host. test/fuzz (libFuzzer) is only in builds with the address sanitizer. A build with the
# thread sanitizer has only test/library/tensor_operation_instance/threads.
#   host:    every case. Cases that run kernels (below convolution/, arch/, tensor_operation/gpu/) also run with the threads
#            of a block in a shuffled order, label host-shuffled; or only in that order (CK_TEST_ORDERS). Sanitized builds
#            use only the natural order
#   GPUs:    every case on the device, label gpu, if there is a device when the build is configured (CK_DEVICE_TESTS);
#            without one, nvidia only compiles the tests of tensor maps
#   amd:     isa, amd_emulator and convolution programs also run in the emulator, label isa; see cmake/emulated_tests.cmake
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
# Whether tests compute with the library: a build for the host with few instances lacks the kernels.
set(CK_LIBRARY_TESTS ON)
if(CK_PLATFORM_HOST AND CK_INSTANCES STREQUAL "representative")
    set(CK_LIBRARY_TESTS OFF)
endif()
set(CK_TEST_PREFIX "" CACHE STRING "Put before the name of each test, to tell builds apart in one CTest run")
# A source may have labels, in a line "// Labels: ", separated by commas. They are read when the build is configured:
#   not sanitized             left out of sanitized builds with CK_SANITIZED_TESTS=representative. Those have a grid of
#                             problems with each engine, and a few short cases of each family of kernels, in a third of
#                             the time. They leave out other types, Inf and NaN, full-size and large problems, operands
#                             of several tensors, arithmetic without memory ... All of these run without sanitizers.
#   optimized where sanitized sanitized builds are not optimized, which saves two thirds of the time to compile. These
#                             sources run so long that optimisation pays
#   not on AMD                kernels only for NVIDIA, or problems that need more memory than the emulator has
#   not emulated              left out of builds for absent GPUs with CK_EMULATED_TESTS=representative: arithmetic on the
#                             host, or the same kernels with other operations, sizes of groups or orders of launches
#   emulated on one target    gfx950 only, with CK_EMULATED_TESTS=representative: tests for which few or no matrix
#                             instructions matter
#   emulated on two targets   gfx90a and gfx1100: tests with the same matrix instructions as those of directions or types,
#                             which run for every target
#   emulated on newest targets gfx950 and gfx1200: on other targets, tests of types, and those emulated on two targets,
#                             have the same matrix instructions
#   debug build               compiled without NDEBUG: tests of what kernels check and print only then
#   compiled alone            not together with the other sources of the folder, which use the same names differently, or
#                             because it takes as long as they do together
# A line "// Cases not sanitized: " names GoogleTest cases that sanitized builds leave out: they differ from other cases
# in numbers or in how often a kernel runs, but not in the memory that it touches.
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

# ck_labels(<variable> <source>): returns the labels as a list.
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

# Leaves in the list `variable` the tests of profiler_base alone, which need none of the library's kernels. They include
# headers of its sources, of test/profiler/refusal.hpp and of library/src/utility.
function(ck_keep_tests_of_profiler_base variable)
    get_property(base GLOBAL PROPERTY CK_PROFILER_BASE)
    list(TRANSFORM base REPLACE "\\.cpp$" "")
    list(JOIN base "|" base)
    set(kept)
    foreach(source IN LISTS ${variable})
        file(STRINGS "${source}" others REGEX "^#include \"")
        list(FILTER others EXCLUDE REGEX "\"((${base})|profiler/refusal|utility/[a-z_]+)\\.hpp\"$")
        if(NOT others)
            list(APPEND kept "${source}")
        endif()
    endforeach()
    set(${variable} ${kept} PARENT_SCOPE)
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
        set(folders library/tensor_operation_instance/threads) # what a user's threads may do at the same time
    elseif(CK_SANITIZE) # other tests run the library's kernels: see library/CMakeLists.txt
        list(FILTER folders EXCLUDE REGEX "^(library/tensor_operation_instance|conv$|distributed|oracle)")
    endif()
    if(CK_SANITIZE)
        ck_keep_tests_of_profiler_base(sources_of_profiler)
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
    list(REMOVE_ITEM folders convolution/lattice) # sources that the programs of forward and backward data share
    if(CK_PLATFORM_AMD)
        # These compute the expected results. Without optimisation (script/test) they would run as long as the emulation.
        set_source_files_properties(convolution/lattice/tensors.cpp PROPERTIES COMPILE_OPTIONS -O2)
        set(single_instructions ${sources_of_amd_emulator/tests}) # tests of the emulator; few of them have kernels
        list(FILTER single_instructions INCLUDE REGEX "/(conversions|fused|integers|matrix_instructions|operands|values_[a-z]+)\\.cpp$")
        set_source_files_properties(${single_instructions} PROPERTIES COMPILE_OPTIONS -O2)
        ck_no_kernels(convolution/lattice/problems.cpp convolution/lattice/tensors.cpp ${single_instructions})
    endif()
    if(NOT CK_PLATFORM_HOST AND CK_INSTANCES STREQUAL "representative")
        list(REMOVE_ITEM folders library/tensor_operation_instance/gpu) # it needs the instances of every factory
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
        if(CK_SANITIZE) # -O3 would gain nothing: the checks of sanitizers prevent vectorisation
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

# Adds the target quick_tests, which script/test builds without arguments: the targets of test/quick.txt.
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
            add_dependencies(quick_tests ${targets}) # CMake refuses an unknown target
        endif()
    endforeach()
endfunction()

# Among the AMD parts of script/test, the one that makes the package builds the libraries of calls. The others, which have
# neither the package nor the profiler, build them only on demand if there is no GPU. With the thread sanitizer, the other
# operations are built only on demand, too.
function(ck_leave_out_calls)
    if(ck_emulated_representative AND CK_PLATFORM_AMD AND NOT CK_INSTALL AND NOT CK_BUILD_PROFILER AND NOT CK_BUILD_EXAMPLES)
        set_target_properties(ck_conv_static ck_distributed ck_conv PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    if(CK_SANITIZE STREQUAL "thread") # its only program links none of them
        set_target_properties(${CK_OTHER_COMPONENTS} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# Sets CK_ONEDNN to the library oneDNN, with which test/oracle compares. Without it, the test is listed as not run. The
# CMake package of oneDNN is not used, because Debian's also needs the headers of OpenCL.
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

# ck_not_run(<program> <why>): CTest lists the program as a test that did not run.
function(ck_not_run program why)
    set(test "${CK_TEST_PREFIX}${program}")
    add_test(NAME "${test}" COMMAND sh -c "echo '${why}'; exit 77")
    set_tests_properties("${test}" PROPERTIES SKIP_RETURN_CODE 77)
    message(STATUS "${test} will not run: ${why}")
endfunction()

# ck_chosen_targets(<variable> <folder>): returns the targets that the labels of the folder's sources name, if this build
# has all of them; else the variable does not change.
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
    if(CK_PLATFORM_NVIDIA AND folder STREQUAL "convolution/tensor_maps") # CMake before 3.31 has no unity builds of CUDA
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
    if(folder MATCHES "^(norm|pool)$") # without the library's other kernels, so that it also runs sanitized and in the emulator
        file(GLOB library CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/library/src/${folder}/*.cpp")
        target_sources(${name} PRIVATE ${library} "${PROJECT_SOURCE_DIR}/library/src/conv/refused.cpp")
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/library/src")
        if(CK_PLATFORM_NVIDIA) # expected results are long double, about which nvcc warns because GPUs have none
            set(with_numbers ${ARGN})
            list(FILTER with_numbers EXCLUDE REGEX "(_spec|_many|tiling)\\.cpp$")
            ck_no_kernels(${with_numbers})
        endif()
    endif()
    if(folder MATCHES "^(conv|library/tensor_operation_instance/threads)$")
        target_link_libraries(${name} PRIVATE composable_kernel::conv)
        target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/library/src")
    endif()
    if(folder STREQUAL "conv" AND SQLite3_FOUND) # it makes databases as other programs do
        target_link_libraries(${name} PRIVATE SQLite::SQLite3)
        target_compile_definitions(${name} PRIVATE CK_SQLITE)
    endif()
    if(folder MATCHES "^convolution/(forward|backward_data)$") # tells the sources of convolution/lattice which direction to test
        string(TOUPPER "CK_TEST_${CMAKE_MATCH_1}" direction)
        target_compile_definitions(${name} PRIVATE ${direction})
    endif()
    if(folder STREQUAL "tensor_operation/gpu/conv/model") # not by __FILE__, which ccache may make relative
        set_source_files_properties(${folder}/every_term.cpp ${folder}/every_line.cpp ${folder}/unit_time.cpp PROPERTIES COMPILE_DEFINITIONS
            "CK_PREDICTIONS=\"${CMAKE_CURRENT_SOURCE_DIR}/${folder}\"")
    endif()
    if(folder STREQUAL "library/tensor_operation_instance")
        set_source_files_properties(${folder}/kernel_facts.cpp PROPERTIES COMPILE_DEFINITIONS
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
    if(folder STREQUAL "library/other_operations") # factories whose instances are not convolutions
        target_link_libraries(${name} PRIVATE device_other_operations device_reduction_operations)
    endif()
    if(folder MATCHES "^(convolution/(forward|backward_data|backward_weight|nonfinite|types)|library/tables|tensor_operation/gpu/conv/(kernels|launch|model|plan))$") # they include the library's tables
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
    if(folder STREQUAL "library/tensor_operation_instance") # only these test internals of the library
        foreach(source separate_epilogue kernel_facts flat_launch fill_zeros im2col_launches cut_image)
            set_property(SOURCE ${folder}/${source}.cpp APPEND PROPERTY INCLUDE_DIRECTORIES "${PROJECT_SOURCE_DIR}/library/src")
        endforeach()
    endif()
    if(folder STREQUAL "library/tables") # lists of problems, and operations of tables, without the library's kernels
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
        set_source_files_properties(oracle/onednn.cpp PROPERTIES LANGUAGE CXX) # nvcc 13 crashes on oneDNN's header
    endif()

    if(CK_PLATFORM_HOST)
        set(together OFF)
        # The files of these folders use many names in several ways.
        if(CK_UNITY AND NOT folder MATCHES "^(library/(reference_tensor_operation|tensor_operation_instance/threads)|tensor_operation/gpu/element)$")
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
        if(NOT CK_SANITIZE AND folder MATCHES "^(norm|pool|convolution/|arch|tensor_operation/gpu)")
            set(shuffled ON)
        endif()
        if(NOT (shuffled AND ck_shuffled_alone))
            set(environment)
            if(folder STREQUAL "oracle") # oneDNN's threads busy-wait, which takes CPU time from other tests
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
    if(CK_PLATFORM_AMD AND folder MATCHES "^(isa|amd_emulator|norm|pool|convolution/)")
        set(emulated TRUE)
        if(ck_emulated_representative)
            target_compile_definitions(${name} PRIVATE CK_TEST_FIRST_TUNINGS)
        endif()
        ck_compile_together(${name}) # one pass for each target and one for the host read the same headers
        set(TARGETS ${GPU_TARGETS})
        if(ck_emulated_representative)
            ck_chosen_targets(TARGETS "${folder}")
            set(others ${GPU_TARGETS})
            list(REMOVE_ITEM others ${TARGETS})
            list(TRANSFORM others PREPEND --no-offload-arch=)
            target_compile_options(${name} PRIVATE ${others})
        endif()
        if(ck_emulated_representative AND folder MATCHES "^(norm|pool|convolution/)")
            set(MODES shuffled) # includes the checks, which do not change a run
        endif()
        ck_add_emulated_tests(${name} $<TARGET_FILE:${name}>)
    endif()
    if(CK_DEVICE_TESTS AND NOT folder MATCHES "^amd_emulator") # these test the emulator
        ck_discover(${name} "" "gpu")
    elseif(NOT emulated AND NOT (CK_PLATFORM_NVIDIA AND folder STREQUAL "convolution/tensor_maps"))
        # Nothing here can run it.
        set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    elseif(CK_PLATFORM_NVIDIA AND 90a-real IN_LIST CMAKE_CUDA_ARCHITECTURES)
        # Tensor maps are still compiled, for the GPU that has them, because nvcc refuses code that the host's compiler accepts.
        set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES 90a-real)
    endif()
endfunction()

# Links optimised code of the instructions' emulation to a program on the host.
function(ck_link_emulation program)
    if(TARGET optimized_emulation)
        ck_link_first(${program} optimized_emulation)
    endif()
endfunction()

# Puts objects before the program's own: the linker takes the first of equal inline functions.
function(ck_link_first program objects)
    target_link_options(${program} PRIVATE "$<TARGET_OBJECTS:${objects}>")
    set_property(TARGET ${program} APPEND PROPERTY LINK_DEPENDS "$<TARGET_OBJECTS:${objects}>")
    add_dependencies(${program} ${objects})
endfunction()

# ck_link_optimized(program source...): adds sources to the program that are optimised, although the program is not.
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

# Compiles twelve sources together: headers and common instantiations are compiled once, which takes a third to a half less
# time. Each source must have its names in a namespace of its own, and undefine its macros. Twenty for AMD with few kernels,
# because headers are read for each target. Compilers take up to 2 GB for the tests of convolutions.
function(ck_compile_together program)
    set(at_once 12)
    if(CK_PLATFORM_AMD AND ck_emulated_representative)
        set(at_once 20)
    endif()
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${at_once})
endfunction()

# Makes test programs of the host compile in a third less time. Only programs that run for long are optimised. The headers
# of GoogleTest and of the standard library, but none of the project's, are precompiled with the first program of each
# kind of optimisation.
function(ck_host_compilation program folder)
    set(kind short)
    if(folder MATCHES "^(convolution/|full_size|oracle)")
        set(kind long)
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # saves 7 % of the time to compile, and they run as fast
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

# ck_discover(program suffix label [variable=value]): CTest lists the cases when it runs. Only one label and one variable:
# CMake would take a second one for the name of the next property, and set neither.
function(ck_discover program suffix label)
    set(filter)
    if(CK_SANITIZE AND NOT CK_SANITIZED_TESTS STREQUAL "all")
        set(filter TEST_FILTER "-${ck_cases_not_sanitized}")
    endif()
    gtest_discover_tests(${program} NO_PRETTY_VALUES ${filter} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        TEST_PREFIX "${CK_TEST_PREFIX}${program}." TEST_SUFFIX "${suffix}" TEST_LIST "${program}${suffix}_tests"
        PROPERTIES TIMEOUT 600 LABELS "${label}" ENVIRONMENT "${ARGN}")
endfunction()

# ck_mpi_test(<name> <ranks> <program> <arguments>...): allows more ranks than processors, and root in a container.
function(ck_mpi_test name ranks program)
    set(test ${CK_TEST_PREFIX}${name})
    add_test(NAME ${test} COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${program} ${ARGN})
    set_tests_properties(${test} PROPERTIES LABELS host TIMEOUT 60 PROCESSORS 2
        ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
endfunction()
