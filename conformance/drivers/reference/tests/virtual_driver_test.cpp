// The reference driver with GPU virtual addresses: table, capabilities, page tables, packets,
// faults.
#include "conformance/drivers/reference/tests/virtual_driver.h"

#include "conformance/drivers/reference/client/umd.h"

namespace wddm::reference_kmd_tests {
namespace {

// Where things lie: pages of segment 1, and addresses in the space of whoever uses them.
constexpr std::uint32_t kSystemRoot = 100;
constexpr std::uint32_t kUserRoot = 110;
constexpr std::uint32_t kBufferPage = 120;
constexpr std::uint64_t kBuffer = 0x10000;
constexpr std::uint64_t kTables = 0x40000;  // the user's leaf table, seen by the paging process
constexpr std::uint64_t kData = 0x5000;

std::vector<std::uint32_t> store(std::uint64_t address, std::uint32_t value) {
  return {HW_COMMAND(HW_OP_SET_BASE, 4, 3, 0),
          0,
          static_cast<std::uint32_t>(address),
          static_cast<std::uint32_t>(address >> 32),
          HW_COMMAND(HW_OP_LOAD_CONSTANT, 2, 0, 0),
          value,
          HW_COMMAND(HW_OP_FILL, 3, 3, 0),
          0,
          4};
}

class GpuVaDriver : public VirtualDriver {
 protected:
  void make_spaces() {
    system = make_space(reinterpret_cast<HANDLE>(0x111), kSystemRoot, true);
    user = make_space(reinterpret_cast<HANDLE>(0x222), kUserRoot, false);
    for (std::uint32_t i = 0; i < 8; ++i) {
      map(system, kBuffer + i * HW_PAGE_SIZE, kBufferPage + i);
      map(user, kBuffer + i * HW_PAGE_SIZE, kBufferPage + i);
    }
    map(system, kTables, user.leaf);
  }
  void end_spaces() {
    end_space(user);
    end_space(system);
  }
  void page(std::vector<DXGKARG_BUILDPAGINGBUFFER> operations, std::uint32_t room = HW_PAGE_SIZE) {
    const auto sizes = build(kBufferPage, std::move(operations), room);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_EQ(submit(system, kBuffer + i * HW_PAGE_SIZE, sizes[i], ++fence, true),
                STATUS_SUCCESS);
    }
    advance(100000);
  }
  NTSTATUS run(const std::vector<std::uint32_t>& words, std::vector<std::uint8_t> data = {}) {
    std::memcpy(bytes(kBufferPage), words.data(), words.size() * 4);
    const NTSTATUS status =
        submit(user, kBuffer, static_cast<std::uint32_t>(words.size() * 4), ++fence, false, data);
    advance();
    return status;
  }

  DXGKARG_BUILDPAGINGBUFFER update(DXGK_PAGETABLEUPDATEMODE mode, std::uint32_t start,
                                   std::vector<DXGK_PTE>& entries, std::uint32_t count = 0) {
    DXGKARG_BUILDPAGINGBUFFER request{};
    request.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    auto& u = request.UpdatePageTable;
    if (mode == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL) {
      u.PageTableAddress.GpuVirtual = kTables;
    } else {
      u.PageTableAddress.GpuPhysical = {1, std::uint64_t{user.leaf} * HW_PAGE_SIZE};
    }
    u.pPageTableEntries = entries.data();
    u.StartIndex = start;
    u.NumPageTableEntries = count != 0 ? count : static_cast<UINT>(entries.size());
    u.Flags.Repeat = count != 0;
    u.hProcess = user.process;
    u.UpdateMode = mode;
    return request;
  }
  DXGKARG_BUILDPAGINGBUFFER flush(const Space& space, std::uint64_t start = 0,
                                  std::uint64_t end = 0) {
    DXGKARG_BUILDPAGINGBUFFER request{};
    request.Operation = DXGK_OPERATION_FLUSH_TLB;
    request.FlushTlb.hProcess = space.process;
    request.FlushTlb.StartVirtualAddress = start;
    request.FlushTlb.EndVirtualAddress = end;
    return request;
  }
  std::uint64_t table_entry(std::uint32_t page, std::uint32_t index) {
    std::uint64_t entry = 0;
    std::memcpy(&entry, bytes(page) + std::size_t{index} * 8, sizeof entry);
    return entry;
  }

