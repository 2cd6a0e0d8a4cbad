// What is said of a page table after an update: entries by a client's decoder, all else by bytes.
#include "conformance/host/gpuva/tables/watched_table.h"

#include <array>
#include <cstring>

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kEntries = 16;
constexpr std::uint32_t kTableBytes = 4096;
using entry_flag::kSystem;
using entry_flag::kValid;

// Entries of four bytes: bit 0 is Valid, bit 1 that the page is of a segment, bit 2 the GPU, bits 4
// to 7 DriverProtection, the upper bits the address.
int decode(void*, const WddmPageTable*, const void* entry, WddmTableEntry* out) {
  if (entry != nullptr) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, entry, sizeof(bits));
    const std::uint32_t system = (bits & 2) != 0 ? 0 : std::uint32_t{kSystem};
    out->target.flags = (bits & 1) != 0 ? kValid | system : 0;
    out->target.adapter = bits >> 2 & 1;
    out->target.driver_protection = bits >> 4 & 15;
    out->target.address = bits & ~0xffu;
  }
  return 4;
}

WantedEntry page(std::uint32_t address) {
  return {{.address = address, .flags = kValid | kSystem}, std::nullopt};
}

WantedEntry protected_page(std::uint32_t address, std::uint64_t protection) {
  return {{.address = address, .driver_protection = protection, .flags = kValid | kSystem},
          std::nullopt};
}

class ATable : public HostTest {
 protected:
  ATable() {
    reader_.size = sizeof(reader_);
    reader_.create = []() -> void* { return nullptr; };
    reader_.destroy = [](void*) {};
    reader_.decode_entry = decode;
    client = &reader_;
  }

  template <class Body>
  void with_table(Body body) {
    on_machine([&](World& world) {
      const gpummu::GpuMmuCaps caps{.virtual_address_bit_count = 25, .page_table_level_count = 2};
      const std::array<gpummu::PageTableLevelDesc, 2> levels{
          {{.page_table_index_bit_count = 9, .page_table_size_in_bytes = kTableBytes},
           {.page_table_index_bit_count = 4, .page_table_size_in_bytes = kTableBytes}}};
      const gpummu::Geometry geometry = *gpummu::check_geometry(caps, levels, {}).geometry;
      const gpummu::CreateTable made{.level = 0, .entries = kEntries, .bytes = kTableBytes};
      WatchedTable table(world.objects, geometry, made, std::make_shared<DirectView>(bytes_));
      body(table);
    });
  }
  /// As a driver would.
  void write(std::uint32_t index, std::uint32_t entry) {
    std::memcpy(&bytes_[index * std::size_t{4}], &entry, sizeof(entry));
  }

  WddmClient reader_{};
  std::array<std::uint8_t, kTableBytes> bytes_{};
};

TEST_F(ATable, EntriesAreComparedOneByOne) {
  with_table([&](WatchedTable& table) {
    const WantedEntry wanted[] = {page(0x1000), page(0x2000), {}};
    table.pending(0, {4, 3});
    write(4, 0x1001);
    write(5, 0x3001);
    const auto compared = table.carried_out(0, {4, 3}, wanted);
    EXPECT_EQ(compared.decoded, 3u);
    EXPECT_EQ(compared.wrong, 1u);
    ASSERT_EQ(compared.differences.size(), 1u);
    EXPECT_EQ(compared.differences[0].index, 5u);
    EXPECT_EQ(compared.differences[0].seen.address, 0x3000u);
  });
}

// Which GPU's the memory is, matters where it is a GPU's.
TEST_F(ATable, OnlyPagesOfSegmentsHaveAnOwner) {
  with_table([&](WatchedTable& table) {
    const WantedEntry in_a_segment{{.address = 0x2000, .flags = kValid}, std::nullopt};
    const WantedEntry wanted[] = {page(0x1000), in_a_segment};
    table.pending(0, {4, 2});
    write(4, 0x1005);
    write(5, 0x2007);
    const auto compared = table.carried_out(0, {4, 2}, wanted);
    EXPECT_EQ(compared.wrong, 1u);
    ASSERT_EQ(compared.differences.size(), 1u);
    EXPECT_EQ(compared.differences[0].index, 5u);
  });
}

// Of which bits there is room for, nothing is known before.
TEST_F(ATable, WhatAnEntryShowedOfAProtectionItShowsAgain) {
  with_table([&](WatchedTable& table) {
    const AllocationId first{1}, second{2};
    const auto wrong = [&](const WantedEntry& wanted, std::uint32_t entry, AllocationId of) {
      const WantedEntry all[] = {wanted};
      table.pending(0, {4, 1});
      write(4, entry);
      return table.carried_out(0, {4, 1}, all, of).wrong;
    };
    EXPECT_EQ(wrong(protected_page(0x1000, 5), 0x1011, first), 0u) << "room for one bit";
    EXPECT_EQ(wrong({}, 0, first), 0u);
    EXPECT_EQ(wrong(protected_page(0x2000, 5), 0x2011, first), 0u);
    EXPECT_EQ(wrong(protected_page(0x3000, 5), 0x3001, first), 1u);
    EXPECT_EQ(wrong(protected_page(0x3000, 4), 0x3001, first), 0u) << "another value";
    EXPECT_EQ(wrong(protected_page(0x3000, 5), 0x3011, second), 0u);
    EXPECT_EQ(wrong(protected_page(0x3000, 5), 0x3001, first), 0u) << "another's until then";
    EXPECT_EQ(wrong(protected_page(0x3000, 5), 0x3001, kNoAllocation), 0u);
  });
}

