// Loads and stores: which bytes each moves, and what becomes of the rest of a register. Global,
// flat, buffer and scratch addresses, LDS, and scalar loads.
#include "values.hpp"
#include <cstring>

namespace emulator_test::values_memory {

/// What follows the address space in a name, by the words of gfx9 and of gfx11 and later.
struct Access
{
    const char *old_name, *name;
    int bytes;
    enum
    {
        whole,
        low_half,  // d16: the upper half of the register stays
        high_half, // d16_hi: the lower half stays
    } part         = whole;
    bool with_sign = false; // loads extend bytes and halves by sign
};
constexpr Access loads[]  = {{"dword", "b32", 4},
                             {"dwordx2", "b64", 8},
                             {"dwordx3", "b96", 12},
                             {"dwordx4", "b128", 16},
                             {"ubyte", "u8", 1},
                             {"sbyte", "i8", 1, Access::whole, true},
                             {"ushort", "u16", 2},
                             {"sshort", "i16", 2, Access::whole, true},
                             {"ubyte_d16", "d16_u8", 1, Access::low_half},
                             {"short_d16", "d16_b16", 2, Access::low_half},
                             {"short_d16_hi", "d16_hi_b16", 2, Access::high_half}};
constexpr Access stores[] = {{"dword", "b32", 4},
                             {"dwordx2", "b64", 8},
                             {"dwordx3", "b96", 12},
                             {"dwordx4", "b128", 16},
                             {"byte", "b8", 1},
                             {"short", "b16", 2},
                             {"byte_d16_hi", "d16_hi_b8", 1, Access::high_half},
                             {"short_d16_hi", "d16_hi_b16", 2, Access::high_half}};

constexpr int stride = 24, offset = 8, data = 8, registers = 4;
constexpr size_t size = 4096; // more than the strides of 64 lanes

/// The registers that a load leaves. All targets of gfx9 here have SRAM with ECC, where a load of
/// one half sets the other to zeros.
std::array<uint32_t, registers>
loaded(const Access& a, const uint8_t* from, std::array<uint32_t, registers> before)
{
    static const bool ecc = device_name().starts_with("gfx9");
    if(ecc && a.part != Access::whole)
        before[0] = 0;
    if(a.bytes >= 4)
    {
        std::memcpy(before.data(), from, static_cast<size_t>(a.bytes));
        return before;
    }
    uint32_t x = 0;
    std::memcpy(&x, from, static_cast<size_t>(a.bytes));
    if(a.with_sign)
        x = static_cast<uint32_t>(static_cast<int32_t>(x << (32 - 8 * a.bytes)) >>
                                  (32 - 8 * a.bytes));
    before[0] = a.part == Access::whole      ? x
                : a.part == Access::low_half ? (before[0] & 0xffff0000) | x
                                             : (before[0] & 0xffff) | x << 16;
    return before;
}
void stored(const Access& a, const std::array<uint32_t, registers>& from, uint8_t* to)
{
    std::array<uint32_t, registers> x = from;
    if(a.part == Access::high_half)
        x[0] >>= 16;
    std::memcpy(to, x.data(), static_cast<size_t>(a.bytes));
}

class EmulatedMemoryValues : public testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(Step::possible()) << "no emulator: single instructions cannot be run";
    }
    const std::string device = device_name();
    const bool gfx9 = device.starts_with("gfx9"), gfx12 = device.starts_with("gfx12");
    std::mt19937_64 random{11};
    const Step step;

    std::vector<uint8_t> bytes(size_t count)
    {
        std::vector<uint8_t> all(count);
        for(uint8_t& b : all)
            b = static_cast<uint8_t>(random());
        return all;
    }
    void fill_registers()
    {
        for(int l = 0; l < step.lanes(); ++l)
            for(int r = 0; r < registers; ++r)
                step.vector(data + r)[l] = static_cast<uint32_t>(random());
    }
    std::array<uint32_t, registers> in_registers(int lane) const
    {
        std::array<uint32_t, registers> x{};
        for(int r = 0; r < registers; ++r)
            x[static_cast<size_t>(r)] = step.vector(data + r)[lane];
        return x;
    }
    std::string name(const Access& a) const { return gfx9 ? a.old_name : a.name; }
    static std::string data_of(const Access& a) { return vgprs(data, std::max(4, a.bytes) * 8); }

    /// Lane l loads from stride * l + offset of what is in memory, of `end` bytes.
    void load(const std::string& text, const Access& a, const uint8_t* memory, size_t end = size)
    {
        SCOPED_TRACE(text);
        fill_registers();
        std::vector<std::array<uint32_t, registers>> before;
        for(int l = 0; l < step.lanes(); ++l)
            before.push_back(in_registers(l));
        step.run(step.decode(text));
        for(int l = 0; l < step.lanes(); ++l)
        {
            const auto at = static_cast<size_t>(stride * l + offset);
            constexpr uint8_t zeros[16]{};
            ASSERT_EQ(in_registers(l),
                      loaded(a,
                             at + static_cast<size_t>(a.bytes) <= end ? memory + at : zeros,
                             before[static_cast<size_t>(l)]))
                << l;
        }
    }
    /// `memory` after the store is `before` with every lane's bytes.
    template <class Read>
    void store(const std::string& text,
               const Access& a,
               std::vector<uint8_t> before,
               const Read& memory,
               size_t end = size)
    {
        SCOPED_TRACE(text);
        fill_registers();
        step.run(step.decode(text));
        for(int l = 0; l < step.lanes(); ++l)
            if(const auto at = static_cast<size_t>(stride * l + offset);
               at + static_cast<size_t>(a.bytes) <= end)
                stored(a, in_registers(l), before.data() + at);
        ASSERT_EQ(memory(), before);
    }
};

