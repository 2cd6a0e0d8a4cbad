// What verdicts about memory say of the page, the entry and the update behind it, and which events
// they name for that.
#include <d3dkmddi.h>

#include "conformance/rules/tests/paging_test.h"
#include "conformance/rules/tests/space_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::blamed_entry {
namespace {

constexpr std::uint32_t kPacket = 9, kProcess = 3, kOther = 4, kAllocation = 2;

// An allocation has moved before a packet that does not find it: PT-005.
class BlamedEntry : public SpaceTest {
 protected:
  BlamedEntry() {
    root(1, kProcess, 0x1000);
    root(2, kOther, 0x2000);
    op(OpKind::Render);
  }
  static ev::AddressAnswered mapped(std::uint64_t address, std::uint64_t bytes = 0x1000,
                                    std::uint64_t offset = 0) {
    return {.size = bytes,
            .offset = offset,
            .address = address,
            .process = kProcess,
            .request = static_cast<std::uint32_t>(AddressRequest::Map),
            .allocation = kAllocation};
  }
  void maps(std::uint64_t address, std::uint64_t bytes = 0x1000, std::uint64_t offset = 0) {
    add(mapped(address, bytes, offset));
  }
  // One entry, which leads to a page that the GPU sees at `to`.
  std::uint32_t writes(std::uint64_t address, std::uint64_t to, std::uint32_t level = kLeaf,
                       std::uint32_t flags = entry_flag::kValid, std::uint32_t process = kProcess) {
    const std::uint64_t bytes = level == kLeaf ? 0x1000 : 0x200000;
    add(ev::TableUpdated{.place = 0x6000,
                         .first_va = address,
                         .process = process,
                         .segment = 1,
                         .level = level,
                         .first = static_cast<std::uint32_t>(address / bytes % 512),
                         .count = 1},
        std::vector<EntryRecord>{{.address = to, .flags = flags}});
    return last_event();
  }
  std::uint32_t flushes(std::uint64_t start, std::uint64_t end) {
    add(ev::TlbFlushBuilt{.start = start, .end = end, .process = kProcess});
    return last_event();
  }
  // The event of its submission.
  std::uint32_t draws() {
    add(ev::PagingDone{.operation = DXGK_OPERATION_VIRTUAL_TRANSFER, .allocation = kAllocation});
    submitted(kPacket);
    return last_event();
  }
  void differs(std::uint32_t offset = 0, MemoryPlace where = MemoryPlace::Allocation) {
    const bool owned = where == MemoryPlace::Allocation;
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(where),
                          .object = owned ? kAllocation : kNone,
                          .offset = offset,
                          .length = 4,
                          .expected = 5,
                          .cause_object = kPacket});
  }
  // What stands behind the sign's own words.
  std::string blamed(const char* id = "PT-005") {
    const std::string seen = seen_by(id);
    const std::size_t at = seen.find(';');
    return at == std::string::npos ? std::string() : seen.substr(at);
  }
};

TEST_F(BlamedEntry, IsOfThePageThatDiffers) {
  maps(0x20000, 0x2000);
  writes(0x20000, 0x8000);
  op(OpKind::Render);
  const std::uint32_t written = writes(0x21000, 0x9000);
  const std::uint32_t submission = draws();
  differs(0x1010);
  EXPECT_EQ(seen_by("PT-005"),
            "after packet 9 4 bytes differ, the first at 0x1010 of allocation 2: 0x0 instead of "
            "0x5; it is in page 0x21000 of process 3, entry 33 of the level-0 table at 0x6000 of "
            "segment 1 (leads to 0x9000 as the GPU sees it), written last by UpdatePageTable of "
            "op 1");
  EXPECT_EQ(named_by("PT-005"), (std::vector{written, submission - 1, submission}));
}

TEST_F(BlamedEntry, NamesTheFlushBehindIt) {
  maps(0x20000);
  flushes(0, 0);
  const std::uint32_t written = writes(0x20000, 0x9000);
  op(OpKind::Render);
  const std::uint32_t flushed = flushes(0x20000, 0x21000);
  flushes(0x30000, 0x31000);
  const std::uint32_t submission = draws();
  differs();
  EXPECT_NE(blamed().find("UpdatePageTable of op 0, flushed by FlushTlb of op 1"),
            std::string::npos);
  EXPECT_EQ(named_by("PT-005"), (std::vector{written, flushed, submission - 1, submission}));
}

