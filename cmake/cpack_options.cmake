# Read by cpack: corrects what rocm_create_package sets wrongly for this project.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA) # the postinst and prerm files that it lists are empty
set(CPACK_PACKAGE_VENDOR "ck-conv contributors")
# The package of each platform provides this name, too, and conflicts with others that do.
set(CPACK_DEBIAN_DEVEL_PACKAGE_PROVIDES "composable-kernel-dev (= ${CPACK_PACKAGE_VERSION})")
set(CPACK_DEBIAN_DEVEL_PACKAGE_CONFLICTS composable-kernel-dev)
set(CPACK_DEBIAN_DEVEL_PACKAGE_REPLACES composable-kernel-dev)
