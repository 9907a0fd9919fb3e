# Which table of tunings is built where, and the sources generated from them; appended to `sources`.
#   amd      XDL, WMMA, DL
#   nvidia   mma.sync, DL
#   host     the first row of every table: each instruction's best tile, and one for any channels. Rows differ in tile
#            and vectors alone, and those are proven by tests of single operations.
set(ck_instances ${CK_INSTANCES})
set(engines xdl wmma dl)
if(CK_PLATFORM_HOST)
    set(engines xdl wmma dl mma)
    set(ck_instances representative)
elseif(CK_PLATFORM_NVIDIA)
    set(engines mma dl)
endif()

# ck_backward_data_tables(<engine> <element type> <table>...)
function(ck_backward_data_tables engine type)
    if(NOT engine IN_LIST engines)
        return()
    endif()
    set(CK_INSTANCES ${ck_instances})
    foreach(table IN LISTS ARGN)
        ck_generate_instances(generated TABLE "tables/backward_data/${engine}.hpp"
            ARRAY "ck::tables::backward_data::${table}" ROWS_PER_FILE 2 TEMPLATE backward_data_instances.cpp.in
            DEFINE "TYPE=${type}")
    endforeach()
    foreach(source IN LISTS generated)
        get_filename_component(part "${source}" NAME_WE)
        list(APPEND backward_data_parts backward_data_${part})
    endforeach()
    list(APPEND sources ${generated})
    set(sources "${sources}" PARENT_SCOPE)
    set(backward_data_parts "${backward_data_parts}" PARENT_SCOPE)
endfunction()

# The order here is the order of a factory's instances: of those that support a problem, the first is a good choice.
set(backward_data_parts)
foreach(any "" _any)
    ck_backward_data_tables(mma ck::half_t mma_f16${any})
    ck_backward_data_tables(mma ck::bhalf_t mma_bf16${any})
    ck_backward_data_tables(xdl ck::half_t xdl_f16${any})
    ck_backward_data_tables(xdl ck::bhalf_t xdl_bf16${any} xdl_bf16_gfx908${any})
    ck_backward_data_tables(xdl float xdl_f32${any})
    ck_backward_data_tables(wmma ck::half_t wmma_gfx11_f16${any} wmma_gfx12_f16${any})
    ck_backward_data_tables(wmma ck::bhalf_t wmma_gfx11_bf16${any} wmma_gfx12_bf16${any})
    ck_backward_data_tables(dl ck::half_t dl_f16${any})
    ck_backward_data_tables(dl ck::bhalf_t dl_bf16${any})
    ck_backward_data_tables(dl float dl_f32${any})
endforeach()

set(PART_DECLARATIONS)
set(PART_CALLS)
foreach(part IN LISTS backward_data_parts)
    string(APPEND PART_DECLARATIONS "BackwardDataPart ${part}();\n")
    string(APPEND PART_CALLS "        ${part}(),\n")
endforeach()
configure_file("${PROJECT_SOURCE_DIR}/cmake/backward_data_index.cpp.in"
    "${CMAKE_CURRENT_BINARY_DIR}/instances/backward_data_index.cpp" @ONLY)
list(APPEND sources "${CMAKE_CURRENT_BINARY_DIR}/instances/backward_data_index.cpp")
