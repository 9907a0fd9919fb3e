/* Each field of ck_conv_options and ck_conv_tune_options has the effect that its name says. */
#include "require.h"
#include <stdlib.h>
#include <string.h>

static int channels_first(ck_conv_spec* spec)
{
    REQUIRE(ck_conv_spec_init(spec, sizeof *spec, 1) == CK_CONV_OK);
    spec->layout = CK_CONV_CHANNELS_FIRST;
    spec->k = 6, spec->c = 7;
    spec->input[0] = 300, spec->filter[0] = 3; /* copies pay: plans want a workspace */
    return 0;
}

static int of_plans(void)
{
    ck_conv_spec spec;
    ck_conv_options options;
    ck_conv_plan *plan = NULL, *other = NULL;
    size_t bytes = 0, fewer = 0;
    const char *kernel = NULL, *another = NULL, *text = NULL;
    if(channels_first(&spec) != 0)
        return 1;
    REQUIRE(ck_conv_options_init(&options, sizeof options) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_create(&spec, &options, &plan) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_workspace_size(plan, &bytes) == CK_CONV_OK && bytes > 0);
    REQUIRE(ck_conv_plan_kernel(plan, &kernel) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_serialize(plan, &text) == CK_CONV_OK);
    REQUIRE(strstr(text, "workspace_limit") == NULL);

    /* A limit that suffices is none; one byte less is. */
    options.workspace_limit = bytes;
    REQUIRE(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_kernel(other, &another) == CK_CONV_OK && strcmp(kernel, another) == 0);
    REQUIRE(ck_conv_plan_serialize(other, &text) == CK_CONV_OK);
    REQUIRE(strstr(text, " workspace_limit=") != NULL);
    ck_conv_plan_destroy(other);
    options.workspace_limit = bytes - 1;
    if(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_OK)
    {
        REQUIRE(ck_conv_plan_workspace_size(other, &fewer) == CK_CONV_OK && fewer < bytes);
        ck_conv_plan_destroy(other);
    }
    else
        REQUIRE(strstr(ck_last_error(), "workspace") != NULL);
    /* SIZE_MAX is the default; the number below it is a limit that nothing exceeds. */
    options.workspace_limit = SIZE_MAX - 1;
    REQUIRE(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_kernel(other, &another) == CK_CONV_OK && strcmp(kernel, another) == 0);
    REQUIRE(ck_conv_plan_serialize(other, &text) == CK_CONV_OK);
    REQUIRE(strstr(text, " workspace_limit=") != NULL);
    ck_conv_plan_destroy(other);
    options.workspace_limit = SIZE_MAX;

    /* Without and with the kernels behind copies that multiply by MFMA. */
    options.forbid = "^ChannelsLast<Xdl";
    REQUIRE(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_kernel(other, &another) == CK_CONV_OK);
    REQUIRE(strstr(another, "ChannelsLast<Xdl") != another);
    ck_conv_plan_destroy(other);
    options.forbid = NULL;
    options.allow  = "^ChannelsLast<Xdl";
    REQUIRE(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_kernel(other, &another) == CK_CONV_OK);
    REQUIRE(strstr(another, "ChannelsLast<Xdl") == another);
    ck_conv_plan_destroy(other);
    options.forbid = options.allow;
    REQUIRE(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_REFUSED && other == NULL);
    options.allow = options.forbid = ""; /* as null */
    REQUIRE(ck_conv_plan_create(&spec, &options, &other) == CK_CONV_OK);
    REQUIRE(ck_conv_plan_kernel(other, &another) == CK_CONV_OK && strcmp(kernel, another) == 0);
    ck_conv_plan_destroy(other);
    ck_conv_plan_destroy(plan);
    return 0;
}

struct notes
{
    int lines;
    char last[512];
};

static void note(const char* line, void* user)
{
    struct notes* const notes = user;
    ++notes->lines;
    strncpy(notes->last, line, sizeof notes->last - 1);
}

/* CTest says where the database is. */
static int of_tuning(void)
{
    ck_conv_spec spec;
    ck_conv_options plan;
    ck_conv_tune_options options;
    struct notes notes = {0, ""};
    size_t known       = 0;
    if(channels_first(&spec) != 0)
        return 1;
    spec.n = 3; /* of no other test */
    REQUIRE(ck_conv_tune_options_init(&options, sizeof options) == CK_CONV_OK);
    options.progress = note, options.user = &notes;
    if(ck_conv_tune(NULL, 0, &options, NULL) == CK_CONV_REFUSED &&
       strstr(ck_last_error(), "without SQLite") != NULL)
        return 0;

    REQUIRE(ck_conv_options_init(&plan, sizeof plan) == CK_CONV_OK);
    options.plan = &plan;
    plan.allow   = "no kernel's name";
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_REFUSED && known == 0);
    REQUIRE(strstr(ck_last_error(), "PlanOptions::allow") != NULL);
    plan.allow = "^ChannelsLast<Xdl";

    options.seconds = -1;
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "seconds is -1") != NULL);
    options.seconds = 0; /* nothing can be measured */
    options.again   = 1; /* an earlier run of this test may have left it in the database */
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_REFUSED && known == 0);
    options.seconds = 60;
    options.slower  = .25;
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "slower is 0.25") != NULL);
    options.slower = 1;
    options.again  = -1;
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_REFUSED);
    REQUIRE(strstr(ck_last_error(), "again is -1") != NULL);

    options.again = 0;
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_OK && known == 1);
    notes.lines = 0;
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_OK && known == 1);
    REQUIRE(notes.lines == 1 && strstr(notes.last, "ChannelsLast<Xdl") != NULL);
    REQUIRE(strstr(notes.last, "known already") != NULL);
    options.again = 1;
    REQUIRE(ck_conv_tune(&spec, 1, &options, &known) == CK_CONV_OK && known == 1);
    REQUIRE(notes.lines == 2 && strstr(notes.last, "ChannelsLast<Xdl") != NULL);
    REQUIRE(strstr(notes.last, "known already") == NULL);

    /* Those that are known are counted, the first reason is kept. */
    ck_conv_spec three[3] = {spec, spec, spec};
    three[0].type = 99, three[2].type = 98;
    REQUIRE(ck_conv_tune(three, 3, &options, &known) == CK_CONV_REFUSED && known == 1);
    REQUIRE(strstr(ck_last_error(), "type is 99") != NULL);
    REQUIRE(strstr(ck_last_error(), "type is 98") == NULL);
    return 0;
}

int every_option(void) { return of_plans() != 0 || of_tuning() != 0; }