TEST_F(EmulatedMemoryValues, OfGlobalAndFlatAddresses)
{
    const std::vector<uint8_t> content = bytes(size);
    const DeviceArray<uint8_t> memory(content);
    const auto address = reinterpret_cast<uint64_t>(static_cast<uint8_t*>(memory));
    for(int l = 0; l < step.lanes(); ++l)
        put_vector(step, 0, l, 64, address + static_cast<uint64_t>(stride * l));
    const std::string end = " offset:" + std::to_string(offset);
    for(const std::string space : {"global_", "flat_"})
    {
        const std::string at = space == "flat_" ? end : ", off" + end;
        for(const Access& a : loads)
            load(space + "load_" + name(a) + " " + data_of(a) + ", v[0:1]" + at,
                 a,
                 static_cast<uint8_t*>(memory));
        for(const Access& a : stores)
        {
            std::vector<uint8_t> before(static_cast<uint8_t*>(memory),
                                        static_cast<uint8_t*>(memory) + size);
            store(space + "store_" + name(a) + " v[0:1], " + data_of(a) + at, a, before, [&] {
                return memory.read();
            });
        }
    }
    // A base in scalar registers, and 32 bits of offset a lane.
    put_scalar(step, 16, 64, address);
    for(int l = 0; l < step.lanes(); ++l)
        put_vector(step, 0, l, 32, static_cast<uint64_t>(stride * l));
    load("global_load_" + name(loads[1]) + " v[8:9], v0, s[16:17]" + end,
         loads[1],
         static_cast<uint8_t*>(memory));
}