TEST_F(ATable, BytesBesideTheEntriesStayAsTheyWere) {
  with_table([&](WatchedTable& table) {
    const WantedEntry wanted[] = {page(0x1000)};
    table.pending(0, {4, 1});
    write(4, 0x1001);
    write(9, 0xff);
    const auto compared = table.carried_out(0, {4, 1}, wanted);
    EXPECT_EQ(compared.outside, 1u);
    EXPECT_EQ(compared.first_outside, 36u);
    EXPECT_EQ(table.changed_bytes(), 0u) << "that was a look";
  });
}

TEST_F(ATable, WhatALaterUpdateMayHaveWrittenIsNotJudged) {
  with_table([&](WatchedTable& table) {
    const WantedEntry wanted[] = {page(0x1000), page(0x2000)};
    table.pending(0, {0, 2});
    table.pending(1, {1, 4});
    write(0, 0x1001);
    write(1, 0x9001);
    write(3, 0x9001);
    const auto compared = table.carried_out(0, {0, 2}, wanted);
    EXPECT_EQ(compared.decoded, 1u);
    EXPECT_EQ(compared.wrong, 0u);
    EXPECT_EQ(compared.outside, 0u);
    EXPECT_TRUE(table.any_pending());
  });
}

TEST_F(ATable, EntriesOfARepeatAreTheSame) {
  with_table([&](WatchedTable& table) {
    const WantedEntry wanted[] = {page(0x1000)};
    table.pending(0, {0, 3});
    write(0, 0x1001);
    write(1, 0x1001);
    write(2, 0x2001);
    const auto compared = table.carried_out(0, {0, 3}, wanted);
    EXPECT_EQ(compared.unequal, 1u);
    EXPECT_EQ(compared.wrong, 1u);
  });
}

TEST_F(ATable, AnEntryThatLeadsSomewhereFillsAnother) {
  with_table([&](WatchedTable& table) {
    EXPECT_TRUE(table.valid_entry().empty());
    write(7, 0x7001);
    table.look();
    const auto found = table.valid_entry();
    const std::vector<std::uint8_t> entry(found.begin(), found.end());
    ASSERT_EQ(entry, (std::vector<std::uint8_t>{0x01, 0x70, 0, 0}));
    table.fill_with(entry);
    EXPECT_EQ(table.changed_bytes(), 0u) << "that was a look";
    EXPECT_EQ(std::memcmp(&bytes_[kTableBytes - 4], entry.data(), 4), 0);
    EXPECT_EQ(std::memcmp(&bytes_[0], entry.data(), 4), 0);
  });
}

TEST_F(ATable, WithoutADecoderNothingIsRead) {
  reader_.decode_entry = nullptr;
  with_table([&](WatchedTable& table) {
    EXPECT_FALSE(table.readable());
    EXPECT_TRUE(table.valid_entry().empty());
    table.pending(0, {0, 1});
    write(0, 0x7001);
    EXPECT_NE(table.changed_bytes(), 0u);
    EXPECT_EQ(table.carried_out(0, {0, 1}, {}).decoded, 0u);
  });
}

TEST_F(ATable, OfACopyTheNamedEntriesMayChange) {
  with_table([&](WatchedTable& table) {
    write(0, 0x1001);
    write(1, 0x2001);
    table.look();
    write(8, 0x1001);
    write(9, 0x3001);
    write(10, 0x5001);
    write(11, 0x5001);
    EXPECT_EQ(table.become(table, 0, {8, 2}), 1u);
    const EntryRange named[] = {{8, 2}, {11, 1}};
    const auto copied = table.copied(table, 0, {8, 2}, named);
    EXPECT_EQ(copied.read, 2u);
    EXPECT_EQ(copied.unlike, 1u) << "entry 9";
    EXPECT_GT(copied.outside, 0u) << "entry 10";
    EXPECT_EQ(table.become(table, 0, {8, 2}), 0u) << "the copy was looked at";
  });
}

TEST_F(ATable, WithoutADecoderACopyIsComparedByWhatTheGpuReads) {
  client = nullptr;
  with_table([&](WatchedTable& table) {
    write(0, 0x1001);
    write(1, 0x2001);
    table.look();
    write(8, 0x1001);
    write(9, 0x1001);
    const EntryRange named[] = {{8, 2}};
    const auto copied = table.copied(table, 0, {8, 2}, named, 4);
    EXPECT_EQ(copied.read, 2u);
    EXPECT_EQ(copied.unlike, 1u) << "entry 9";
    EXPECT_EQ(copied.outside, 0u);
    EXPECT_EQ(table.copied(table, 0, {8, 2}, named, 0).read, 0u) << "nobody knows";
    EXPECT_EQ(table.copied(table, 0, {8, 2}, named, 512).read, 0u) << "they do not fit";
  });
}

TEST_F(ATable, TheDriversOwnEntriesAreItsAffair) {
  with_table([&](WatchedTable& table) {
    table.leave_to_driver({5, 2});
    const WantedEntry nothing[] = {{}};
    table.pending(0, {4, 3});
    write(5, 0x9001);
    write(7, 0x9001);
    const auto compared = table.carried_out(0, {4, 3}, nothing);
    EXPECT_EQ(compared.decoded, 1u);
    EXPECT_EQ(compared.wrong, 0u);
    EXPECT_EQ(compared.unequal, 0u);
    EXPECT_EQ(compared.outside, 2u) << "entry 7 is not its own";
  });
}

}  // namespace
}  // namespace wddm::host
