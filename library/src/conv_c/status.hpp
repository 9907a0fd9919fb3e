#pragma once
// Converts exceptions to the status that functions of the C interface return.
#include "ck/conv.h"
#include "ck/conv.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

namespace ck::conv_c {

/// Returns the calling thread's text for ck_last_error(), or nullptr if there is no memory for it,
/// or the thread is ending and has freed it. Otherwise always returns the same address on one
/// thread. The text is on the heap: for libraries that are loaded at run time, glibc has little
/// more than a kilobyte of thread-local variables.
inline char* error_text() noexcept
{
    static thread_local bool ended = false; // may be read when other objects are gone
    struct Text
    {
        ~Text() { ended = true; }
        const std::unique_ptr<char[]> bytes{new(std::nothrow) char[CK_CONV_ERROR_BYTES]()};
    };
    if(ended)
        return nullptr;
    static thread_local const Text text;
    return text.bytes.get();
}

inline ck_conv_status failed(ck_conv_status status, std::string_view text) noexcept
{
    constexpr std::string_view cut = " ...";
    char* const kept               = error_text();
    if(kept == nullptr)
        return status;
    const bool fits  = text.size() < CK_CONV_ERROR_BYTES;
    std::size_t size = fits ? text.size() : CK_CONV_ERROR_BYTES - 1 - cut.size();
    while(!fits && size > 0 && (text[size] & 0xc0) == 0x80) // inside a UTF-8 character
        --size;
    std::memmove(kept, text.data(), size); // it may be the text that ck_last_error() returned
    if(!fits)
        size += cut.copy(kept + size, cut.size());
    kept[size] = '\0';
    return status;
}

/// Calls f and converts its exceptions to a status.
template <class F>
ck_conv_status guarded(const F& f) noexcept
{
    try
    {
        f();
        return CK_CONV_OK;
    }
    catch(const ck::Refused& refused)
    {
        return failed(CK_CONV_REFUSED, refused.what());
    }
    catch(const std::bad_alloc&)
    {
        return failed(CK_CONV_OUT_OF_MEMORY, "out of memory");
    }
    catch(const std::exception& error)
    {
        return failed(CK_CONV_RUNTIME_ERROR, error.what());
    }
    catch(...)
    {
        return failed(CK_CONV_RUNTIME_ERROR, "an exception of an unknown type");
    }
}

inline ck_conv_status null_argument(const char* text)
{
    return failed(CK_CONV_NULL_ARGUMENT, text);
}

inline void require_flag(const char* of, const char* field, std::int64_t value)
{
    if(value != 0 && value != 1)
        throw Refused(std::string(of) + ": " + field + " is " + std::to_string(value) +
                      ", but must be 0 or 1");
}

} // namespace ck::conv_c
