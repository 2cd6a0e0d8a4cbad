// Drivers that do odd things, right or wrong, over the real host: what is theirs is never taken for
// a defect of the host, and what is allowed accuses nobody.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class OddDriver : public ReplayTest {
 protected:
  // What fired, each id once, separated by spaces.
  template <class Kind>
  std::string fired(const char* ops) {
    const Fault fault = fault_of<Kind>();
    std::string ids;
    for (const Failure& failure : run(scenario_of(ops), &fault).failures) {
      ids += (ids.empty() ? "" : " ") + failure.id;
    }
    return ids;
  }
};

struct OptsOutAtFirst final : Interposer {
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
      static_cast<DXGK_DRIVERCAPS*>(query->pOutputData)->SchedulingCaps.NoDmaPatching = !asked;
      asked = true;
    }
    return status;
  }
  bool asked = false;
};

TEST_F(OddDriver, BIND002_TheFirstAnswerOnCapabilitiesCounts) {
  const std::string ids = fired<OptsOutAtFirst>(R"(
ops:
- start
- requery
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- split_points: {take: all}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1}
- idle
)");

  EXPECT_EQ(ids, "CAPS-016") << "which alone is about the second answer";
  EXPECT_NE(count<ev::LeakJudged>(), 0u);
}

struct UnmapsTwice final : Interposer {
  NTSTATUS UnmapMemory(HANDLE adapter, PVOID address) override {
    static_cast<void>(Interposer::UnmapMemory(adapter, address));
    return Interposer::UnmapMemory(adapter, address);
  }
};
struct UnmapsElsewhere final : Interposer {
  NTSTATUS UnmapMemory(HANDLE adapter, PVOID address) override {
    return Interposer::UnmapMemory(adapter, static_cast<char*>(address) + 4096);
  }
};

TEST_F(OddDriver, LIFE003_AMappingThatIsUndoneTwiceIsAFinding) {
  EXPECT_EQ(fired<UnmapsTwice>("ops:\n- start\n- stop\n"), "NT-BadParameter");
}

TEST_F(OddDriver, LIFE003_AMappingThatIsUndoneElsewhereStays) {
  const std::string ids = fired<UnmapsElsewhere>("ops:\n- start\n- stop\n");

  EXPECT_NE(ids.find("LIFE-003"), std::string::npos) << ids;
  EXPECT_NE(ids.find("NT-BadParameter"), std::string::npos) << ids;
}

struct HasNoSegments final : Interposer {
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE entry, PDRIVER_OBJECT object,
                       PUNICODE_STRING path) override {
    const NTSTATUS status = Interposer::DriverEntry(entry, object, path);
    driver.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_6;
    return status;
  }
  NTSTATUS QueryAdapterInfo(HANDLE adapter, const DXGKARG_QUERYADAPTERINFO* query) override {
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT3) return STATUS_NOT_SUPPORTED;
    if (query->Type == DXGKQAITYPE_QUERYSEGMENT4) return STATUS_SUCCESS;
    const NTSTATUS status = Interposer::QueryAdapterInfo(adapter, query);
    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
      auto& caps = *static_cast<DXGK_DRIVERCAPS*>(query->pOutputData);
      caps.MiscCaps.ComputeOnly = 1;
    }
    return status;
  }
};

TEST_F(OddDriver, SEG001_ADriverWithoutSegmentsIsNotAskedInAnOlderWay) {
  // What else it should have, as it only computes, other clauses say.
  const std::string ids = fired<HasNoSegments>("ops:\n- start\n");

  EXPECT_EQ(ids.find("SEG-"), std::string::npos) << ids;
  EXPECT_EQ(count<ev::SegmentsReported>(), 1u);
}

struct WorksInStartDevice final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    const NTSTATUS status = Interposer::StartDevice(miniport, info, table, sources, children);
    if (NT_SUCCESS(status)) table->DxgkCbQueueDpc(table->DeviceHandle);
    return status;
  }
};

TEST_F(OddDriver, LIFE003_ADpcOfStartDeviceMayNotify) {
  EXPECT_EQ(fired<WorksInStartDevice>("ops:\n- start\n"), "");
}

struct FailsEarly final : Interposer {
  NTSTATUS DriverEntry(PDRIVER_INITIALIZE, PDRIVER_OBJECT, PUNICODE_STRING) override {
    return STATUS_NO_MEMORY;
  }
};

TEST_F(OddDriver, LIFE001_DriverEntryMayFailBeforeItRegisters) {
  EXPECT_EQ(fired<FailsEarly>("ops:\n- start\n"), "");
}

