# Target api_reference: the API reference as HTML, by doxygen and docs/Doxyfile, in <build>/api_reference/html. A public name
# without documentation is an error. The target is left out if doxygen is not installed.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND AND NOT TARGET api_reference)
    add_custom_target(api_reference
        COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/api_reference"
        COMMAND sh -c "(cat docs/Doxyfile && echo 'OUTPUT_DIRECTORY = \"${PROJECT_BINARY_DIR}/api_reference\"') | '$<TARGET_FILE:Doxygen::doxygen>' -"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM
        COMMENT "API reference: ${PROJECT_BINARY_DIR}/api_reference/html/index.html")
endif()
