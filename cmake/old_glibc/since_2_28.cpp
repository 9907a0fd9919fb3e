// What a static libstdc++ of GCC 11 or later calls and glibc 2.28 does not have. Linked into
// libck_conv.so by CK_GLIBC; nothing outside the library sees these names.
#include <cstdlib>
#include <sys/random.h>

extern "C" {

/// Whether the process has one thread only (glibc 2.32). It says no: then reference counts are
/// atomic.
char __libc_single_threaded = 0;

/// Returns 32 random bits (glibc 2.36): std::random_device.
unsigned arc4random()
{
    unsigned bits = 0;
    if(getentropy(&bits, sizeof bits) != 0)
        std::abort();
    return bits;
}
}
