// The version of the installed package.
#include "ck/version.h"

#include "ck/config.h"

#include <cstdio>

int main()
{
    std::printf("composable_kernel %s\n", CK_VERSION);
    return 0;
}