TEST_F(EmulatedMemoryValues, OfBuffers)
{
    const std::vector<uint8_t> content = bytes(size);
    const DeviceArray<uint8_t> memory(content);
    const auto address = reinterpret_cast<uint64_t>(static_cast<uint8_t*>(memory));
    const uint32_t records =
        static_cast<uint32_t>(stride * (step.lanes() - 3)); // the last lanes are outside
    *step.scalar(16) = static_cast<uint32_t>(address);
    *step.scalar(17) = static_cast<uint32_t>(address >> 32) & 0xffff;
    *step.scalar(18) = records;
    *step.scalar(19) = gfx9 ? 0x00020000 : 0x31004000;
    *step.scalar(20) = 4;
    for(int l = 0; l < step.lanes(); ++l)
        put_vector(step, 0, l, 32, static_cast<uint64_t>(stride * l));
    const std::string end = ", v0, s[16:19], s20 offen offset:" + std::to_string(offset - 4);
    for(const Access& a : loads)
        if(a.bytes >= 4 || a.part == Access::whole) // the others nothing uses
            load("buffer_load_" + name(a) + " " + data_of(a) + end,
                 a,
                 static_cast<uint8_t*>(memory),
                 records);
    for(const Access& a : stores)
        if(a.part == Access::whole)
        {
            std::vector<uint8_t> before(static_cast<uint8_t*>(memory),
                                        static_cast<uint8_t*>(memory) + size);
            store(
                "buffer_store_" + name(a) + " " + data_of(a) + end,
                a,
                before,
                [&] { return memory.read(); },
                records);
        }
}

/// Scratch is a lane's own: what is stored is loaded again, by other accesses.
TEST_F(EmulatedMemoryValues, OfScratch)
{
    constexpr size_t own = 64;
    std::vector<std::vector<uint8_t>> content(static_cast<size_t>(step.lanes()),
                                              std::vector<uint8_t>(own));
    const auto write = [&](const Access& a, int at) {
        fill_registers();
        step.run(step.decode("scratch_store_" + name(a) + " off, " + data_of(a) +
                             ", off offset:" + std::to_string(at)));
        for(int l = 0; l < step.lanes(); ++l)
            stored(a, in_registers(l), content[static_cast<size_t>(l)].data() + at);
    };
    for(int at = 0; at < static_cast<int>(own); at += 16)
        write(stores[3], at);
    int at = 1;
    for(const Access& a : stores)
    {
        at = (at + 7) / a.bytes * a.bytes % 40;
        write(a, at);
    }
    for(int l = 0; l < step.lanes(); ++l)
        step.vector(0)[l] = 16;
    for(const std::string from : {"off, off offset:16", "v0, off", "v0, off offset:8"})
        for(const Access& a : loads)
        {
            const std::string text = "scratch_load_" + name(a) + " " + data_of(a) + ", " + from;
            SCOPED_TRACE(text);
            fill_registers();
            std::vector<std::array<uint32_t, registers>> before;
            for(int l = 0; l < step.lanes(); ++l)
                before.push_back(in_registers(l));
            step.run(step.decode(text));
            const size_t place = from == "v0, off offset:8" ? 24 : 16;
            for(int l = 0; l < step.lanes(); ++l)
                ASSERT_EQ(in_registers(l),
                          loaded(a,
                                 content[static_cast<size_t>(l)].data() + place,
                                 before[static_cast<size_t>(l)]))
                    << l;
        }
}

