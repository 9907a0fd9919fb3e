# ck_add_emulated_tests(<program>): the program on each AMD target of this build, in the emulator: as it is, with the
# emulator's checks, and with waves in random order. Skipped, and said so, where the emulator is absent.
function(ck_add_emulated_tests program)
    foreach(target IN LISTS GPU_TARGETS)
        foreach(mode plain checks order)
            set(name "${CK_TEST_PREFIX}${program}.${target}.${mode}")
            add_test(NAME ${name} COMMAND "${PROJECT_SOURCE_DIR}/script/emulate" ${target} ${mode} $<TARGET_FILE:${program}>)
            set_tests_properties(${name} PROPERTIES LABELS isa TIMEOUT 900 SKIP_RETURN_CODE 77)
        endforeach()
    endforeach()
endfunction()
