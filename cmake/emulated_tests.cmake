# ck_add_emulated_tests(<name> <program> [arguments...]): the program on each AMD target of this build, in the
# emulator, test/amd_emulator: as it is, with the emulator's checks, and with waves in random order. Skipped, and said
# so, where there is no compiler for the emulator. TARGETS and MODES, if the caller sets them, are lists of those to take.
function(ck_add_emulated_tests name)
    if(NOT DEFINED TARGETS)
        set(TARGETS ${GPU_TARGETS})
    endif()
    if(NOT DEFINED MODES)
        set(MODES plain checks order)
    endif()
    foreach(target IN LISTS TARGETS)
        foreach(mode IN LISTS MODES)
            set(test "${CK_TEST_PREFIX}${name}.${target}.${mode}")
            add_test(NAME ${test} COMMAND "${PROJECT_SOURCE_DIR}/script/emulate" ${target} ${mode} ${ARGN})
            set_tests_properties(${test} PROPERTIES LABELS isa TIMEOUT 900 SKIP_RETURN_CODE 77)
        endforeach()
    endforeach()
endfunction()
