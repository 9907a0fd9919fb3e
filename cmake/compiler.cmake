# Included before project(). If a preset or a user names a compiler that is not installed, CMake would only say that it is
# not in PATH; this says which package has it.
function(ck_check_compiler)
    if(CMAKE_CXX_COMPILER STREQUAL "" OR NOT DEFINED CMAKE_CXX_COMPILER)
        return()
    endif()
    list(GET CMAKE_CXX_COMPILER 0 name)
    find_program(CK_COMPILER_FOUND "${name}" NO_CACHE)
    if(CK_COMPILER_FOUND)
        return()
    endif()
    set(install)
    if(CK_PLATFORM STREQUAL "amd" AND name MATCHES "^(clang\\+\\+-1[57]|hipcc)$")
        set(install "Debian: apt install hipcc libamdhip64-dev rocm-device-libs, which brings clang++-15 (Debian 13: "
            "clang++-17, -DCMAKE_CXX_COMPILER=clang++-17)")
    elseif(CK_PLATFORM STREQUAL "amd" AND name MATCHES "^clang\\+\\+-([0-9]+)$")
        set(install "Debian: apt install hipcc libamdhip64-dev rocm-device-libs clang-${CMAKE_MATCH_1} "
            "lld-${CMAKE_MATCH_1} clang-tools-${CMAKE_MATCH_1} llvm-${CMAKE_MATCH_1}")
    elseif(name MATCHES "^/opt/rocm")
        set(install "It is the compiler of AMD's own ROCm; -DCMAKE_CXX_COMPILER=<rocm>/llvm/bin/clang++ if that is elsewhere. "
            "Without ROCm, the preset amd-clang22 builds the same with Debian's clang-22")
    elseif(name MATCHES "^clang\\+\\+-([0-9]+)$")
        set(install "Debian: apt install clang-${CMAKE_MATCH_1}; another one: -DCMAKE_CXX_COMPILER=...")
    elseif(name MATCHES "^(g|c)\\+\\+$")
        set(install "Debian: apt install g++")
    else()
        set(install "name another one: -DCMAKE_CXX_COMPILER=...")
    endif()
    list(JOIN install "" install)
    if(name STREQUAL "clang++-22")
        string(APPEND install ". In Debian 12 clang-22 comes from the security suite: apt's sources need "
            "the suite `bookworm-security main`")
    endif()
    message(FATAL_ERROR "The compiler '${name}' is not here. ${install}.")
endfunction()

# ck_find_nvcc(): sets CMAKE_CUDA_COMPILER, from PATH or from the folder of NVIDIA's packages.
macro(ck_find_nvcc)
    if(CMAKE_CUDA_COMPILER)
        find_program(CK_NVCC "${CMAKE_CUDA_COMPILER}" NO_CACHE)
    elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
        set(CK_NVCC "$ENV{CUDACXX}")
    else()
        find_program(CK_NVCC nvcc PATHS ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin NO_CACHE)
        if(CK_NVCC)
            set(CMAKE_CUDA_COMPILER "${CK_NVCC}" CACHE FILEPATH "CUDA compiler")
        endif()
    endif()
    if(NOT CK_NVCC)
        message(FATAL_ERROR "CK_PLATFORM=nvidia needs nvcc 13, which is neither in PATH nor in /usr/local/cuda/bin. It is in "
            "NVIDIA's CUDA toolkit, package cuda-toolkit-13-0 of NVIDIA's repository for Debian 12 "
            "(https://developer.nvidia.com/cuda-downloads); Debian's own nvidia-cuda-toolkit is too old. Elsewhere: "
            "-DCMAKE_CUDA_COMPILER=<cuda>/bin/nvcc.")
    endif()
    unset(CK_NVCC)
endmacro()
