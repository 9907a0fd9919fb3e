function(ck_add_emulated_tests program)
endfunction()
