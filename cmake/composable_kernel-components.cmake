# Components that clients of composable_kernel ask for. Those of other operations than convolution are accepted and
# empty: they add no target. A required component that nobody knows is an error.
set(composable_kernel_known_components utility
    device_conv_operations device_other_operations device_gemm_operations device_reduction_operations
    device_contraction_operations device_mha_operations)
foreach(component IN LISTS composable_kernel_FIND_COMPONENTS)
    if(component IN_LIST composable_kernel_known_components)
        set(composable_kernel_${component}_FOUND TRUE)
    else()
        set(composable_kernel_${component}_FOUND FALSE)
        if(composable_kernel_FIND_REQUIRED_${component})
            set(composable_kernel_FOUND FALSE)
            string(CONCAT composable_kernel_NOT_FOUND_MESSAGE "composable_kernel has no component '${component}'; "
                "it has: ${composable_kernel_known_components}")
        endif()
    endif()
endforeach()
