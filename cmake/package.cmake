# Install rules and packages, by rocm-cmake. Installed: the headers of include/ and library/include/, config.h and
# version.h, the static libraries, libck_conv.so, the CMake package composable_kernel, and files that examples and clients
# share. The Debian package composable-kernel-<platform>-dev has all this. Packages of different platforms have the same
# files and exclude each other. composable-kernel-<platform>-profiler has the program ckProfiler.
set(ROCM_SYMLINK_LIBS OFF CACHE BOOL "Links for the folder layout of old ROCm releases")
set(ROCM_DEP_ROCMCORE OFF CACHE BOOL "Depend on the package rocm-core")
include(ROCMInstallTargets)
include(ROCMCreatePackage)

rocm_install_targets(
    TARGETS ck_headers ck_utility device_conv_operations ck_conv_static ck_distributed ${CK_OTHER_COMPONENTS}
    INCLUDE include library/include "${CK_GENERATED_INCLUDE_DIR}")
rocm_install_targets(TARGETS ck_conv COMPONENT devel) # in the development package, because there is no runtime package
add_custom_target(ck_installed) # builds everything that is installed
add_dependencies(ck_installed ck_utility device_conv_operations ck_conv_static ck_distributed ck_conv ${CK_OTHER_COMPONENTS})

# Some clients of Composable Kernel link plain `utility`, not a target. -lutility finds it in a folder of our own, where it
# cannot conflict with other libraries.
file(CREATE_LINK ../libck_utility.a "${PROJECT_BINARY_DIR}/libutility.a" SYMBOLIC)
install(FILES "${PROJECT_BINARY_DIR}/libutility.a" DESTINATION "${CMAKE_INSTALL_LIBDIR}/composable_kernel" COMPONENT devel)
target_link_directories(ck_headers INTERFACE "$<INSTALL_INTERFACE:$<INSTALL_PREFIX>/${CMAKE_INSTALL_LIBDIR}/composable_kernel>")

# Libraries that the static libraries need. For programs that link by hand, -lck_distributed finds a linker script before
# the archive. The script names these libraries, so that the client need not know whether it was built with MPI or NCCL.
set(needed)
if(SQLite3_FOUND)
    list(APPEND needed ${SQLite3_LIBRARIES})
endif()
if(CK_PLATFORM_HOST)
    list(APPEND needed "$<TARGET_FILE:Boost::context>")
elseif(CK_PLATFORM_AMD)
    list(APPEND needed "${CK_HIP_LIBRARY}")
else()
    list(APPEND needed "$<TARGET_FILE:CUDA::cudart_static>" -lrt -ldl)
endif()
set(needed_by_distributed ${MPI_CXX_LIBRARIES} ${needed})
if(CK_NCCL)
    list(APPEND needed_by_distributed "${CK_NCCL}")
endif()
list(JOIN needed " " needed)
list(JOIN needed_by_distributed " " needed_by_distributed)
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/libck_distributed.so" CONTENT
"/* Script of the linker's: what libck_distributed.a needs. */
GROUP ( libck_distributed.a libck_conv_static.a libdevice_conv_operations.a libck_utility.a AS_NEEDED ( ${needed_by_distributed} -lpthread ) )
")
install(FILES "${PROJECT_BINARY_DIR}/libck_distributed.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT devel)

# pkg-config files for builds without CMake. Their prefixes are relative, so an installation may be moved.
set(CK_PKG_CONFIG_FLAGS)
if(CK_PLATFORM_AMD)
    set(CK_PKG_CONFIG_FLAGS " -D__HIP_PLATFORM_AMD__")
endif()
foreach(package ck_conv composable_kernel)
    configure_file("cmake/pkg_config/${package}.pc.in" "${PROJECT_BINARY_DIR}/${package}.pc.in" @ONLY)
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${package}.pc" INPUT "${PROJECT_BINARY_DIR}/${package}.pc.in")
    install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT devel)
endforeach()

# Clients may include this path: #include "library/reference_tensor_operation/cpu/..."
install(DIRECTORY library/reference_tensor_operation DESTINATION include/library COMPONENT devel)

# Each folder of example/ and client_example/ is a project of its own, and may be copied anywhere. So the files that they
# share are installed.
foreach(programs example client_example)
    install(DIRECTORY ${programs}/common DESTINATION share/composable_kernel/${programs} COMPONENT devel)