TEST_F(EmulatedMemoryValues, OfLds)
{
    const std::vector<uint8_t> content = bytes(65536);
    std::memcpy(step.lds(), content.data(), content.size());
    for(int l = 0; l < step.lanes(); ++l)
        step.vector(0)[l] = static_cast<uint32_t>(stride * l);
    const std::string read  = gfx9 ? "ds_read_" : "ds_load_",
                      write = gfx9 ? "ds_write_" : "ds_store_",
                      end   = " offset:" + std::to_string(offset);
    const auto lds          = [&] { return std::vector<uint8_t>(step.lds(), step.lds() + 65536); };
    for(const Access& a :
        {Access{"", "b32", 4}, Access{"", "b64", 8}, Access{"", "b96", 12}, Access{"", "b128", 16}})
    {
        load(read + a.name + " " + data_of(a) + ", v0" + end, a, step.lds());
        store(write + a.name + " v0, " + data_of(a) + end, a, lds(), lds);
    }
    for(const Access& a : {Access{"", "u8", 1},
                           Access{"", "i8", 1, Access::whole, true},
                           Access{"", "u16", 2},
                           Access{"", "i16", 2, Access::whole, true}})
        load(read + a.name + " v8, v0" + end, a, step.lds());
    for(const Access& a : {Access{"", "b8", 1},
                           Access{"", "b16", 2},
                           Access{"", "b8_d16_hi", 1, Access::high_half},
                           Access{"", "b16_d16_hi", 2, Access::high_half}})
        store(write + a.name + " v0, v8" + end, a, lds(), lds);
    // Two at once, each by an offset that counts elements, or 64 of them.
    for(const int width : {4, 8})
        for(const int unit : {1, 64})
        {
            const std::string type = width == 4 ? "b32" : "b64";
            const std::string reads =
                (gfx9 ? (unit == 64 ? "ds_read2st64_" : "ds_read2_")
                      : (unit == 64 ? "ds_load_2addr_stride64_" : "ds_load_2addr_")) +
                type;
            const std::string writes =
                (gfx9 ? (unit == 64 ? "ds_write2st64_" : "ds_write2_")
                      : (unit == 64 ? "ds_store_2addr_stride64_" : "ds_store_2addr_")) +
                type;
            const std::string offsets = " offset0:5 offset1:2";
            SCOPED_TRACE(reads);
            fill_registers();
            step.run(step.decode(reads + " " + vgprs(data, width * 16) + ", v0" + offsets));
            const auto place = [&](int l, int which) {
                return stride * l + (which == 0 ? 5 : 2) * unit * width;
            };
            for(int l = 0; l < step.lanes(); ++l)
                for(const int which : {0, 1})
                    ASSERT_EQ(std::memcmp(reinterpret_cast<const uint8_t*>(in_registers(l).data()) +
                                              which * width,
                                          step.lds() + place(l, which),
                                          static_cast<size_t>(width)),
                              0)
                        << l;
            std::vector<uint8_t> expected = lds();
            for(int l = 0; l < step.lanes(); ++l) // places that no two lanes share
                step.vector(0)[l] = static_cast<uint32_t>(8192 + 8 * 1024 / step.lanes() * l);
            fill_registers();
            step.run(step.decode(writes + " v0, " + vgprs(data, width * 8) + ", " +
                                 vgprs(data + 2, width * 8) + offsets));
            for(int l = 0; l < step.lanes(); ++l)
                for(const int which : {0, 1})
                    std::memcpy(expected.data() + step.vector(0)[l] +
                                    (which == 0 ? 5 : 2) * unit * width,
                                in_registers(l).data() + 2 * which,
                                static_cast<size_t>(width));
            ASSERT_EQ(lds(), expected);
            for(int l = 0; l < step.lanes(); ++l)
                step.vector(0)[l] = static_cast<uint32_t>(stride * l);
        }
    if(device != "gfx950")
        return;
    // Of 16 lanes, four read a line of 16 halves; lane l gets halves l of the four lines.
    for(int l = 0; l < 64; ++l)
        step.vector(0)[l] = static_cast<uint32_t>(8 * l);
    step.run(step.decode("ds_read_b64_tr_b16 v[8:9], v0 offset:16"));
    for(int l = 0; l < 64; ++l)
        for(int line = 0; line < 4; ++line)
        {
            uint16_t expected = 0;
            std::memcpy(&expected, step.lds() + 16 + l / 16 * 128 + line * 32 + l % 16 * 2, 2);
            ASSERT_EQ(step.vector(8 + line / 2)[l] >> 16 * (line % 2) & 0xffff, expected) << l;
        }
}

/// Each lane gets what the lane has that its address counts, in words, beyond the last from the
/// first on.
TEST_F(EmulatedMemoryValues, OfOtherLanes)
{
    for(int l = 0; l < step.lanes(); ++l)
    {
        step.vector(0)[l] = static_cast<uint32_t>(4 * (l * l % 61));
        step.vector(9)[l] = static_cast<uint32_t>(1000003 * l + 7);
    }
    step.run(step.decode("ds_bpermute_b32 v8, v0, v9 offset:8"));
    for(int l = 0; l < step.lanes(); ++l)
    {
        const int from = (l * l % 61 + 2) % step.lanes();
        ASSERT_EQ(step.vector(8)[l], static_cast<uint32_t>(1000003 * from + 7)) << l;
    }
}

