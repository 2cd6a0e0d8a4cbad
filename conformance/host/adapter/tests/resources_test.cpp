// What a starting driver is told of the machine.
#include "conformance/host/adapter/objects/resources.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class ResourcesTest : public HostTest {
 protected:
  /// The resource descriptors, in order.
  static std::vector<CM_PARTIAL_RESOURCE_DESCRIPTOR> descriptors(const DXGK_DEVICE_INFO& info) {
    const CM_PARTIAL_RESOURCE_LIST& list = info.TranslatedResourceList->List[0].PartialResourceList;
    std::vector<CM_PARTIAL_RESOURCE_DESCRIPTOR> all(list.Count);
    if (!all.empty()) std::memcpy(all.data(), list.PartialDescriptors, list.Count * sizeof(all[0]));
    return all;
  }
  static DXGK_DEVICE_INFO describe(const World& world) {
    return device_information(world.bus, nullptr, nullptr, service_key_path());
  }
  FakeDevice gpu;
};

TEST_F(ResourcesTest, BarsAndInterruptAreTheResources) {
  gpu.bars[2] = {.size = 4096, .memory = 1, .reports_writes = 0};
  device = &gpu.table;
  on_machine([&](World& world) {
    const auto all = descriptors(describe(world));
    ASSERT_EQ(all.size(), 3u) << "BAR 1 is not there";
    EXPECT_EQ(all[0].Type, CmResourceTypeMemory);
    EXPECT_EQ(all[0].u.Memory.Length, 8192u);
    EXPECT_EQ(all[0].u.Memory.Start.QuadPart,
              static_cast<LONGLONG>(world.bus.bars()[0].bus_address));
    EXPECT_EQ(all[1].u.Memory.Length, 4096u);
    EXPECT_EQ(all[2].Type, CmResourceTypeInterrupt);
    EXPECT_EQ(all[2].u.Interrupt.Level, ULONG{nt::kDirql});
  });
}

TEST_F(ResourcesTest, OfADeviceThatLiesElsewhereAllAreOthers) {
  device = &gpu.table;
  on_machine([&](World& world) {
    const auto before = descriptors(describe(world));
    ASSERT_TRUE(world.bus.move());
    const auto after = descriptors(describe(world));
    ASSERT_EQ(after.size(), before.size());
    EXPECT_TRUE(after.front().u.Memory.Start.QuadPart != before.front().u.Memory.Start.QuadPart);
    EXPECT_TRUE(after.back().u.Interrupt.Vector != before.back().u.Interrupt.Vector);
    EXPECT_TRUE(after.back().u.Interrupt.Level == before.back().u.Interrupt.Level);
  });
}

TEST_F(ResourcesTest, MessagesOfOneAddressAreOneResource) {
  gpu.table.messages = 4;
  device = &gpu.table;
  on_machine([&](World& world) {
    const auto all = descriptors(describe(world));
    ASSERT_EQ(all.size(), 2u) << "a BAR, and the messages";
    EXPECT_EQ(all[1].Type, CmResourceTypeInterrupt);
    EXPECT_EQ(all[1].Flags, CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE);
    EXPECT_EQ(all[1].u.MessageInterrupt.Translated.Level, ULONG{nt::kDirql});
  });
}

TEST_F(ResourcesTest, MessagesOfATableAreOneEach) {
  gpu.table.messages = 40;
  gpu.table.message_table = 1;
  device = &gpu.table;
  on_machine([&](World& world) {
    const auto all = descriptors(describe(world));
    ASSERT_EQ(all.size(), 41u);
    EXPECT_EQ(all.back().Flags, CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE);
    EXPECT_EQ(all[40].u.MessageInterrupt.Translated.Vector,
              all[1].u.MessageInterrupt.Translated.Vector + 39);
  });
}

TEST_F(ResourcesTest, WithoutADeviceThereAreNone) {
  on_machine([&](World& world) { EXPECT_TRUE(descriptors(describe(world)).empty()); });
}

TEST_F(ResourcesTest, MemoryOfTheMachineIsSystemMemory) {
  on_machine([&](World& world) {
    const DXGK_DEVICE_INFO info = describe(world);
    EXPECT_EQ(info.SystemMemorySize.QuadPart, static_cast<LONGLONG>(memory::system_memory_bytes()));
    EXPECT_GE(info.HighestPhysicalAddress.QuadPart + 1, info.SystemMemorySize.QuadPart);
  });
}

TEST_F(ResourcesTest, ServiceKeyIsOneOfTheServices) {
  const UNICODE_STRING path = service_key_path();
  const std::u16string text(reinterpret_cast<const char16_t*>(path.Buffer), path.Length / 2);
  EXPECT_EQ(text, u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\wddmcheck");
  EXPECT_EQ(path.MaximumLength, path.Length + 2u) << "with its end";
}

TEST_F(ResourcesTest, ReservedMembersThatAreFilledAreCounted) {
  DRIVER_INITIALIZATION_DATA data{};
  EXPECT_EQ(count_reserved_members(data), 0u);
  data.Version = DXGKDDI_INTERFACE_VERSION_WIN7;
  data.DxgkDdiDescribePageTable = &data;
  data.DxgkDdiMovePageDirectory = &data;
  EXPECT_EQ(count_reserved_members(data), 2u);
  data.Reserved1 = &data;
  EXPECT_EQ(count_reserved_members(data), 2u);
  data.Version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  EXPECT_EQ(count_reserved_members(data), 3u);
}

}  // namespace
}  // namespace wddm::host
