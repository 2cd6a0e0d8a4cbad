// Drivers that call Dxgkrnl behind StopDevice: which callbacks still do something there.
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/life/replaced_callbacks.h"

namespace wddm::harness {
namespace {

constexpr auto kMapRegisters = &DXGKRNL_INTERFACE::DxgkCbMapMemory;

PHYSICAL_ADDRESS g_registers;  // what StartDevice has mapped last
ULONG g_bytes = 0;
NTSTATUS g_status = STATUS_SUCCESS;  // what Dxgkrnl answered in RemoveDevice

NTSTATUS APIENTRY note_and_map(HANDLE adapter, PHYSICAL_ADDRESS address, ULONG bytes, BOOLEAN io,
                               BOOLEAN user, MEMORY_CACHING_TYPE caching, PVOID* mapped) {
  g_registers = address;
  g_bytes = bytes;
  return callbacks::given<kMapRegisters>(adapter, address, bytes, io, user, caching, mapped);
}

class BehindStop : public ReplayTest {
 protected:
  template <class Kind>
  bool fires() {
    const Fault fault = fault_of<Kind>();
    return says(run(scenario_of("ops:\n- start\n- stop\n- remove\n"), &fault), "LIFE-003");
  }
};

// A driver that looks at its registers once more before it goes, and lets go of them.
class MapsToRemove final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    callbacks::given<kMapRegisters> = table->DxgkCbMapMemory;
    table->DxgkCbMapMemory = note_and_map;
    dxgkrnl_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS RemoveDevice(PVOID miniport) override {
    PVOID mapped = nullptr;
    g_status = callbacks::given<kMapRegisters>(dxgkrnl_.DeviceHandle, g_registers, g_bytes, FALSE,
                                               FALSE, MmNonCached, &mapped);
    if (mapped != nullptr) dxgkrnl_.DxgkCbUnmapMemory(dxgkrnl_.DeviceHandle, mapped);
    return Interposer::RemoveDevice(miniport);
  }

 private:
  DXGKRNL_INTERFACE dxgkrnl_{};
};

TEST_F(BehindStop, NothingIsMapped) {
  EXPECT_TRUE(fires<MapsToRemove>());
  EXPECT_EQ(g_status, STATUS_SUCCESS);
}

BOOLEAN APIENTRY touch_nothing(PVOID called) {
  *static_cast<bool*>(called) = true;
  return TRUE;
}
bool g_synchronized = false;

class SynchronizesToRemove final : public Interposer {
 public:
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    dxgkrnl_ = *table;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS RemoveDevice(PVOID miniport) override {
    BOOLEAN result = TRUE;
    g_status = dxgkrnl_.DxgkCbSynchronizeExecution(dxgkrnl_.DeviceHandle, touch_nothing,
                                                   &g_synchronized, 0, &result);
    return Interposer::RemoveDevice(miniport);
  }

 private:
  DXGKRNL_INTERFACE dxgkrnl_{};
};

// By its page it says that no interrupt is connected, which is no fault of the driver's.
TEST_F(BehindStop, NothingIsSynchronized) {
  EXPECT_FALSE(fires<SynchronizesToRemove>());
  EXPECT_EQ(g_status, STATUS_UNSUCCESSFUL);
  EXPECT_FALSE(g_synchronized);
}

}  // namespace
}  // namespace wddm::harness