TEST_F(OddDriver, SPLIT013_EvictionThroughAnApertureBringsNothingIn) {
  const std::string ids = fired<EvictsThroughTheAperture>(R"(
ops:
- configure: {setting: LocalSegmentPages, value: 8}
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, pages: 5, place: local}
- create_allocation: {allocation: 2, pages: 5, place: local}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 2}
- fill: {slot: 0}
- bind: {slot: 0, allocation: 1}
- fill: {slot: 0}
- idle
)");

  EXPECT_EQ(ids, "");
}

struct DropsWithoutPool final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    void* const entry = ExAllocatePoolWithTag(NonPagedPoolNx, 64, kTag);
    if (entry == nullptr) return STATUS_SUCCESS;
    ExFreePoolWithTag(entry, kTag);
    return Interposer::SubmitCommand(adapter, submit);
  }
  static constexpr ULONG kTag = 0x79727165;
};

TEST_F(OddDriver, LIFE005_APacketDroppedForWantOfPoolIsNoticed) {
  const std::string ids = fired<DropsWithoutPool>(R"(
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 20}
- fail_pool: {kth: 1, every: true}
- idle
)");

  EXPECT_NE(ids.find("LIFE-005"), std::string::npos) << ids;
}

struct SwallowsFaults final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    static_cast<void>(Interposer::Render(context, render));
    return STATUS_SUCCESS;
  }
};

TEST_F(OddDriver, RENDER001_AFaultThatIsSwallowedIsNoticed) {
  const std::string ids = fired<SwallowsFaults>(R"(
ops:
- create_allocation: {allocation: 0}
- create_allocation: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0}
- fill: {slot: 1}
- revoke: {input: command, accessible: 24}
- idle
)");

  EXPECT_EQ(ids, "RENDER-001");
}

struct PatchesBehindItsBuffer final : Interposer {
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    const NTSTATUS status = Interposer::Patch(adapter, patch);
    if (patch->Flags.Paging) static_cast<UCHAR*>(patch->pDmaBuffer)[patch->DmaBufferSize] ^= 1;
    return status;
  }
};

TEST_F(OddDriver, PATCH005_AByteBehindAPagingBufferIsOfPatch) {
  const std::string ids = fired<PatchesBehindItsBuffer>(R"(
ops:
- configure: {setting: PagingBufferSize, value: 1000}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)");

  EXPECT_EQ(ids, "PATCH-005");
}

// Patches again only what has moved, by notes in the buffer's private data.
struct RemembersWhereItPatched final : Interposer {
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    create->ContextInfo.DmaBufferPrivateDataSize = sizeof(LONGLONG);
    return status;
  }
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    if (patch->Flags.Paging) return Interposer::Patch(adapter, patch);
    LONGLONG sum = 0, before = 0;
    for (UINT i = 0; i < patch->AllocationListSize; ++i) {
      sum += patch->pAllocationList[i].PhysicalAddress.QuadPart;
    }
    std::memcpy(&before, patch->pDmaBufferPrivateData, sizeof before);
    if (before == sum) return STATUS_SUCCESS;
    std::memcpy(patch->pDmaBufferPrivateData, &sum, sizeof sum);
    return Interposer::Patch(adapter, patch);
  }
};

constexpr const char* kPatchedAgain = R"(
ops:
- configure: {setting: LocalSegmentPages, value: 4}
- create_allocation: {allocation: 0, place: local}
- create_context: {context: 0}
- prepatch: {mode: never_prepatch}
- repatch: {times: 2}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)";

TEST_F(OddDriver, PATCH003_AFreshCopyHasFreshPrivateData) {
  EXPECT_EQ(fired<RemembersWhereItPatched>(kPatchedAgain), "");
  EXPECT_NE(count<ev::RepatchCompared>(), 0u);
}

struct ChecksAddresses final : Interposer {
  NTSTATUS Patch(HANDLE adapter, const DXGKARG_PATCH* patch) override {
    for (UINT i = 0; i < patch->AllocationListSize; ++i) {
      const DXGK_ALLOCATIONLIST& entry = patch->pAllocationList[i];
      if (entry.SegmentId != 1) continue;
      const auto address = static_cast<ULONGLONG>(entry.PhysicalAddress.QuadPart);
      if (address >= HW_LOCAL_BASE + 4 * HW_PAGE_SIZE) return STATUS_INVALID_PARAMETER;
    }
    return Interposer::Patch(adapter, patch);
  }
};

TEST_F(OddDriver, PATCH003_ADetourIsAPlaceThatVidMmCouldGive) {
  EXPECT_EQ(fired<ChecksAddresses>(kPatchedAgain), "");
}

