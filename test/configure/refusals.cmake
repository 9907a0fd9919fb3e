# Configures the project in ways that it must refuse with a sentence. Needs: SOURCE SCRATCH COMPILER GENERATOR
cmake_minimum_required(VERSION 3.21)
set(failures)
set(number 0)

# expect(<regex> <options>...): configuring fails with a message that matches, whatever the line breaks.
function(expect regex)
    math(EXPR number "${number} + 1")
    set(number ${number} PARENT_SCOPE)
    set(build "${SCRATCH}/${number}")
    configure("${build}" "-DCMAKE_CXX_COMPILER=${COMPILER}" ${ARGN})
    check("${regex}" "${ARGN}")
endfunction()
macro(configure build)
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${build}" -G "${GENERATOR}" -DCK_INSTALL=OFF
        -DCK_BUILD_TESTS=OFF -DCK_BUILD_EXAMPLES=OFF ${ARGN}
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX REPLACE "[ \n]+" " " output "${output}")
endmacro()
macro(check regex shown)
    if(status EQUAL 0 OR NOT output MATCHES "${regex}")
        list(APPEND failures "${shown}: expected '${regex}' in: ${output}")
    endif()
    set(failures "${failures}" PARENT_SCOPE)
endmacro()

file(REMOVE_RECURSE "${SCRATCH}")
expect("CK_PLATFORM is 'intel'; its choices are host, amd, nvidia" -DCK_PLATFORM=intel)
expect("CK_INSTANCES is 'some'; its choices are all, representative" -DCK_INSTANCES=some)
expect("'adress' is none of address, leak, thread, undefined" -DCK_SANITIZE=undefined,adress)
expect("CK_KERNELS is '.Forwart', which matches no family and table of the library's" "-DCK_KERNELS=^Forwart")
expect("CK_KERNELS is '..Forward', which is not an extended regular expression: " "-DCK_KERNELS=^(Forward")
expect("CK_TYPES is 'fp16', but 'fp16' is not one of f64 f32 f16 bf16 i8 f8" -DCK_TYPES=fp16)
expect("CK_TYPES is '', but must name at least one of f64 f32 f16 bf16 i8 f8, or be all" -DCK_TYPES=)
expect("CK_TYPES is 'f16' and CK_KERNELS is 'wgmma'; set only one of them" -DCK_TYPES=f16 -DCK_KERNELS=wgmma)
expect("CMAKE_BUILD_TYPE is 'Relase'; its choices are Debug, Release, RelWithDebInfo, MinSizeRel, and others whose flags are in CMAKE_CXX_FLAGS_RELASE"
    -DCMAKE_BUILD_TYPE=Relase)
expect("BUILD_SHARED_LIBS is ON, but the libraries of C.. are static ones; libck_conv.so .*Leave it OFF" -DBUILD_SHARED_LIBS=ON)
expect("CMAKE_CXX_FLAGS_RELEASE is empty" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=)
expect("CK_GLIBC is '2.5', but must be 2.28 or a later version" -DCK_GLIBC=2.5)
expect("CK_GLIBC is 'new', but must be 2.28 or a later version" -DCK_GLIBC=new)
expect("CK_GLIBC is 2.28, and CK_ZIG, the program that links for it, is '/gone/zig', which is no file" -DCK_GLIBC=2.28 -DCK_ZIG=/gone/zig)

# A first configuration finds no compiler, and leaves a cache without flags where CMake itself says so.
function(compiler_comes_later)
    set(build "${SCRATCH}/later")
    configure("${build}" -DCK_PLATFORM=amd -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=no_such_compiler)
    check("The compiler 'no_such_compiler' is not here. name another one" "no compiler")
    configure("${build}" "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_CXX_FLAGS_RELEASE=)
    check("CMAKE_CXX_FLAGS_RELEASE is empty: .* Delete" "a compiler at last")
endfunction()
compiler_comes_later()

# Presets whose compiler is not here: the packages that have it. PATH is empty, as on a machine without any.
function(expect_packages regex)
    math(EXPR number "${number} + 1")
    set(number ${number} PARENT_SCOPE)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E env "PATH=${SCRATCH}/nothing" "${CMAKE_COMMAND}" -S "${SOURCE}" -B
        "${SCRATCH}/${number}" ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX REPLACE "[ \n]+" " " output "${output}")
    check("${regex}" "${ARGN}")
endfunction()
expect_packages("'clang[+][+]-15' is not here. Debian: apt install hipcc libamdhip64-dev rocm-device-libs" --preset amd)
expect_packages("'clang[+][+]-22' is not here. Debian: apt install hipcc libamdhip64-dev rocm-device-libs clang-22 lld-22 .* security suite: apt's sources need .*bookworm-security main"
    --preset amd-clang22)
if(NOT EXISTS /opt/rocm/llvm/bin/clang++)
    expect_packages("'/opt/rocm/llvm/bin/clang[+][+]' is not here. .* Without ROCm, the preset amd-clang22 builds the same with Debian's clang-22"
        --preset amd-rocm)
endif()
expect_packages("'clang[+][+]-14' is not here. Debian: apt install clang-14" --preset host-debug)
expect_packages("'g[+][+]' is not here. Debian: apt install g[+][+]" --preset host)
expect("needs nvcc 13, which is neither in PATH .* package cuda-toolkit-13-0 of NVIDIA's repository" -DCK_PLATFORM=nvidia
    -DCMAKE_CUDA_COMPILER=no_such_nvcc)

if(failures)
    list(JOIN failures "\n" text)
    message(FATAL_ERROR "${text}")
endif()
