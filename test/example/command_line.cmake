# Tests what the examples say of their command line. Needs GROUPED and UNGROUPED, examples with and without G, TRANSPOSED,
# REARRANGE and GROUPED_GEMM.
# A mistake is one line on stderr that names the argument, and exit status 2.
cmake_minimum_required(VERSION 3.21)
set(failures)

function(expect status regex)
    execute_process(COMMAND "${program}" ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error
        TIMEOUT 60)
    list(JOIN ARGN " " shown)
    if(status EQUAL 2)
        set(text "${error}")
        if(NOT error MATCHES "^[^\n]+\n$")
            list(APPEND failures "'${program} ${shown}': expected one line on stderr, got:\n${error}")
        endif()
    else()
        set(text "${output}")
    endif()
    if(NOT result STREQUAL status)
        list(APPEND failures "'${program} ${shown}': exit status ${result}, expected ${status}; it said: ${output}${error}")
    endif()
    if(NOT text MATCHES "${regex}")
        list(APPEND failures "'${program} ${shown}': expected '${regex}' in: ${text}")
    endif()
    set(failures "${failures}" PARENT_SCOPE)
endfunction()

set(program "${GROUPED}")
#      status regex                verify init time dims  G N K C  filter input  stride dilation left right pads
expect(0 "G: groups"               --help)
expect(0 "in: dim 5, lengths {2, 1, 4, 5, 6}, strides {120, 120, 1, 24, 4}"
                                   1 1 0 2                2 1 8 4  3 3    5 6    1 1    1 1      1 1  1 1)
expect(0 "Perf: .* ms, .* TFlops, .* GB/s, DeviceGroupedConvFwd[^\n]*, emulated on the CPU\n"
                                   1 2 1 1                2 1 8 4  3      5      1      1        1    1)
expect(2 "argument"                1 1)
expect(2 "argument"                1 1 0 2                1 8 4    3 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "argument"                1 1 0 2                1 1 8 4  3 3    5 6    1 1    1 1      1 1  1 1  7)
expect(2 "spatial.*4|4.*spatial|dimension.*4" 1 1 0 4     1 1 8 4  3 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "K.*eight"                1 1 0 2                1 1 eight 4  3 3  5 6  1 1    1 1      1 1  1 1)
expect(2 "K.*8x"                   1 1 0 2                1 1 8x 4 3 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "C.*-4"                   1 1 0 2                1 1 8 -4 3 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "stride.*0"               1 1 0 2                1 1 8 4  3 3    5 6    0 1    1 1      1 1  1 1)
expect(2 "pad.*-1"                 1 1 0 2                1 1 8 4  3 3    5 6    1 1    1 1      -1 1  1 1)
expect(2 "filter"                  1 1 0 2                1 1 8 4  9 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "99999999999"             1 1 0 2                1 99999999999 8 4  3 3  5 6  1 1  1 1  1 1  1 1)
expect(2 "verification.*3"         3 1 0)
expect(2 "init.*9"                 1 9 0)
expect(2 "repetitions.*many"       1 1 many)

set(program "${UNGROUPED}")
expect(0 "N K C"                   --help)
expect(0 "in_n_c_hi_wi: dim 4, lengths {1, 4, 5, 6}, strides {120, 1, 24, 4}.wei_k_c_y_x: dim 4, lengths {8, 4, 3, 3}"
                                   1 1 0 2                1 8 4    3 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "argument"                1 1 0 2                1 1 8 4  3 3    5 6    1 1    1 1      1 1  1 1)

set(program "${TRANSPOSED}")
#      status regex                verify init time dims  G N K C  filter input  stride dilation left right output padding
expect(0 "output paddings"         --help)
expect(0 "forward: x dim 5, lengths {2, 1, 4, 5, 6}.*, y dim 5, lengths {2, 1, 8, 12, 8}.*PASS.*gradient of the input.*PASS.*gradient of the filter.*PASS"
                                   1 1 0 2                2 1 8 4  3 3    5 6    2 1    2 1      1 0  0 0  0 0)
expect(2 "there are 20 arguments"  1 1 0 2                2 1 8 4  3 3    5 6    2 1    1 1      1 0  0 0)
expect(2 "output padding in H .* is 2, but must be less than the stride, 2, or the dilation, 1"
                                   1 1 0 2                2 1 8 4  3 3    5 6    2 1    1 1      1 0  0 0  2 0)
expect(2 "argument 22 .output padding W. is \"-1\""
                                   1 1 0 2                2 1 8 4  3 3    5 6    2 1    1 1      1 0  0 0  0 -1)
expect(2 "output length in W .* is 0"
                                   1 1 0 2                2 1 8 4  3 3    5 6    2 1    1 1      0 4  0 4  0 0)
expect(2 "there are 2 arguments"   1 1)

set(program "${REARRANGE}")
#      status regex                verify init time dims  G N K C  filter input  stride dilation left right
expect(0 "usage: "                 --help)
expect(0 "column matrix: dim 3, lengths {2, 30, 36}.*verification: PASS"
                                   1 1 0 2                2 1 1 4  3 3    5 6    1 1    1 1      1 1  1 1)
expect(2 "there are 2 arguments"   1 1)

set(program "${REARRANGE}")
expect(0 "Perf: [^\n]* GB/s, [^\n]*, emulated on the CPU\n.*verification: PASS"
                                   1 1 1 2                2 1 1 4  3 3    5 6    1 1    1 1      1 1  1 1)

set(program "${GROUPED_GEMM}")
expect(0 "usage: "                 --help)
expect(0 "Perf: [^\n]* GB/s, [^\n]*, emulated on the CPU\n"
                                   1 1 1)
expect(2 "there are 2 arguments"   1 1)

# Output that is lost is a failure.
if(EXISTS /dev/full)
    foreach(program "${GROUPED}" "${TRANSPOSED}" "${REARRANGE}" "${GROUPED_GEMM}")
        execute_process(COMMAND "${program}" --help RESULT_VARIABLE result OUTPUT_FILE /dev/full ERROR_VARIABLE error)
        if(NOT result EQUAL 1 OR NOT error MATCHES "output could not be written")
            list(APPEND failures "${program} --help to a full disk: exit status ${result}; it said: ${error}")
        endif()
    endforeach()
endif()

if(failures)
    list(JOIN failures "\n" text)
    message(FATAL_ERROR "${text}")
endif()
