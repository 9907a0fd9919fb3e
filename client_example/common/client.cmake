# What the clients share. The CMakeLists.txt of each client, wherever its folder is, includes this file of the installed
# package. Programs are in the build folder, where documents run them as ./conv3d_bwd_data_fp16, with links to them in its
# bin/.

# ck_client(<source> <component>...): a program client_<name of the source>, with the names that follow.
function(ck_client source)
    get_filename_component(name "${source}" NAME_WE)
    add_executable(client_${name} "${source}")
    target_include_directories(client_${name} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
    list(TRANSFORM ARGN PREPEND "composable_kernel::" OUTPUT_VARIABLE components)
    target_link_libraries(client_${name} PRIVATE ${components} composable_kernel::utility)
    ck_client_names(${name})
endfunction()

# ck_client_names(<name>): links to the program client_<name> that are called <name>, and both names without a type at
# the end, where no other source has that name: of fp16, or of fp32 where there is no fp16.
function(ck_client_names name)
    set(names ${name})
    if(name MATCHES "^(.*)_(fp16|fp32)$")
        set(short "${CMAKE_MATCH_1}")
        if((CMAKE_MATCH_2 STREQUAL "fp16" OR NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${short}_fp16.cpp")
                AND NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${short}.cpp")
            list(APPEND names ${short} client_${short})
        endif()
    endif()
    set(links COMMAND "${CMAKE_COMMAND}" -E create_symlink ../client_${name} bin/client_${name})
    foreach(other IN LISTS names)
        list(APPEND links COMMAND "${CMAKE_COMMAND}" -E create_symlink client_${name} ${other}
            COMMAND "${CMAKE_COMMAND}" -E create_symlink ../client_${name} bin/${other})
        add_custom_target(${other} DEPENDS client_${name})
    endforeach()
    add_custom_command(TARGET client_${name} POST_BUILD COMMAND "${CMAKE_COMMAND}" -E make_directory bin ${links}
        WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" VERBATIM)
endfunction()