TEST_F(BlamedEntry, OfTheTableAboveWhereThatCameLater) {
  maps(0x20000);
  writes(0, 0x4000, kRoot);
  const std::uint32_t written = writes(0x20000, 0x9000);
  op(OpKind::Render);
  const std::uint32_t above = writes(0, 0x5000, kRoot);
  const std::uint32_t submission = draws();
  differs();
  EXPECT_NE(blamed().find("of op 0, the one of level 1 above it by UpdatePageTable of op 1"),
            std::string::npos);
  EXPECT_EQ(named_by("PT-005"), (std::vector{written, above, submission - 1, submission}));
}

TEST_F(BlamedEntry, OfALargePage) {
  maps(0x200000, 0x200000);
  writes(0x200000, 0x600000, kRoot, entry_flag::kValid | entry_flag::kLargePage);
  draws();
  differs(0x5000);
  EXPECT_EQ(blamed().find("; it is in page 0x200000 of 2048 KB of process 3, entry 1 of the "
                          "level-1 table at 0x6000 of segment 1 (a large page at 0x600000"),
            0u);
}

TEST_F(BlamedEntry, OfTheNewestAddress) {
  maps(0x20000);
  maps(0x40000);
  draws();
  differs();
  EXPECT_EQ(blamed(), "; it is in page 0x40000 of process 3, the newest of 2 such pages");
}

TEST_F(BlamedEntry, NotOfAnAddressThatWasFreed) {
  maps(0x20000);
  maps(0x40000);
  add(ev::AddressAnswered{.base = 0x40000,
                          .size = 0x1000,
                          .process = kProcess,
                          .request = static_cast<std::uint32_t>(AddressRequest::Free),
                          .allocation = kNone});
  draws();
  differs();
  EXPECT_EQ(blamed(), "; it is in page 0x20000 of process 3");
}

TEST_F(BlamedEntry, OfAMappingWithAnOffset) {
  maps(0x20000, 0x1000, 0x3000);
  draws();
  differs(0x3008);
  EXPECT_EQ(blamed(), "; it is in page 0x20000 of process 3");
}

TEST_F(BlamedEntry, AnAllocationWithoutAddressesHasNone) {
  maps(0x20000);
  draws();
  differs(0x1000);
  EXPECT_EQ(blamed(), "");
}

TEST_F(BlamedEntry, WhatCameBehindTheSubmissionIsNotToBlame) {
  maps(0x20000);
  const std::uint32_t written = writes(0x20000, 0x9000);
  const std::uint32_t submission = draws();
  writes(0x20000, 0xa000);
  flushes(0, 0);
  differs();
  EXPECT_EQ(named_by("PT-005"), (std::vector{written, submission - 1, submission}));
}

TEST_F(BlamedEntry, NorAreUpdatesThatFailedOrWereOfOthers) {
  maps(0x20000);
  const std::uint32_t written = writes(0x20000, 0x9000);
  writes(0x20000, 0xa000, kLeaf, entry_flag::kValid, kOther);
  add(ev::TableUpdated{.first_va = 0x20000, .process = kProcess, .count = 1, .status = 0xC000000D},
      std::vector<EntryRecord>{{.address = 0xb000, .flags = entry_flag::kValid}});
  add(ev::TableUpdated{.first_va = 0x20000, .process = kProcess, .count = 1, .physical_adapter = 1},
      std::vector<EntryRecord>{{.address = 0xb000, .flags = entry_flag::kValid}});
  const std::uint32_t submission = draws();
  differs();
  EXPECT_EQ(named_by("PT-005"), (std::vector{written, submission - 1, submission}));
}

