// Drivers that go wrong at a start that is not the first, or not a good one, or when power comes
// back: a clause says so in its own scenario.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/life/replaced_callbacks.h"

namespace wddm::harness {
namespace {

class StartingFaults : public ReplayTest {};

/// Takes as many packets of a node as its ring has room for.
struct Rings : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    announced(info->RequiredDmaQueueEntry);
    held_.clear();
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    std::vector<UINT>& held = held_[submit->NodeOrdinal];
    if (held.size() >= room(submit->NodeOrdinal)) return STATUS_NO_MEMORY;
    held.push_back(submit->SubmissionFenceId);
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      std::vector<UINT>& held = held_[data->DmaCompleted.NodeOrdinal];
      const auto last = std::find(held.begin(), held.end(), data->DmaCompleted.SubmissionFenceId);
      if (last != held.end()) held.erase(held.begin(), last + 1);
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  virtual void announced(UINT) {}
  virtual std::size_t room(UINT node) = 0;
  std::map<UINT, std::vector<UINT>> held_;
};

struct RingsOfTheFirstStart final : Rings {
  void announced(UINT packets) override {
    if (packets_ == 0) packets_ = packets;
  }
  std::size_t room(UINT) override { return packets_; }
  std::size_t packets_ = 0;
};

TEST_F(StartingFaults, ALargerQueueAtALaterStart) {
  EXPECT_TRUE(fires<RingsOfTheFirstStart>("LIFE-005"));
}

struct ShortRingBesideTheFirst final : Rings {
  std::size_t room(UINT node) override { return node == 0 ? 64 : 16; }
};

TEST_F(StartingFaults, AQueueOfTheOtherNode) {
  EXPECT_TRUE(fires<ShortRingBesideTheFirst>("LIFE-005"));
}

// It maps two ranges, and where the second fails the first is left behind.
constexpr auto kMapMemory = &DXGKRNL_INTERFACE::DxgkCbMapMemory;
PVOID g_first_range = nullptr;

NTSTATUS APIENTRY maps_two(HANDLE device, PHYSICAL_ADDRESS address, ULONG length, BOOLEAN io_space,
                           BOOLEAN user_mode, MEMORY_CACHING_TYPE cache, PVOID* mapped) {
  const auto map = callbacks::given<kMapMemory>;
  const NTSTATUS status = map(device, address, length, io_space, user_mode, cache, &g_first_range);
  return NT_SUCCESS(status) ? map(device, address, length, io_space, user_mode, cache, mapped)
                            : status;
}
struct LeavesTheFirstRange final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    g_first_range = nullptr;
    callbacks::given<kMapMemory> = table->DxgkCbMapMemory;
    table->DxgkCbMapMemory = maps_two;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS UnmapMemory(HANDLE device, PVOID address) override {
    if (PVOID const first = std::exchange(g_first_range, nullptr); first != nullptr) {
      static_cast<void>(Interposer::UnmapMemory(device, first));
    }
    return Interposer::UnmapMemory(device, address);
  }
};

TEST_F(StartingFaults, AStartWhoseSecondMappingFails) {
  EXPECT_TRUE(fires<LeavesTheFirstRange>("LIFE-003"));
}

// Of the GPU that does not lead the link one engine is forgotten.
struct OneEngineStaysDown final : Interposer {
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    was_off_ |= state != PowerDeviceD0;
    return Interposer::SetPowerState(context, device, state, action);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const bool stays_down = was_off_ && submit->EngineOrdinal == 1 && submit->NodeOrdinal == 1;
    return stays_down ? STATUS_SUCCESS : Interposer::SubmitCommandVirtual(adapter, submit);
  }
  bool was_off_ = false;
};

TEST_F(StartingFaults, PowerOfEveryEngineOfALink) {
  EXPECT_TRUE(fires<OneEngineStaysDown>("MCDM-036", Configured::Linked));
}

// None of these clauses fires without a fault.
TEST_F(StartingFaults, None) {
  EXPECT_FALSE(fires<Interposer>("LIFE-003"));
  EXPECT_FALSE(fires<Interposer>("LIFE-005"));
  EXPECT_FALSE(fires<Interposer>("MCDM-036", Configured::Linked));
}

}  // namespace
}  // namespace wddm::harness
