# Libraries with which composable_kernel::distributed moves data, if they are installed:
#   MPI_CXX_FOUND  MPI, between processes
#   CK_NCCL        the library NCCL or RCCL, between GPUs; CK_NCCL_INCLUDE has its header
set(MPI_CXX_SKIP_MPICXX ON) # only the C interface; MPI has removed the C++ one
find_package(MPI QUIET COMPONENTS CXX)
set(CK_NCCL OFF)
if(CK_PLATFORM_NVIDIA)
    find_path(CK_NCCL_INCLUDE nccl.h)
    find_library(CK_NCCL_LIBRARY nccl)
elseif(CK_PLATFORM_AMD)
    find_path(CK_NCCL_INCLUDE rccl/rccl.h)
    find_library(CK_NCCL_LIBRARY rccl)
endif()
mark_as_advanced(CK_NCCL_INCLUDE CK_NCCL_LIBRARY)
if(CK_NCCL_INCLUDE AND CK_NCCL_LIBRARY)
    set(CK_NCCL "${CK_NCCL_LIBRARY}")
endif()