endforeach()

if(CK_INSTALL_PYTHON)
    install(DIRECTORY python/ck_conv DESTINATION lib/python3/dist-packages COMPONENT devel FILES_MATCHING PATTERN "*.py")
endif()

# The program is in a package of its own, which does not need the other one.
set(components)
if(TARGET ckProfiler)
    add_dependencies(ck_installed ckProfiler)
    rocm_install(TARGETS ckProfiler COMPONENT profiler)
    set(components COMPONENTS profiler)
    set(CPACK_DEBIAN_PROFILER_PACKAGE_DEPENDS libstdc++6)
    if(SQLite3_FOUND)
        string(APPEND CPACK_DEBIAN_PROFILER_PACKAGE_DEPENDS ", libsqlite3-0")
    endif()
    if(NOT CK_PLATFORM_NVIDIA) # CUDA's libraries are not Debian packages
        set(CPACK_DEBIAN_PROFILER_PACKAGE_SHLIBDEPS ON)
    endif()
endif()

# What clients of a component need, for CMake (CK_NEEDS, calls in the CMake package) and for Debian. The Debian package
# depends on what components with kernels need. It recommends what the others need, so that clients may do without.
set(CK_NEEDS "composable_kernel_needs(libc6-dev \"\${composable_kernel_of_kernels}\" Threads)\n")
set(debian_dependencies)
set(debian_recommends)
if(CK_PLATFORM_HOST)
    string(APPEND CK_NEEDS "composable_kernel_needs(libboost-context-dev \"\${composable_kernel_of_kernels}\" Boost COMPONENTS context)\n")
    list(APPEND debian_dependencies libboost-context-dev)
elseif(CK_PLATFORM_AMD)
    list(APPEND debian_dependencies "libamdhip64-dev | hip-dev") # Debian's or AMD's package
elseif(CK_PLATFORM_NVIDIA) # no Debian package, because CUDA may come from NVIDIA
    string(APPEND CK_NEEDS "composable_kernel_needs(nvidia-cuda-toolkit \"\${composable_kernel_of_kernels}\" CUDAToolkit)\n")
endif()
if(SQLite3_FOUND)
    string(APPEND CK_NEEDS "composable_kernel_needs(libsqlite3-dev \"conv;distributed\" SQLite3)\n")
    list(APPEND debian_dependencies libsqlite3-0) # libck_conv.so needs it
    list(APPEND debian_recommends libsqlite3-dev)
endif()
if(MPI_CXX_FOUND)
    string(APPEND CK_NEEDS "set(composable_kernel_before \"\${MPI_CXX_SKIP_MPICXX}\")\nset(MPI_CXX_SKIP_MPICXX ON)\n"
        "composable_kernel_needs(libopenmpi-dev distributed MPI COMPONENTS CXX)\n"
        "set(MPI_CXX_SKIP_MPICXX \"\${composable_kernel_before}\")\n")
    list(APPEND debian_recommends libopenmpi-dev)
endif()
list(JOIN debian_recommends ", " CPACK_DEBIAN_DEVEL_PACKAGE_RECOMMENDS)
if(debian_dependencies)
    list(PREPEND debian_dependencies DEPENDS)
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/composable_kernel-components.cmake.in"
    "${PROJECT_BINARY_DIR}/composable_kernel-components.cmake" @ONLY)
rocm_export_targets(
    TARGETS composable_kernel::device_conv_operations
    NAMESPACE composable_kernel::
    INCLUDE "${PROJECT_BINARY_DIR}/composable_kernel-components.cmake")

set(CPACK_GENERATOR DEB CACHE STRING "Package formats")
set(CPACK_SET_DESTDIR OFF CACHE BOOL "Package under the install prefix of this build")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/cpack_options.cmake")
rocm_create_package(
    NAME composable-kernel-${CK_PLATFORM} # Debian allows no underscore
    DESCRIPTION "${PROJECT_DESCRIPTION}"
    MAINTAINER "ck-conv contributors <ck-conv@localhost>"
    HEADER_ONLY # in rocm-cmake this means: no runtime package
    ${components}
    ${debian_dependencies})