TEST_F(BlamedEntry, OfEntriesThatWereCopied) {
  maps(0x20000);
  writes(0x20000, 0x9000);
  add(ev::EntriesCopied{.process = kProcess, .to_first = 32, .count = 2},
      std::vector<CopiedFrom>{
          {.source_va = 0x30000, .first_va = 0x20000, .source_process = kProcess}});
  draws();
  differs();
  EXPECT_EQ(blamed(),
            "; it is in page 0x20000 of process 3, entry 32 of a level-0 table, written last by "
            "CopyPageTableEntries of op 0");
}

TEST_F(BlamedEntry, OfMemoryThatNobodyOwnsItIsTheOneThatLedThere) {
  add(ev::SegmentReported{.base = 0x100000, .segment = 1});
  const std::uint32_t former = writes(0x20000, 0x109000);
  op(OpKind::Render);
  const std::uint32_t written = writes(0x20000, 0x10a000);
  const std::uint32_t submission = draws();
  differs(0x9010, MemoryPlace::FreeSegmentPage);
  EXPECT_EQ(blamed(),
            "; in segment 1 it is where page 0x20000 of process 3 led by UpdatePageTable of op 0, "
            "entry 32 of the level-0 table at 0x6000 of segment 1 (leads to 0x10a000 as the GPU "
            "sees it), written last by UpdatePageTable of op 1");
  EXPECT_EQ(named_by("PT-005"), (std::vector{former, written, submission - 1, submission}));
}

TEST_F(BlamedEntry, WhereTwoSegmentsMayBeMeantNothingIsSaid) {
  add(ev::SegmentReported{.base = 0x100000, .segment = 1});
  add(ev::SegmentReported{.base = 0x200000, .segment = 2});
  writes(0x20000, 0x109000);
  writes(0x21000, 0x209000);
  draws();
  differs(0x9010, MemoryPlace::FreeSegmentPage);
  EXPECT_NE(seen_by("PT-005"), "");
  EXPECT_EQ(blamed(), "");
}

// An entry of the root covers 2 MB.
TEST_F(BlamedEntry, OfAFaultItIsThatOfTheLevel) {
  writes(0x20000, 0x9000);
  const std::uint32_t written = writes(0, 0x5000, kRoot);
  const std::uint32_t submission = draws();
  faulted(kPacket, 0x20010, kRoot);
  EXPECT_EQ(blamed(),
            "; it is in page 0x20000 of process 3, entry 0 of the level-1 table at 0x6000 of "
            "segment 1 (leads to 0x5000 as the GPU sees it), written last by UpdatePageTable of "
            "op 0");
  EXPECT_EQ(named_by("PT-005"), (std::vector{written, submission - 1, submission}));
}

// A packet writes what another process has at the same address: VA-001.
TEST_F(BlamedEntry, OfAnotherProcessItSaysWhose) {
  maps(0x20000);
  const std::uint32_t written = writes(0x20000, 0x9000, kLeaf, entry_flag::kValid, kOther);
  submitted(kPacket - 1, 1);
  submitted(kPacket, 2);
  differs();
  EXPECT_EQ(blamed("VA-001"),
            "; it is in page 0x20000 of process 3, and in none of process 4, which ran; there it "
            "is page 0x20000 of process 4, entry 32 of the level-0 table at 0x6000 of segment 1 "
            "(leads to 0x9000 as the GPU sees it), written last by UpdatePageTable of op 0");
  EXPECT_EQ(named_by("VA-001").front(), written);
}

// Of very many it is looked up for the first ones.
TEST_F(BlamedEntry, OfTheFirstFailuresAlone) {
  maps(0x20000);
  submitted(kPacket - 1, 2);
  submitted(kPacket, 1);
  for (int i = 0; i < 10; ++i) differs();
  EXPECT_EQ(failures("VA-001"), 10u);
  EXPECT_EQ(blamed("VA-001"), "; it is in page 0x20000 of process 3");
  EXPECT_EQ(last_seen_by("VA-001"),
            "after packet 9 4 bytes differ, the first at 0x0 of allocation 2: 0x0 instead of 0x5");
}

