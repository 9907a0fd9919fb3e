# Which table of tunings is built for which family; the sources are appended to `sources`.
#
#              engines          families of PassThrough    families with other operations
#   amd        XDL, WMMA, DL    all rows                   the first row, and the first for any channels
#   nvidia     mma.sync, DL     the same                   the same
#   host       all for f16,     the first row, and the     the first row for any channels, XDL
#              else XDL         first for any channels
#
# Rows differ in tile and vectors alone, and those are proven by tests of single operations.
# CK_INSTANCES=representative on a GPU: as on the host with the GPU's engines, and only one element type for each
# direction: f16 forward, bf16 backward data, f32 backward weight.
set(instructions_f16 mma:mma_f16 xdl:xdl_f16 wmma:wmma_gfx11_f16 wmma:wmma_gfx12_f16 dl:dl_f16)
set(instructions_bf16 mma:mma_bf16 xdl:xdl_bf16 xdl:xdl_bf16_gfx908 wmma:wmma_gfx11_bf16 wmma:wmma_gfx12_bf16 dl:dl_bf16)
set(instructions_f32 xdl:xdl_f32 dl:dl_f32)
set(engines xdl wmma dl)
set(representative OFF)
if(CK_PLATFORM_HOST)
    set(engines mma xdl wmma dl)
    set(instructions_bf16 xdl:xdl_bf16)
    set(instructions_f32 xdl:xdl_f32)
    set(representative ON)
elseif(CK_PLATFORM_NVIDIA)
    set(engines mma dl)
endif()
if(CK_INSTANCES STREQUAL "representative")
    set(representative ON)
endif()

# ck_family(<direction> <f16 bf16 or f32> <family> [FUSED])
# The order here is the order of a factory's instances: of those that support a problem, the first is a good choice.
macro(ck_family direction type family)
    set(tables "" _any)
    set(instructions ${instructions_${type}})
    if(CK_PLATFORM_HOST AND "${ARGN}" STREQUAL FUSED)
        set(tables _any)
        list(FILTER instructions INCLUDE REGEX "^xdl:")
    elseif(representative AND NOT CK_PLATFORM_HOST AND
           NOT "${direction}_${type}" MATCHES "^(forward_f16|backward_data_bf16|backward_weight_f32)$")
        set(instructions)
    endif()
    foreach(any IN LISTS tables)
        foreach(entry IN LISTS instructions)
            string(REGEX MATCH "^(.*):(.*)$" _ "${entry}")
            if(CMAKE_MATCH_1 IN_LIST engines)
                set(rows PARTS 1)
                if(representative OR "${ARGN}" STREQUAL FUSED)
                    set(rows FIRST)
                elseif("${any}" STREQUAL "" AND NOT CMAKE_MATCH_1 STREQUAL "dl")
                    set(rows PARTS 3)
                endif()
                ck_kernels(${direction} "${family}" "${CMAKE_MATCH_1}${any}<Direction::${direction}, ${CMAKE_MATCH_2}>"
                    ${rows})
            endif()
        endforeach()
    endforeach()
endmacro()

foreach(type_name "half_t f16" "bhalf_t bf16" "float f32")
    string(REGEX MATCH "^(.*) (.*)$" _ "${type_name}")
    set(type ${CMAKE_MATCH_1})
    set(name ${CMAKE_MATCH_2})
    ck_family(forward ${name} "Forward<${type}>")
    ck_family(backward_data ${name} "BackwardData<${type}>")
    ck_family(backward_weight ${name} "BackwardWeight<${type}>")
endforeach()
ck_family(backward_weight bf16 "BackwardWeight<bhalf_t, float>")

if(CK_PLATFORM_HOST)
    ck_write_kernel_sources(sources 14)
else()
    ck_write_kernel_sources(sources 1)
endif()
