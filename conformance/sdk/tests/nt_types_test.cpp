// Sizes of the kernel objects and Windows base types that drivers embed, on 64-bit Windows.
//
// The numbers are those of the documented structures under the Microsoft x64 ABI.
#include <gtest/gtest.h>

#include <cstring>

#include "acpiioct.h"
#include "ntddk.h"
#include "windef.h"

namespace {

TEST(NtTypes, IntegersAreThoseOfLlp64) {
  EXPECT_EQ(sizeof(LONG), 4u);
  EXPECT_EQ(sizeof(ULONG), 4u);
  EXPECT_EQ(sizeof(NTSTATUS), 4u);
  EXPECT_EQ(sizeof(LONGLONG), 8u);
  EXPECT_EQ(sizeof(ULONG_PTR), 8u);
  EXPECT_EQ(sizeof(SIZE_T), 8u);
  EXPECT_EQ(sizeof(WCHAR), 2u);
  EXPECT_EQ(sizeof(BOOLEAN), 1u);
  EXPECT_EQ(sizeof(PHYSICAL_ADDRESS), 8u);
}

TEST(NtTypes, KernelObjectsHaveTheirSizes) {
  EXPECT_EQ(sizeof(KEVENT), 24u);
  EXPECT_EQ(sizeof(KSEMAPHORE), 32u);
  EXPECT_EQ(sizeof(KMUTEX), 56u);
  EXPECT_EQ(sizeof(KSPIN_LOCK), 8u);
  EXPECT_EQ(sizeof(KLOCK_QUEUE_HANDLE), 24u);
  EXPECT_EQ(sizeof(FAST_MUTEX), 56u);
  EXPECT_EQ(sizeof(KDPC), 64u);
  EXPECT_EQ(sizeof(KTIMER), 64u);
  EXPECT_EQ(sizeof(ERESOURCE), 104u);
  EXPECT_EQ(sizeof(WORK_QUEUE_ITEM), 32u);
  EXPECT_EQ(sizeof(SLIST_HEADER), 16u);
}

TEST(NtTypes, DescriptorsHaveTheirSizes) {
  EXPECT_EQ(sizeof(MDL), 48u);
  EXPECT_EQ(sizeof(UNICODE_STRING), 16u);
  EXPECT_EQ(sizeof(OBJECT_ATTRIBUTES), 48u);
  EXPECT_EQ(sizeof(IO_STATUS_BLOCK), 16u);
  EXPECT_EQ(sizeof(GUID), 16u);
  EXPECT_EQ(sizeof(LUID), 8u);
  EXPECT_EQ(sizeof(RTL_BITMAP), 16u);
  EXPECT_EQ(sizeof(RTL_QUERY_REGISTRY_TABLE), 56u);
  EXPECT_EQ(sizeof(INTERFACE), 32u);
}

TEST(NtTypes, ResourceListsArePackedToFourBytes) {
  EXPECT_EQ(sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 20u);
  EXPECT_EQ(offsetof(CM_RESOURCE_LIST, List[0].PartialResourceList.PartialDescriptors), 20u);
}

TEST(NtTypes, PciConfigurationSpaceHasItsLayout) {
  EXPECT_EQ(sizeof(PCI_COMMON_HEADER), 64u);
  EXPECT_EQ(sizeof(PCI_COMMON_CONFIG), 256u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type0.CapabilitiesPtr), 0x34u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type1.PrimaryBus), 0x18u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type1.CapabilitiesPtr), 0x34u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type1.BridgeControl), 0x3eu);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type2.CapabilitiesPtr), 0x14u);
  EXPECT_EQ(offsetof(PCI_COMMON_HEADER, u.type2.BridgeControl), 0x3eu);
}

