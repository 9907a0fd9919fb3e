# Which table of tunings is built where; the sources are appended to `sources`.
#   amd      XDL, WMMA, DL
#   nvidia   mma.sync, DL
#   host     all engines, the first row of every table: each instruction's best tile, and one for any channels. Rows
#            differ in tile and vectors alone, and those are proven by tests of single operations.
# CK_INSTANCES=representative on a GPU: first rows as well, and one type for each direction: f16 forward, bf16 backward
# data, f32 backward weight.
set(engines xdl wmma dl)
set(representative_types forward half_t backward_data bhalf_t backward_weight float)
if(CK_PLATFORM_HOST)
    set(engines xdl wmma dl mma)
elseif(CK_PLATFORM_NVIDIA)
    set(engines mma dl)
endif()

# ck_table(<direction> <family> <engine> <element type> <instructions> <"" or _any> <parts>)
macro(ck_table direction family engine type instructions any parts)
    list(FIND representative_types ${direction} at)
    math(EXPR at "${at} + 1")
    list(GET representative_types ${at} representative)
    if(NOT ${engine} IN_LIST engines)
    elseif(CK_PLATFORM_HOST OR (CK_INSTANCES STREQUAL "representative" AND ${type} STREQUAL representative))
        ck_kernels(${direction} ${family}<${type}> "${engine}${any}<Direction::${direction}, ${instructions}>" FIRST)
    elseif(CK_INSTANCES STREQUAL "all")
        ck_kernels(${direction} ${family}<${type}> "${engine}${any}<Direction::${direction}, ${instructions}>"
            PARTS ${parts})
    endif()
endmacro()

# The order here is the order of a factory's instances: of those that support a problem, the first is a good choice.
macro(ck_plain direction family)
    foreach(any "" _any)
        ck_table(${direction} ${family} mma half_t mma_f16 "${any}" 3)
        ck_table(${direction} ${family} mma bhalf_t mma_bf16 "${any}" 3)
        ck_table(${direction} ${family} xdl half_t xdl_f16 "${any}" 3)
        ck_table(${direction} ${family} xdl bhalf_t xdl_bf16 "${any}" 3)
        ck_table(${direction} ${family} xdl bhalf_t xdl_bf16_gfx908 "${any}" 3)
        ck_table(${direction} ${family} xdl float xdl_f32 "${any}" 3)
        foreach(target gfx11 gfx12)
            ck_table(${direction} ${family} wmma half_t wmma_${target}_f16 "${any}" 2)
            ck_table(${direction} ${family} wmma bhalf_t wmma_${target}_bf16 "${any}" 2)
        endforeach()
        ck_table(${direction} ${family} dl half_t dl_f16 "${any}" 1)
        ck_table(${direction} ${family} dl bhalf_t dl_bf16 "${any}" 1)
        ck_table(${direction} ${family} dl float dl_f32 "${any}" 1)
    endforeach()
endmacro()
ck_plain(forward Forward)
ck_plain(backward_data BackwardData)

if(CK_PLATFORM_HOST)
    ck_write_kernel_sources(sources 13)
else()
    ck_write_kernel_sources(sources 1)
endif()
