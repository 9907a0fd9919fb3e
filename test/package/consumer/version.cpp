// The version of the installed package.
#include "ck/config.h"
#include "ck/version.h"

#include <cstdio>

int main()
{
    std::printf("composable_kernel %s\n", CK_VERSION);
    return 0;
}
