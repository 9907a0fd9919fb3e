# Read by cpack: what rocm_create_package sets and does not fit here.
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA) # its postinst and prerm are empty files
set(CPACK_PACKAGE_VENDOR "ck-conv contributors")