/// Straight to LDS: the lanes' data lie side by side from M0 on.
TEST_F(EmulatedMemoryValues, OfLoadsToLds)
{
    if(device != "gfx942" && device != "gfx950")
        GTEST_SKIP() << device << " has none that the kernels use";
    const std::vector<uint8_t> content = bytes(size);
    const DeviceArray<uint8_t> memory(content);
    const auto address = reinterpret_cast<uint64_t>(static_cast<uint8_t*>(memory));
    for(int l = 0; l < step.lanes(); ++l)
        put_vector(step, 0, l, 64, address + static_cast<uint64_t>(stride * l));
    constexpr int m0 = 124, at = 512;
    *step.scalar(m0) = at;
    for(const size_t each : {size_t{4}, size_t{16}})
    {
        if(each == 16 && device != "gfx950")
            continue;
        std::vector<uint8_t> expected = bytes(8192);
        std::memcpy(step.lds(), expected.data(), expected.size());
        for(int l = 0; l < step.lanes(); ++l)
            std::memcpy(expected.data() + at + each * static_cast<size_t>(l),
                        content.data() + stride * l,
                        each);
        step.run(step.decode(each == 4 ? "global_load_lds_dword v[0:1], off"
                                       : "global_load_lds_dwordx4 v[0:1], off"));
        ASSERT_EQ(std::vector<uint8_t>(step.lds(), step.lds() + expected.size()), expected);
    }
}

TEST_F(EmulatedMemoryValues, OfScalarLoads)
{
    const std::vector<uint8_t> content = bytes(size);
    const DeviceArray<uint8_t> memory(content);
    put_scalar(step, 2, 64, reinterpret_cast<uint64_t>(static_cast<uint8_t*>(memory)));
    for(const int count : {1, 2, 3, 4, 8, 16})
    {
        if(count == 3 && !gfx12)
            continue;
        const std::string type = gfx9 ? count == 1 ? "dword" : "dwordx" + std::to_string(count)
                                      : "b" + std::to_string(32 * count);
        const std::string text = "s_load_" + type + " " + sgprs(16, 32 * count) + ", s[2:3], 0x24";
        for(int r = 16; r < 40; ++r)
            *step.scalar(r) = 0x55;
        step.run(step.decode(text));
        for(int r = 0; r < 24; ++r)
        {
            uint32_t expected = 0x55;
            if(r < count)
                std::memcpy(&expected, content.data() + 0x24 + 4 * r, 4);
            ASSERT_EQ(*step.scalar(16 + r), expected) << text << ", " << r;
        }
    }
}

TEST_F(EmulatedMemoryValues, OfCompareAndSwap)
{
    const DeviceArray<uint32_t> memory(std::vector<uint32_t>{5, 6, 7, 8});
    const auto address = reinterpret_cast<uint64_t>(static_cast<uint32_t*>(memory));
    for(int l = 0; l < step.lanes(); ++l)
    {
        put_vector(step, 0, l, 64, address + static_cast<uint64_t>(l % 4 * 4));
        step.vector(4)[l] = static_cast<uint32_t>(100 + l % 4);                   // new
        step.vector(5)[l] = l % 2 != 0 ? static_cast<uint32_t>(5 + l % 4) : 1000; // if it is this
    }
    step.run(
        step.decode(std::string("flat_atomic_cmpswap") + (gfx9 ? "" : "_b32") + " v[0:1], v[4:5]"));
    EXPECT_EQ(memory.read(), (std::vector<uint32_t>{5, 101, 7, 103}));
}

} // namespace emulator_test::values_memory
