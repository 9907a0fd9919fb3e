// MessagePack, in which code objects describe their kernels.
#include "message_pack.hpp"

#include <algorithm>

namespace emu {

const MessagePack* MessagePack::find(const char* key) const
{
    const auto found = std::find(keys.begin(), keys.end(), key);
    return found == keys.end() ? nullptr : &elements[found - keys.begin()];
}

int64_t MessagePack::number_at(const char* key, int64_t without) const
{
    const MessagePack* const found = find(key);
    return found != nullptr && (found->type == integer || found->type == boolean) ? found->number
                                                                                  : without;
}

std::string MessagePack::string_at(const char* key) const
{
    const MessagePack* const found = find(key);
    return found == nullptr ? "" : found->string;
}

namespace {

struct Reader
{
    const uint8_t*& at;
    const uint8_t* end;

    uint64_t big_endian(int bytes)
    {
        uint64_t x = 0;
        for(; bytes > 0 && at < end; --bytes)
            x = x << 8 | *at++;
        return x;
    }
    MessagePack integer(int64_t value)
    {
        MessagePack read;
        read.type   = MessagePack::integer;
        read.number = value;
        return read;
    }
    MessagePack text(uint64_t size)
    {
        MessagePack read;
        read.type = MessagePack::text;
        size      = std::min<uint64_t>(size, end - at);
        read.string.assign(reinterpret_cast<const char*>(at), size);
        at += size;
        return read;
    }
    MessagePack array(uint64_t size)
    {
        MessagePack read;
        read.type = MessagePack::array;
        for(; size > 0 && at < end; --size)
            read.elements.push_back(value());
        return read;
    }
    MessagePack map(uint64_t size)
    {
        MessagePack read;
        read.type = MessagePack::map;
        for(; size > 0 && at < end; --size)
        {
            read.keys.push_back(value().string);
            read.elements.push_back(value());
        }
        return read;
    }
    MessagePack floating(int bytes)
    {
        big_endian(bytes);
        MessagePack read;
        read.type = MessagePack::floating;
        return read;
    }

    MessagePack value()
    {
        if(at >= end)
            return {};
        const uint8_t first = *at++;
        if(first < 0x80)
            return integer(first);
        if(first < 0x90)
            return map(first & 15);
        if(first < 0xa0)
            return array(first & 15);
        if(first < 0xc0)
            return text(first & 31);
        if(first >= 0xe0)
            return integer(static_cast<int8_t>(first));
        switch(first)
        {
        case 0xc2:
        case 0xc3: {
            MessagePack read = integer(first & 1);
            read.type        = MessagePack::boolean;
            return read;
        }
        case 0xc4:
        case 0xd9:
            return text(big_endian(1));
        case 0xc5:
        case 0xda:
            return text(big_endian(2));
        case 0xc6:
        case 0xdb:
            return text(big_endian(4));
        case 0xca:
            return floating(4);
        case 0xcb:
            return floating(8);
        case 0xcc:
            return integer(static_cast<int64_t>(big_endian(1)));
        case 0xcd:
            return integer(static_cast<int64_t>(big_endian(2)));
        case 0xce:
            return integer(static_cast<int64_t>(big_endian(4)));
        case 0xcf:
        case 0xd3:
            return integer(static_cast<int64_t>(big_endian(8)));
        case 0xd0:
            return integer(static_cast<int8_t>(big_endian(1)));
        case 0xd1:
            return integer(static_cast<int16_t>(big_endian(2)));
        case 0xd2:
            return integer(static_cast<int32_t>(big_endian(4)));
        case 0xdc:
            return array(big_endian(2));
        case 0xdd:
            return array(big_endian(4));
        case 0xde:
            return map(big_endian(2));
        case 0xdf:
            return map(big_endian(4));
        default:
            return {};
        }
    }
};

} // namespace

MessagePack read_message_pack(const uint8_t*& at, const uint8_t* end)
{
    return Reader{at, end}.value();
}

} // namespace emu
