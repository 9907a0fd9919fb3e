/* Plans a chunk of a video from C: four new frames after those in a cache. */
#include <ck/conv.h>
#include <stdio.h>

int main(void)
{
    ck_conv_spec spec;
    ck_conv_causal_options chunk;
    ck_conv_causal_sizes sizes;
    ck_conv_causal_plan* plan = NULL;
    const char* text          = NULL;
    if(ck_conv_spec_init(&spec, sizeof spec, 3) != CK_CONV_OK ||
       ck_conv_causal_options_init(&chunk, sizeof chunk) != CK_CONV_OK)
        return 1;
    spec.k = spec.c = 8;
    spec.input[0] = 4, spec.input[1] = 4, spec.input[2] = 5;
    for(int i = 0; i < 3; ++i)
        spec.filter[i] = 3, spec.pad_low[i] = spec.pad_high[i] = i > 0;
    chunk.first = 0; /* 1 for the first chunk */
    if(ck_conv_causal_plan_create(&spec, &chunk, NULL, &plan) != CK_CONV_OK ||
       ck_conv_causal_plan_sizes(plan, &sizes, sizeof sizes) != CK_CONV_OK ||
       ck_conv_causal_plan_explain(plan, &text) != CK_CONV_OK)
    {
        fprintf(stderr, "%s\n", ck_last_error());
        return 1;
    }
    printf("%s%ld cached frames\n", text, (long)sizes.cached_frames);
    ck_conv_causal_plan_destroy(plan);
    return 0;
}
