/* ck_last_error(): one place for each thread, which stays good whatever else is called. */
#define _POSIX_C_SOURCE 200809L
#include "require.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Fails, with the rank in its text; a success where it is 1. */
static ck_conv_status attempt(int rank)
{
    ck_conv_spec spec;
    ck_conv_spec_init(&spec, sizeof spec, rank);
    spec.input[0] = spec.filter[0] = 3;
    return ck_conv_spec_sizes(&spec, NULL, NULL, NULL, NULL);
}

static void* in_a_thread(void* ours)
{
    const char* const text = ck_last_error();
    if(text == ours || text[0] != '\0') /* it has a place of its own, and no failure yet */
        return NULL;
    for(int i = 0; i < 1000; ++i)
        if(attempt(7) != CK_CONV_REFUSED || strstr(text, "rank is 7,") == NULL)
            return NULL;
    return ours;
}

/* Arguments of a call are computed in any order: the text is that of the failure among them. */
static int in_one_call(void)
{
    char first[512], last[512];
    for(int i = 0; i < 50; ++i)
    {
        const int rank = 10 + i;
        char expected[32];
        snprintf(expected, sizeof expected, "rank is %d, but", rank);
        snprintf(first, sizeof first, "%s %d", ck_last_error(), attempt(rank));
        snprintf(last, sizeof last, "%d %s", attempt(rank), ck_last_error());
        REQUIRE(strstr(first, expected) != NULL && strstr(last, expected) != NULL);
        snprintf(first, sizeof first, "%s %d", ck_last_error(), attempt(1));
        REQUIRE(strstr(first, expected) != NULL && strstr(first, " 0") != NULL);
    }
    return 0;
}

/* Longer texts are cut, not within a character. */
static int long_texts(void)
{
    const size_t bytes = 3 * CK_CONV_ERROR_BYTES;
    char* const text   = malloc(bytes + 64);
    REQUIRE(text != NULL);
    const char* const error = ck_last_error();
    for(int odd = 0; odd < 2; ++odd)
    {
        ck_conv_plan* plan = NULL;
        size_t at = (size_t)sprintf(text, "ck_conv_plan %s %s", ck_conv_version(), odd ? "a" : "");
        for(; at < bytes; at += 2)
            memcpy(text + at, "\xc3\xa9", 2); /* e with an acute accent */
        strcpy(text + at, " kernel=x");
        REQUIRE(ck_conv_plan_deserialize(text, &plan) == CK_CONV_REFUSED);
        const size_t size = strlen(error);
        REQUIRE(size < CK_CONV_ERROR_BYTES && size >= CK_CONV_ERROR_BYTES - 2);
        REQUIRE(strcmp(error + size - 6, "\xc3\xa9 ...") == 0);
        REQUIRE(ck_conv_plan_deserialize(error, &plan) == CK_CONV_REFUSED); /* its own text */
        REQUIRE(strstr(error, "the text is not of ConvPlan::serialize()") != NULL);
    }
    free(text);
    return 0;
}

/* The longest text that is not cut, and those around it. */
static int lengths(void)
{
    char* const text  = malloc(2 * CK_CONV_ERROR_BYTES);
    const char* error = ck_last_error();
    REQUIRE(text != NULL);
    size_t rest = 0; /* of the message, without the word that it shows */
    for(size_t size = CK_CONV_ERROR_BYTES - 3; size < CK_CONV_ERROR_BYTES + 3; ++size)
    {
        ck_conv_plan* plan = NULL;
        const size_t word  = rest == 0 ? 1 : size - rest;
        const size_t at    = (size_t)sprintf(text, "ck_conv_plan %s ", ck_conv_version());
        memset(text + at, 'a', word);
        strcpy(text + at + word, " kernel=x");
        REQUIRE(ck_conv_plan_deserialize(text, &plan) == CK_CONV_REFUSED);
        if(rest == 0)
        {
            rest = strlen(error) - 1;
            --size;
            continue;
        }
        const int is_cut = strcmp(error + strlen(error) - 4, " ...") == 0;
        REQUIRE(is_cut == (size >= CK_CONV_ERROR_BYTES));
        REQUIRE(strlen(error) == (is_cut ? CK_CONV_ERROR_BYTES - 1 : size));
    }
    free(text);
    return 0;
}

static pthread_key_t at_end;

/* Of keys, after C++'s objects of the thread. */
static void end(void* result)
{
    *(int*)result = attempt(7) == CK_CONV_REFUSED && attempt(1) == CK_CONV_OK &&
                    strstr(ck_last_error(), "the thread is ending") != NULL;
}

static void* thread_with_an_end(void* result)
{
    if(pthread_setspecific(at_end, result) != 0 || attempt(5) != CK_CONV_REFUSED)
        return NULL;
    return strstr(ck_last_error(), "rank is 5,") != NULL ? result : NULL;
}

/* A thread's text is gone when its last functions run: calls return their status. */
static int ends_of_threads(void)
{
    pthread_t thread;
    void* result = NULL;
    int right    = 0;
    REQUIRE(pthread_key_create(&at_end, end) == 0);
    REQUIRE(pthread_create(&thread, NULL, thread_with_an_end, &right) == 0);
    REQUIRE(pthread_join(thread, &result) == 0 && result == &right);
    REQUIRE(right);
    return pthread_key_delete(at_end);
}

int last_error(void)
{
    const char* const error = ck_last_error();
    REQUIRE(attempt(5) == CK_CONV_REFUSED);
    REQUIRE(error == ck_last_error() && strstr(error, "rank is 5,") != NULL);
    REQUIRE(attempt(1) == CK_CONV_OK && error == ck_last_error());
    REQUIRE(strstr(error, "rank is 5,") != NULL); /* what succeeds leaves it */
    for(int i = 0; i < 3; ++i)
    {
        pthread_t thread;
        void* result = NULL;
        REQUIRE(pthread_create(&thread, NULL, in_a_thread, (void*)error) == 0);
        REQUIRE(pthread_join(thread, &result) == 0 && result == error);
        REQUIRE(strstr(error, "rank is 5,") != NULL);
    }
    REQUIRE(ck_conv_run(NULL, NULL) == CK_CONV_NULL_ARGUMENT);
    REQUIRE(strcmp(error, "the plan or the tensors are null") == 0);
    return in_one_call() != 0 || long_texts() != 0 || lengths() != 0 || ends_of_threads() != 0;
}