// ... where no observer of address spaces judges: MMU-012.
TEST_F(BlamedEntry, OfAPacketThatWasToFault) {
  maps(0x20000);
  const std::uint32_t written = writes(0x20000, 0, kLeaf, 0);
  submitted(kPacket);
  add(ev::AccessFaulted{.address = 0x20000, .fence = kPacket, .packet = kPacket});
  differs();
  EXPECT_EQ(seen_by("MMU-012"),
            "4 bytes differ, the first at 0x0 of allocation 2: 0x0 instead of 0x5; it is in page "
            "0x20000 of process 3, entry 32 of the level-0 table at 0x6000 of segment 1 (invalid), "
            "written last by UpdatePageTable of op 0");
  EXPECT_EQ(named_by("MMU-012"), (std::vector{written}));
}

// Paging finds its pages by entries of the paging process: VPAGE-001, VPAGE-002.
class BlamedPaging : public PagingTest {
 protected:
  static constexpr std::uint64_t kSource = 0x40000, kDestination = 0xa0000;

  std::uint32_t writes(std::uint64_t address, std::uint64_t to) {
    add(ev::TableUpdated{.place = 0x6000,
                         .first_va = address,
                         .process = kSystemProcessNumber,
                         .first = static_cast<std::uint32_t>(address / 0x1000 % 512),
                         .count = 1},
        std::vector<EntryRecord>{{.address = to, .flags = entry_flag::kValid}});
    return last_event();
  }
  // What differs by a word at an offset of the allocation, of which two pages from 0x1000 on were
  // to be written.
  void paged(std::uint32_t operation, std::uint32_t offset) {
    built(operation,
          {.size = 0x2000,
           .source_address = kSource,
           .destination_address = kDestination,
           .offset = 0x1000},
          {.allocation = kAllocation});
    add(ev::PagingDone{.operation = operation, .allocation = kAllocation, .packet = 1});
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .object = kAllocation,
                          .offset = offset,
                          .length = 4,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = 1,
                          .operation = operation});
  }
  static constexpr const char* kWords =
      "4 bytes differ, the first at 0x2008 of allocation 2: 0x0 instead of 0x0";
};

TEST_F(BlamedPaging, AFillByThePageThatItWasToWrite) {
  op(OpKind::Render);
  writes(kDestination, 0x9000);
  const std::uint32_t written = writes(kDestination + 0x1000, 0xa000);
  paged(DXGK_OPERATION_VIRTUAL_FILL, 0x2008);
  EXPECT_EQ(seen_by("VPAGE-001"),
            std::string(kWords) +
                "; it is in page 0xa1000 of the system process, entry 161 of the level-0 table at "
                "0x6000 of system memory (leads to 0xa000 as the GPU sees it), written last by "
                "UpdatePageTable of op 0");
  EXPECT_EQ(named_by("VPAGE-001"), (std::vector{written, written + 1}));
}

TEST_F(BlamedPaging, ATransferByItsSourceToo) {
  op(OpKind::Render);
  const std::uint32_t from = writes(kSource + 0x1000, 0xb000);
  const std::uint32_t to = writes(kDestination + 0x1000, 0xa000);
  paged(DXGK_OPERATION_VIRTUAL_TRANSFER, 0x2008);
  EXPECT_NE(seen_by("VPAGE-002")
                .find("; it comes from page 0x41000 of the system process, entry "
                      "65 of the level-0 table"),
            std::string::npos);
  EXPECT_EQ(named_by("VPAGE-002"), (std::vector{from, to, to + 1}));
}

TEST_F(BlamedPaging, BesideTheRangeNoPageIsKnown) {
  writes(kDestination, 0x9000);
  paged(DXGK_OPERATION_VIRTUAL_FILL, 0x3000);
  EXPECT_EQ(seen_by("VPAGE-001").find(';'), std::string::npos);
  EXPECT_FALSE(holds("VPAGE-001"));
}

TEST_F(BlamedPaging, OperationsBySegmentHaveNoPages) {
  writes(kDestination + 0x1000, 0x9000);
  paged(DXGK_OPERATION_FILL, 0x2008);
  EXPECT_EQ(seen_by("PAGE-012"), kWords);
}

}  // namespace
}  // namespace wddm::blamed_entry