  Space system;
  Space user;
  std::uint32_t fence = 0;
};

TEST_F(GpuVaDriver, TableHoldsTheEntriesOfThisModelOnly) {
  play({}, [&] {
    EXPECT_EQ(driver().Version, static_cast<ULONG>(DXGKDDI_INTERFACE_VERSION_WDDM2_6));
    EXPECT_EQ(driver().DxgkDdiRender, nullptr);
    EXPECT_EQ(driver().DxgkDdiPatch, nullptr);
    EXPECT_NE(driver().DxgkDdiSubmitCommandVirtual, nullptr);
    EXPECT_NE(driver().DxgkDdiCreateProcess, nullptr);
  });
}

TEST_F(GpuVaDriver, CapabilitiesAgreeWithEachOther) {
  for (const std::uint32_t mode : {0u, 1u, 2u}) {
    for (std::uint32_t count = 2; count <= 5; ++count) {
      for (const std::uint32_t dual : {0u, 1u}) {
        play({{"PageTableLevels", count}, {"PageTableUpdateMode", mode}, {"DualPte", dual}}, [&] {
          EXPECT_TRUE(geometry_is_sound()) << count << " levels, mode " << mode << ", " << dual;
          DXGK_GPUMMUCAPS caps{};
          ASSERT_EQ(query(DXGKQAITYPE_GPUMMUCAPS, DXGK_QUERYGPUMMUCAPSIN{0}, caps), STATUS_SUCCESS);
          EXPECT_EQ(caps.PageTableLevelCount, count);
          EXPECT_EQ(static_cast<std::uint32_t>(caps.PageTableUpdateMode), mode);
          EXPECT_EQ(caps.DualPteSupported, dual);
          EXPECT_LE(caps.VirtualAddressBitCount, 63u);
          UINT bits = 12;
          for (WORD level = 0; level < count; ++level) {
            DXGK_PAGE_TABLE_LEVEL_DESC d{};
            ASSERT_EQ(
                query(DXGKQAITYPE_PAGETABLELEVELDESC, DXGK_QUERYPAGETABLELEVELDESCIN{level, 0}, d),
                STATUS_SUCCESS);
            bits += d.PageTableIndexBitCount;
            const UINT entry = dual != 0 && level == 1 ? 16 : 8;
            EXPECT_LE(entry << d.PageTableIndexBitCount, d.PageTableSizeInBytes);
            EXPECT_EQ(d.PageTableSegmentId, mode == 0 ? 0u : 1u);
          }
          if (count > 2 || mode == 0) {
            EXPECT_EQ(bits, caps.VirtualAddressBitCount);
          }
          DXGK_PAGE_TABLE_LEVEL_DESC beyond{};
          EXPECT_EQ(query(DXGKQAITYPE_PAGETABLELEVELDESC,
                          DXGK_QUERYPAGETABLELEVELDESCIN{static_cast<WORD>(count), 0}, beyond),
                    STATUS_INVALID_PARAMETER);
        });
      }
    }
  }
}

TEST_F(GpuVaDriver, PagesOf64KbGoWithEveryPlaceOfTheTables) {
  for (const std::uint32_t segment : {0u, 1u}) {
    play({{"PageTableUpdateMode", 1}, {"PageSize64K", 1}, {"PageTableSegment", segment}}, [&] {
      EXPECT_TRUE(geometry_is_sound());
      DXGK_PAGE_TABLE_LEVEL_DESC leaf{};
      ASSERT_EQ(query(DXGKQAITYPE_PAGETABLELEVELDESC, DXGK_QUERYPAGETABLELEVELDESCIN{0, 0}, leaf),
                STATUS_SUCCESS);
      EXPECT_EQ(leaf.PageTableSizeInBytes, segment == 0 ? 0x1000u : 0x10000u);
    });
  }
}

TEST_F(GpuVaDriver, RootSizeIsTheSmallestThatHoldsTheEntries) {
  play({{"PageTableUpdateMode", 1}}, [&] {
    for (const UINT wanted : {1u, 512u, 513u, 1500u}) {
      DXGKARG_GETROOTPAGETABLESIZE request{wanted, 0};
      const SIZE_T size = driver().DxgkDdiGetRootPageTableSize(adapter(), &request);
      EXPECT_EQ(size, (wanted * 8 + 4095) / 4096 * 4096u);
      EXPECT_EQ(request.NumberOfPte, size / 8);
    }
  });
}

class GpuVaModes : public GpuVaDriver,
                   public testing::WithParamInterface<std::tuple<std::uint32_t, std::uint32_t>> {};

// The whole way: the CPU makes the tables of the paging process, the GPU those of the application.
TEST_P(GpuVaModes, UpdatedTablesLeadToTheirPages) {
  const auto [count, mode] = GetParam();
  levels = count;
  play({{"PageTableLevels", count}, {"PageTableUpdateMode", mode}}, [&, mode = mode] {
    make_spaces();
    std::vector<DXGK_PTE> entries{entry_for(130), entry_for(140)};
    page({update(static_cast<DXGK_PAGETABLEUPDATEMODE>(mode), kData / HW_PAGE_SIZE, entries),
          flush(user)});
    EXPECT_EQ(run(store(kData + HW_PAGE_SIZE, 0x600d)), STATUS_SUCCESS);
    EXPECT_EQ(word(140), 0x600du);
    ASSERT_FALSE(wire.told.empty());
    EXPECT_EQ(wire.told.back().InterruptType, DXGK_INTERRUPT_DMA_COMPLETED);
    EXPECT_EQ(wire.told.back().DmaCompleted.SubmissionFenceId, fence);
    end_spaces();
  });
}
INSTANTIATE_TEST_SUITE_P(All, GpuVaModes,
                         testing::Combine(testing::Values(2u, 3u, 4u, 5u),
                                          testing::Values(1u, 2u)));

TEST_F(GpuVaDriver, UpdateTakesAsManyBuffersAsItNeeds) {
  play({{"PageTableUpdateMode", 2}}, [&] {
    make_spaces();
    std::vector<DXGK_PTE> entries;
    for (std::uint32_t i = 0; i < 200; ++i) entries.push_back(entry_for(i));
    page({update(DXGK_PAGETABLEUPDATE_GPU_PHYSICAL, 300, entries)}, 512);
    EXPECT_EQ(table_entry(user.leaf, 299), 0u);
    for (std::uint32_t i = 0; i < 200; ++i) {
      EXPECT_EQ(table_entry(user.leaf, 300 + i),
                HW_PTE_VALID | (HW_LOCAL_BASE + std::uint64_t{i} * HW_PAGE_SIZE));
    }
    EXPECT_EQ(table_entry(user.leaf, 500), 0u);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, RepeatedEntryIsTheSameEverywhere) {
  play({{"PageTableUpdateMode", 1}}, [&] {
    make_spaces();
    std::vector<DXGK_PTE> entries{entry_for(77)};
    page({update(DXGK_PAGETABLEUPDATE_GPU_VIRTUAL, 300, entries, 3)});
    EXPECT_EQ(table_entry(user.leaf, 299), 0u);
    EXPECT_EQ(table_entry(user.leaf, 300), table_entry(user.leaf, 302));
    EXPECT_NE(table_entry(user.leaf, 302), 0u);
    EXPECT_EQ(table_entry(user.leaf, 303), 0u);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, EntryHasEveryBitThatItWasGiven) {
  play({}, [&] {
    std::memset(bytes(90), 0, HW_PAGE_SIZE);
    DXGK_PTE all = entry_for(5);
    all.CacheCoherent = all.ReadOnly = all.NoExecute = all.Zero = 1;
    all.SystemReserved0 = 1;
    DXGK_PTE in_system{};
    in_system.Valid = 1;
    in_system.PageAddress = 0x123456789;
    DXGK_PTE invalid = all;
    invalid.Valid = 0;
    EXPECT_EQ(update_at_once(90, 0, 7, {all, in_system, invalid}), STATUS_SUCCESS);
    EXPECT_EQ(table_entry(90, 6), 0u);
    EXPECT_EQ(table_entry(90, 7), HW_PTE_VALID | HW_PTE_COHERENT | HW_PTE_READ_ONLY |
                                      HW_PTE_NO_EXECUTE | HW_PTE_ZERO |
                                      (HW_LOCAL_BASE + 5 * HW_PAGE_SIZE));
    EXPECT_EQ(table_entry(90, 8), HW_PTE_VALID | HW_PTE_SYSTEM | 0x123456789000u);
    EXPECT_EQ(table_entry(90, 9), 0u);
  });
}

TEST_F(GpuVaDriver, FillTransferAndCopyOfEntriesGoThroughTheTables) {
  play({}, [&] {
    make_spaces();
    map(system, kData, 130);
    map(system, kData + HW_PAGE_SIZE, 150);
    map(system, 0x8000, 131);
    map(system, 0x9000, 133);
    DXGKARG_BUILDPAGINGBUFFER fill{};
    fill.Operation = DXGK_OPERATION_VIRTUAL_FILL;
    fill.FillVirtual.FillSizeInBytes = 2 * HW_PAGE_SIZE;
    fill.FillVirtual.FillPattern = 0x11111111;
    fill.FillVirtual.DestinationVirtualAddress = kData;
    DXGKARG_BUILDPAGINGBUFFER transfer{};
    transfer.Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    transfer.TransferVirtual.TransferSizeInBytes = 2 * HW_PAGE_SIZE;
    transfer.TransferVirtual.SourceVirtualAddress = kData;
    transfer.TransferVirtual.DestinationVirtualAddress = 0x8000;
    page({fill, transfer});
    EXPECT_EQ(word(150, 4092), 0x11111111u);
    EXPECT_EQ(word(131), 0x11111111u);
    EXPECT_EQ(word(133, 4092), 0x11111111u);

    map(user, 0x3000, 55);
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE range{2, kTables, kTables, 3, 40};
    DXGKARG_BUILDPAGINGBUFFER copy{};
    copy.Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    copy.CopyPageTableEntries = {1, &range};
    page({copy});
    EXPECT_EQ(table_entry(user.leaf, 40), table_entry(user.leaf, 3));
    EXPECT_NE(table_entry(user.leaf, 40), 0u);
    EXPECT_EQ(table_entry(user.leaf, 42), 0u);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, FlushOfTheProcessMakesAChangeSeen) {
  play({}, [&] {
    make_spaces();
    map(user, kData, 130);
    run(store(kData, 1));
    map(user, kData, 140);
    run(store(kData, 2));
    EXPECT_EQ(word(130), 2u) << "the TLB really is stale";
    page({flush(system)});
    run(store(kData, 3));
    EXPECT_EQ(word(130), 3u) << "another process was flushed";
    page({flush(user, kData, kData + HW_PAGE_SIZE)});
    run(store(kData, 4));
    EXPECT_EQ(word(140), 4u);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, PageFaultIsReportedAndItsEngineStandsStillUntilItIsReset) {
  play({}, [&] {
    make_spaces();
    map(user, kData, 130);
    EXPECT_EQ(run(store(kData + HW_PAGE_SIZE + 8, 1)), STATUS_SUCCESS);
    ASSERT_EQ(wire.told.size(), 1u);
    ASSERT_EQ(wire.told[0].InterruptType, DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    const auto& fault = wire.told[0].DmaPageFaulted;
    EXPECT_EQ(fault.FaultedFenceId, fence);
    EXPECT_EQ(fault.FaultedVirtualAddress, kData + HW_PAGE_SIZE + 8);
    EXPECT_EQ(fault.PageTableLevel, 0u);
    EXPECT_EQ(fault.PageFaultFlags, DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    EXPECT_EQ(fault.FaultErrorCode.IsDeviceSpecificCode, 0u);
    EXPECT_EQ(fault.FaultedProcessHandle, reinterpret_cast<HANDLE>(0x222));
    DXGKARG_QUERYCURRENTFENCE current{};
    EXPECT_EQ(driver().DxgkDdiQueryCurrentFence(adapter(), &current), STATUS_SUCCESS);
    EXPECT_EQ(current.CurrentFence, fence);

    const UINT faulted = fence;
    std::memset(bytes(130), 0, 4);
    run(store(kData, 7));
    EXPECT_EQ(word(130), 0u);
    DXGKARG_RESETENGINE reset{};
    EXPECT_EQ(driver().DxgkDdiResetEngine(adapter(), &reset), STATUS_SUCCESS);
    EXPECT_EQ(reset.LastAbortedFenceId, faulted) << "what had not begun is not aborted";
    run(store(kData, 8));
    EXPECT_EQ(word(130), 8u);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, RootThatMovesIsReadAtItsNewPlace) {
  play({}, [&] {
    make_spaces();
    map(user, kData, 130);
    run(store(kData, 1));
    // Another root with another leaf table.
    for (const std::uint32_t p : {160u, 161u}) std::memset(bytes(p), 0, HW_PAGE_SIZE);
    update_at_once(160, 1, 0, {entry_for(161)});
    update_at_once(161, 0, kData / HW_PAGE_SIZE, {entry_for(140)});
    update_at_once(161, 0, kBuffer / HW_PAGE_SIZE, {entry_for(kBufferPage)});
    set_root(user, 160, 512);
    run(store(kData, 2));
    EXPECT_EQ(word(130), 1u);
    EXPECT_EQ(word(140), 2u);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, MalformedPrivateDataRefusesThePacketAndItsFenceIsDueInItsTurn) {
  play({}, [&] {
    make_spaces();
    map(user, kData, 130);
    const UmdSubmissionData wrong{UMD_SUBMISSION_MAGIC, UMD_VERSION, 4, 0};
    std::vector<std::uint8_t> data(sizeof wrong);
    std::memcpy(data.data(), &wrong, sizeof wrong);
    std::memset(bytes(130), 0, 4);
    EXPECT_EQ(run(store(kData, 1), data), STATUS_INVALID_PARAMETER);
    EXPECT_EQ(word(130), 0u);
    EXPECT_TRUE(wire.told.empty());
    DXGKARG_QUERYCURRENTFENCE current{};
    driver().DxgkDdiQueryCurrentFence(adapter(), &current);
    EXPECT_EQ(current.CurrentFence, fence);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, UserModeMayNotPage) {
  play({}, [&] {
    make_spaces();
    run({HW_COMMAND(HW_OP_TLB_FLUSH, 6, 0, 0), 0, 0, 0, 0, 0});
    EXPECT_TRUE(wire.told.empty());
    DXGKARG_QUERYENGINESTATUS status{};
    driver().DxgkDdiQueryEngineStatus(adapter(), &status);
    EXPECT_FALSE(status.EngineStatus.Responsive);
    DXGKARG_RESETENGINE reset{};
    EXPECT_EQ(driver().DxgkDdiResetEngine(adapter(), &reset), STATUS_SUCCESS);
    EXPECT_EQ(reset.LastAbortedFenceId, fence);
    end_spaces();
  });
}

TEST_F(GpuVaDriver, PairsAreWrittenWithBothHalves) {
  play({{"DualPte", 1}}, [&] {
    std::memset(bytes(90), 0, HW_PAGE_SIZE);
    std::vector<DXGK_PTE> small{entry_for(1), entry_for(2)};
    std::vector<DXGK_PTE> large{entry_for(3), {}};
    DXGKARG_BUILDPAGINGBUFFER request{};
    request.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    auto& u = request.UpdatePageTable;
    u.PageTableLevel = 1;
    u.PageTableAddress.CpuVirtual = bytes(90);
    u.pPageTableEntries = small.data();
    u.pPageTableEntries64KB = large.data();
    u.StartIndex = 4;
    u.NumPageTableEntries = 2;
    EXPECT_EQ(driver().DxgkDdiBuildPagingBuffer(adapter(), &request), STATUS_SUCCESS);
    EXPECT_EQ(table_entry(90, 7), 0u);
    EXPECT_EQ(table_entry(90, 8), HW_PTE_VALID | (HW_LOCAL_BASE + 1 * HW_PAGE_SIZE));
    EXPECT_EQ(table_entry(90, 9), HW_PTE_VALID | (HW_LOCAL_BASE + 3 * HW_PAGE_SIZE));
    EXPECT_EQ(table_entry(90, 10), HW_PTE_VALID | (HW_LOCAL_BASE + 2 * HW_PAGE_SIZE));
    EXPECT_EQ(table_entry(90, 11), 0u);
  });
}

}  // namespace
}  // namespace wddm::reference_kmd_tests
