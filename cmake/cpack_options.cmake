# Read by cpack: what rocm_create_package sets and does not fit here.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA) # its postinst and prerm are empty files
set(CPACK_PACKAGE_VENDOR "ck-conv contributors")
# Each platform's package has this name, too, and excludes others of it.
set(CPACK_DEBIAN_DEVEL_PACKAGE_PROVIDES "composable-kernel-dev (= ${CPACK_PACKAGE_VERSION})")
set(CPACK_DEBIAN_DEVEL_PACKAGE_CONFLICTS composable-kernel-dev)
set(CPACK_DEBIAN_DEVEL_PACKAGE_REPLACES composable-kernel-dev)
