# Part of install_and_use.cmake: a plugin that links the static libraries exports nothing of them. Two plugins and a program,
# with a copy each, coexist in one process with a library that has functions of the same names, as Composable Kernel has.
set(folder "${SOURCE}/test/package/symbols")
set(made "${SCRATCH}/symbols")
file(MAKE_DIRECTORY "${made}")
find_program(NM nm REQUIRED)
find_program(PKG_CONFIG pkg-config REQUIRED)
run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${prefix}/lib/pkgconfig" "${PKG_CONFIG}" --cflags --libs composable_kernel)
separate_arguments(flags UNIX_COMMAND "${output}")

# exports_nothing(<file>): of this library, nor of the standard library's templates for its types.
function(exports_nothing file)
    run("${NM}" --dynamic --defined-only --format=posix "${file}")
    string(REGEX MATCHALL "[^\n ]*[NIKRP]2ck[^\n ]*" names "${output}")
    list(LENGTH names count)
    if(count)
        list(SUBLIST names 0 10 names)
        message(FATAL_ERROR "${file} exports ${count} symbols of this library, for example ${names}")
    endif()
endfunction()

# The other library: everything that the archives define, under the same names. To call it ends the program.
set(archives "${prefix}/lib/libck_conv_static.a" "${prefix}/lib/libdevice_conv_operations.a" "${prefix}/lib/libck_utility.a")
run("${NM}" --defined-only --extern-only --format=posix ${archives})
string(REGEX MATCHALL "_Z[^\n ]*[NIKRP]2ck[^\n ]* [A-Zu] " names "${output}")
list(TRANSFORM names REPLACE " . $" "")
list(REMOVE_DUPLICATES names)
list(LENGTH names count)
if(count LESS 1000)
    message(FATAL_ERROR "the archives define ${count} symbols")
endif()
list(TRANSFORM names REPLACE "(.+)" ".globl \\1\\n.set \\1, called" OUTPUT_VARIABLE lines)
list(JOIN lines "\n" lines)
file(WRITE "${made}/other.s" ".include \"${made}/called.s\"\n${lines}\n")
file(WRITE "${made}/called.c" "extern void abort(void);\nextern long write(int, const void*, unsigned long);\n"
    "void called(void) { write(2, \"a function of the other library was called\\n\", 43); abort(); }\n")
run("${COMPILER}" -x c -O1 -fPIC -S "${made}/called.c" -o "${made}/called.s")
run("${COMPILER}" -shared "${made}/other.s" -o "${made}/libother.so")

run("${COMPILER}" -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -c "${folder}/plugin.cpp" -o "${made}/plugin.o" ${flags})
foreach(plugin first second)
    run("${COMPILER}" -shared "${made}/plugin.o" -o "${made}/${plugin}.so" ${flags})
    exports_nothing("${made}/${plugin}.so")
endforeach()
run("${COMPILER}" -std=c++20 "${folder}/load.cpp" "${made}/plugin.o" -o "${made}/load" ${flags} -Wl,--no-as-needed "-L${made}" -lother
    "-Wl,-rpath,${made}") # our archives first: the linker takes the first definition
exports_nothing("${made}/load")
run("${made}/load" "${made}/first.so" "${made}/second.so")
message("${output}")
exports_nothing("${prefix}/lib/libck_conv.so")
file(REMOVE_RECURSE "${made}")
