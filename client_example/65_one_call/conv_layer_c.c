/* Plans a convolution from C, with the installed package, and prints what the plan will do. */
#include <ck/conv.h>
#include <stdio.h>

int main(void)
{
    ck_conv_spec spec;
    ck_conv_plan* plan = NULL;
    const char* text   = NULL;
    if(ck_conv_spec_init(&spec, sizeof spec, 2) != CK_CONV_OK)
        return 1;
    spec.type = CK_CONV_F16;
    spec.n = 2, spec.k = 128, spec.c = 64;
    for(int i = 0; i < 2; ++i)
        spec.input[i] = 14, spec.filter[i] = 3, spec.pad_low[i] = spec.pad_high[i] = 1;
    if(ck_conv_plan_create(&spec, NULL, &plan) != CK_CONV_OK ||
       ck_conv_plan_explain(plan, &text) != CK_CONV_OK)
    {
        fprintf(stderr, "%s\n", ck_last_error());
        return 1;
    }
    printf("%s", text);
    ck_conv_plan_destroy(plan);
    return 0;
}
