#ifndef REQUIRE_H
#define REQUIRE_H
/* Checks of the C interface's tests: a function of a test returns 0, or 1 after it has said where.
 */
#include "ck/conv.h"

#include <stdio.h>

#define REQUIRE(condition)                                                                         \
    do                                                                                             \
        if(!(condition))                                                                           \
        {                                                                                          \
            printf("%s:%d: %s; last error: %.300s\n",                                              \
                   __FILE__,                                                                       \
                   __LINE__,                                                                       \
                   #condition,                                                                     \
                   ck_last_error());                                                               \
            return 1;                                                                              \
        }                                                                                          \
    while(0)

int batch_norm(void);
int causal_conv(void);
int group_norm(void);
int max_pool(void);
int every_field(void);
int every_size(void);
int every_tensor(void);
int every_option(void);
int last_error(void);
int quantized(void);
int of_the_runtime(void);
int of_memory(void);

#endif