void append(void*& cursor, std::initializer_list<std::uint32_t> words) {
  std::memcpy(cursor, words.begin(), words.size() * 4);
  cursor = static_cast<char*>(cursor) + words.size() * 4;
}

struct NumbersItsBuffers final : Interposer {
  NTSTATUS Render(HANDLE context, DXGKARG_RENDER* render) override {
    const NTSTATUS status = Interposer::Render(context, render);
    if (status == STATUS_SUCCESS) {
      append(render->pDmaBuffer, {HW_COMMAND(HW_OP_NOP, 2, 0, 0), ++number});
    }
    return status;
  }
  std::uint32_t number = 0;
};

TEST_F(OddDriver, RENDER002_ASerialNumberInTheOutputIsNoRace) {
  const std::string ids = fired<NumbersItsBuffers>(R"(
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 0, size: 4, value: 1}
- fill: {slot: 1, size: 4, value: 1}
- race: {input: command, offset: 12, value: 0}
- idle
)");

  EXPECT_EQ(ids, "");
  EXPECT_EQ(count<ev::InputChanged>(), 1u);
}

struct PadsWithThePattern final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (build->Operation == DXGK_OPERATION_FILL) {
      const std::uint32_t pattern = build->Fill.FillPattern;
      append(build->pDmaBuffer,
             {HW_COMMAND(HW_OP_NOP, 5, 0, 0), pattern, pattern, pattern, pattern});
    }
    return status;
  }
};

TEST_F(OddDriver, PAGE001_AnyPatternMayEndABuffer) {
  const std::string ids = fired<PadsWithThePattern>(R"(
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0xc9c9c9c9}
- idle
)");

  EXPECT_EQ(ids, "");
}

struct CopiesFromTheEnd final : Interposer {
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool between_segments = build->Operation == DXGK_OPERATION_TRANSFER &&
                                  build->Transfer.Source.SegmentId != 0 &&
                                  build->Transfer.Destination.SegmentId != 0;
    if (!between_segments) return Interposer::BuildPagingBuffer(adapter, build);
    DXGKARG_BUILDPAGINGBUFFER page = *build;
    page.Transfer.TransferSize = HW_PAGE_SIZE;
    for (SIZE_T at = build->Transfer.TransferSize; at != 0;) {
      at -= HW_PAGE_SIZE;
      const auto offset = static_cast<LONGLONG>(at);
      page.Transfer.Source.SegmentAddress.QuadPart =
          build->Transfer.Source.SegmentAddress.QuadPart + offset;
      page.Transfer.Destination.SegmentAddress.QuadPart =
          build->Transfer.Destination.SegmentAddress.QuadPart + offset;
      page.MultipassOffset = 0;
      const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, &page);
      if (status != STATUS_SUCCESS) return status;
    }
    build->pDmaBuffer = page.pDmaBuffer;
    return STATUS_SUCCESS;
  }
};

TEST_F(OddDriver, PAGE015_AnyOfSeveralPagesMayComeLastToTheDummyPage) {
  const std::string ids = fired<CopiesFromTheEnd>(R"(
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 16, value: 0x5a5a5a5a}
- map_aperture: {page: 5, pages: 2}
- unmap_aperture: {page: 5}
- idle
- transfer_segments: {source_segment: 1, segment: 2, source_page: 0, page: 5, pages: 2}
- idle
)");

  EXPECT_EQ(ids, "");
}

struct WritesResponsiveAlone final : Interposer {
  NTSTATUS QueryEngineStatus(HANDLE adapter, DXGKARG_QUERYENGINESTATUS* query) override {
    const DXGK_ENGINESTATUS found = query->EngineStatus;
    const NTSTATUS status = Interposer::QueryEngineStatus(adapter, query);
    const bool responsive = query->EngineStatus.Responsive != 0;
    query->EngineStatus = found;
    query->EngineStatus.Responsive = responsive;
    return status;
  }
};

TEST_F(OddDriver, ENGRST008_ReservedBitsMayBeLeftAsTheyWere) {
  EXPECT_FALSE(fires<WritesResponsiveAlone>("ENGRST-008"));
}

struct WritesNoEngineStatus final : Interposer {
  NTSTATUS QueryEngineStatus(HANDLE, DXGKARG_QUERYENGINESTATUS*) override { return STATUS_SUCCESS; }
};

TEST_F(OddDriver, ENGRST008_ResponsiveMayNotBeLeftAsItWas) {
  EXPECT_TRUE(fires<WritesNoEngineStatus>("ENGRST-008"));
}

}  // namespace
}  // namespace wddm::harness
