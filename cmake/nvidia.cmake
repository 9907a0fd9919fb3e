# CK_PLATFORM=nvidia: every .cpp of the project is CUDA.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES "80-real;90a-real" CACHE STRING "CUDA architectures")
endif()
ck_find_nvcc()
enable_language(CUDA)
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION) # CMake before 3.26 does not know that nvcc 12 and newer support C++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_20)
endif()
find_package(CUDAToolkit 12.0 REQUIRED)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
target_link_libraries(ck_headers INTERFACE CUDA::cudart_static)
# Kernels call constexpr functions of the library and of <array>.
target_compile_options(ck_headers INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>")
message(STATUS "CK_PLATFORM=nvidia for ${CMAKE_CUDA_ARCHITECTURES}")
