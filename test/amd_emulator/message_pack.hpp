// MessagePack, in which code objects describe their kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace emu {

struct MessagePack
{
    enum Type
    {
        nil,
        boolean,
        integer,
        text,
        array,
        map,
        floating // values are skipped
    } type         = nil;
    int64_t number = 0;
    std::string string;
    std::vector<MessagePack> elements; // elements of an array, or values of a map
    std::vector<std::string> keys;

    const MessagePack* find(const char* key) const;
    int64_t number_at(const char* key, int64_t without = 0) const;
    std::string string_at(const char* key) const;
};

/// Reads one value and moves `at` past it.
MessagePack read_message_pack(const uint8_t*& at, const uint8_t* end);

} // namespace emu
