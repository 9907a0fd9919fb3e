# ck_check_choice(<variable>): stops with an error unless the cache variable has a value of its property STRINGS.
function(ck_check_choice variable)
    get_property(choices CACHE ${variable} PROPERTY STRINGS)
    if(NOT "${${variable}}" IN_LIST choices)
        list(JOIN choices ", " choices)
        message(FATAL_ERROR "${variable} is '${${variable}}'; its choices are ${choices}.")
    endif()
endfunction()
