/* Exceptions other than refusals have a status of their own, and a text. */
#define _POSIX_C_SOURCE 200809L
#include "require.h"
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The first thing that a program asks of the device, which is none that the host stands in for. */
int of_the_runtime(void)
{
    ck_conv_spec spec;
    ck_conv_plan* plan = (ck_conv_plan*)&spec;
    REQUIRE(ck_conv_spec_init(&spec, sizeof spec, 1) == CK_CONV_OK);
    spec.input[0] = spec.filter[0] = 3;
    REQUIRE(setenv("CK_HOST_TARGET", "gfx0", 1) == 0);
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_RUNTIME_ERROR);
    REQUIRE(strstr(ck_last_error(), "device") != NULL && plan == NULL);
    REQUIRE(unsetenv("CK_HOST_TARGET") == 0);
    REQUIRE(ck_conv_plan_create(&spec, NULL, &plan) == CK_CONV_OK && plan != NULL);
    ck_conv_plan_destroy(plan);
    return 0;
}

/* A text that fits in memory once, but not twice. */
int of_memory(void)
{
    const size_t bytes = (size_t)256 << 20;
    char* const text   = malloc(bytes);
    REQUIRE(text != NULL);
    memset(text, 'x', bytes - 1);
    text[bytes - 1]     = '\0';
    unsigned long pages = 0; /* that the process has by now */
    FILE* const file    = fopen("/proc/self/statm", "r");
    REQUIRE(file != NULL && fscanf(file, "%lu", &pages) == 1 && fclose(file) == 0);
    struct rlimit before, less;
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    less          = before;
    less.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + bytes / 2;
    REQUIRE(setrlimit(RLIMIT_AS, &less) == 0);
    ck_conv_plan* plan          = NULL;
    const ck_conv_status status = ck_conv_plan_deserialize(text, &plan);
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    REQUIRE(status == CK_CONV_OUT_OF_MEMORY && plan == NULL);
    REQUIRE(strcmp(ck_last_error(), "out of memory") == 0);
    REQUIRE(ck_conv_plan_deserialize(text, &plan) == CK_CONV_REFUSED);
    free(text);
    return 0;
}