TEST(NtTypes, PciCapabilitiesHaveTheirLayout) {
  EXPECT_EQ(sizeof(PCI_CAPABILITIES_HEADER), 2u);
  EXPECT_EQ(sizeof(PCI_PM_CAPABILITY), 8u);
  EXPECT_EQ(offsetof(PCI_PM_CAPABILITY, PMCSR), 4u);
  EXPECT_EQ(sizeof(PCI_EXPRESS_ENHANCED_CAPABILITY_HEADER), 4u);
  EXPECT_EQ(sizeof(PCI_EXPRESS_SERIAL_NUMBER_CAPABILITY), 12u);
  EXPECT_EQ(sizeof(PCI_EXPRESS_CAPABILITY), 0x34u);
  EXPECT_EQ(offsetof(PCI_EXPRESS_CAPABILITY, DeviceControl), 0x08u);
  EXPECT_EQ(offsetof(PCI_EXPRESS_CAPABILITY, LinkStatus), 0x12u);
  EXPECT_EQ(offsetof(PCI_EXPRESS_CAPABILITY, SlotCapabilities), 0x14u);
  EXPECT_EQ(offsetof(PCI_EXPRESS_CAPABILITY, RootStatus), 0x20u);
  EXPECT_EQ(offsetof(PCI_EXPRESS_CAPABILITY, LinkStatus2), 0x32u);
}

// As the registers number them, and not as a compiler likes to.
TEST(NtTypes, PciRegistersHaveTheirBitsWhereTheDeviceHasThem) {
  PCI_PMCSR state{};
  state.NoSoftReset = 1;
  state.PMEStatus = 1;
  USHORT word = 0;
  std::memcpy(&word, &state, sizeof word);
  EXPECT_EQ(word, 0x8008);
  PCI_EXPRESS_LINK_CAPABILITIES_REGISTER link{};
  link.MaximumLinkWidth = 16;
  link.PortNumber = 1;
  EXPECT_EQ(link.AsULONG, 0x01000100u);
  PCI_EXPRESS_DEVICE_CONTROL_REGISTER control{};
  control.InitiateFunctionLevelReset = 1;
  EXPECT_EQ(control.AsUSHORT, 0x8000);
  EXPECT_EQ(control.BridgeConfigRetryEnable, 1);
}

TEST(NtTypes, RegistryAnswersStartWhereWindowsPutsThem) {
  EXPECT_EQ(offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data), 12u);
  EXPECT_EQ(offsetof(KEY_VALUE_FULL_INFORMATION, Name), 20u);
  EXPECT_EQ(offsetof(KEY_BASIC_INFORMATION, Name), 16u);
}

TEST(NtTypes, ListsKeepTheirOrder) {
  LIST_ENTRY head, a, b, c;
  InitializeListHead(&head);
  InsertTailList(&head, &b);
  InsertTailList(&head, &c);
  InsertHeadList(&head, &a);
  EXPECT_FALSE(RemoveEntryList(&b));
  EXPECT_EQ(RemoveHeadList(&head), &a);
  EXPECT_EQ(RemoveTailList(&head), &c);
  EXPECT_TRUE(IsListEmpty(&head));
}

TEST(NtTypes, AppendedListsFollow) {
  LIST_ENTRY head, a, b, c;
  InitializeListHead(&head);
  InsertTailList(&head, &a);
  // The appended list has no head of its own.
  InitializeListHead(&b);
  InsertTailList(&b, &c);
  AppendTailList(&head, &b);
  EXPECT_EQ(RemoveHeadList(&head), &a);
  EXPECT_EQ(RemoveHeadList(&head), &b);
  EXPECT_EQ(RemoveHeadList(&head), &c);
  EXPECT_TRUE(IsListEmpty(&head));
}

TEST(NtTypes, ShortAcpiArgumentsTakeTheRoomOfAnInteger) {
  unsigned char buffer[32] = {};
  auto* argument = reinterpret_cast<PACPI_METHOD_ARGUMENT>(buffer);
  argument->DataLength = 2;
  EXPECT_EQ(reinterpret_cast<unsigned char*>(ACPI_METHOD_NEXT_ARGUMENT(argument)), buffer + 8);
  argument->DataLength = 9;
  EXPECT_EQ(reinterpret_cast<unsigned char*>(ACPI_METHOD_NEXT_ARGUMENT(argument)), buffer + 13);
}

}  // namespace
