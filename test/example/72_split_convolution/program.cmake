# Runs example 72 with even and uneven parts: each number as on one rank, a timeline that script/plot draws, and mistakes
# of its command line.
function(run status pattern)
    execute_process(COMMAND "${PROGRAM}" --width 4 ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
    if(NOT result EQUAL status OR NOT out MATCHES "${pattern}")
        message(FATAL_ERROR "${ARGN}: status ${result} instead of ${status}, or no '${pattern}' in:\n${out}")
    endif()
endfunction()

run(0 "rank 2 of 3 .in-process.: rows 8 to 11 of D, [0-9.]* ms, each number as on one rank" --ranks 3 --depth 12)
run(0 "rows 4 to 5 of D, [0-9.]* ms, each number as on one rank" --ranks 3 --rows 4,2,1
    --timeline "${FOLDER}/timeline.json")
run(0 "Exit status" --help)
run(2 "Value 0 not in range" --ranks 0)
run(1 "rank 0 needs 1 rows of X after its part .rows 0 to 2., but its neighbour, rank 1, has only 0"
    --ranks 3 --rows 3,0,3)
run(1 "--rows has 2 numbers, but there are 3 ranks" --ranks 3 --rows 3,3)
run(1 "cannot write /nowhere/timeline.json" --ranks 1 --depth 3 --timeline /nowhere/timeline.json)

execute_process(COMMAND "${PLOT}" timeline "${FOLDER}/timeline.json" --out "${FOLDER}/timeline" RESULT_VARIABLE result)
if(NOT result EQUAL 0 OR NOT EXISTS "${FOLDER}/timeline.svg")
    message(FATAL_ERROR "script/plot draws no timeline")
endif()
