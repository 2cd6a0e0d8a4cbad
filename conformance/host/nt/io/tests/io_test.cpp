// Request packets and devices.
#include <gtest/gtest.h>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(Irp, RequestToNobodyCompletesAndSignals) {
  NTSTATUS status = 0;
  IO_STATUS_BLOCK block{};
  LONG signaled = 0;
  const Recorder seen = run_machine([&] {
    DEVICE_OBJECT device{};
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    PIRP irp =
        IoBuildDeviceIoControlRequest(1, &device, nullptr, 0, nullptr, 0, FALSE, &event, &block);
    status = IoCallDriver(&device, irp);
    signaled = KeReadStateEvent(&event);
    report_leaks();
  });
  EXPECT_EQ(status, STATUS_NOT_SUPPORTED);
  EXPECT_EQ(block.Status, STATUS_NOT_SUPPORTED);
  EXPECT_EQ(signaled, 1);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

NTSTATUS dispatch(PDEVICE_OBJECT, PIRP irp) {
  irp->IoStatus.Status = STATUS_SUCCESS;
  irp->IoStatus.Information = IoGetCurrentIrpStackLocation(irp)->MajorFunction;
  IoCompleteRequest(irp, IO_NO_INCREMENT);
  return STATUS_SUCCESS;
}

NTSTATUS keep(PDEVICE_OBJECT, PIRP, PVOID context) {
  ++*static_cast<int*>(context);
  return STATUS_MORE_PROCESSING_REQUIRED;
}

TEST(Irp, DispatchAndCompletionRoutineSeeTheRequest) {
  int completions = 0;
  ULONG_PTR information = 0;
  const Recorder seen = run_machine([&] {
    DRIVER_OBJECT driver{};
    driver.MajorFunction[IRP_MJ_WRITE] = dispatch;
    DEVICE_OBJECT device{};
    device.DriverObject = &driver;
    PIRP irp = IoAllocateIrp(1, FALSE);
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_WRITE;
    IoSetCompletionRoutine(irp, keep, &completions, TRUE, TRUE, TRUE);
    IoCallDriver(&device, irp);
    information = irp->IoStatus.Information;
    IoFreeIrp(irp);
    report_leaks();
  });
  EXPECT_EQ(completions, 1);
  EXPECT_EQ(information, ULONG_PTR{IRP_MJ_WRITE});
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Irp, PacketWithoutLocationsIsFound) {
  const Recorder seen = run_machine([&] {
    DEVICE_OBJECT device{};
    PIRP irp = IoAllocateIrp(1, FALSE);
    irp->CurrentLocation = 1;
    IoCallDriver(&device, irp);
    IoFreeIrp(irp);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(Irp, LeakIsFound) {
  const Recorder seen = run_machine([&] {
    static_cast<void>(IoAllocateIrp(1, FALSE));
    report_leaks();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 I/O request packet left");
}

TEST(Irp, AllocationFailsWhenAsked) {
  PIRP plain = nullptr, built = nullptr, behind = nullptr;
  const Recorder seen = run_machine([&] {
    DEVICE_OBJECT device{};
    IO_STATUS_BLOCK block{};
    fail_pool(1, false);
    plain = IoAllocateIrp(1, FALSE);
    fail_pool(1, false);
    built =
        IoBuildDeviceIoControlRequest(1, &device, nullptr, 0, nullptr, 0, FALSE, nullptr, &block);
    behind = IoAllocateIrp(1, FALSE);
    IoFreeIrp(behind);
    report_leaks();
  });
  EXPECT_EQ(plain, nullptr);
  EXPECT_EQ(built, nullptr);
  EXPECT_NE(behind, nullptr) << "one alone fails";
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Device, PropertyTellsTheLengthItNeeds) {
  NTSTATUS small = 0;
  NTSTATUS enough = -1;
  ULONG needed = 0;
  WCHAR text[16] = {};
  run_machine([&] {
    small = IoGetDeviceProperty(nullptr, DevicePropertyEnumeratorName, 0, nullptr, &needed);
    enough = IoGetDeviceProperty(nullptr, DevicePropertyEnumeratorName, needed, text, &needed);
  });
  EXPECT_EQ(small, STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(enough, STATUS_SUCCESS);
  EXPECT_EQ(std::u16string(text), u"PCI");
  EXPECT_EQ(needed, 8u);
}

TEST(Device, PropertyThatThereIsNotIsAnInvalidParameter) {
  NTSTATUS unknown = STATUS_SUCCESS;
  NTSTATUS absent = STATUS_SUCCESS;
  ULONG needed = 0;
  run_machine([&] {
    unknown = IoGetDeviceProperty(nullptr, static_cast<DEVICE_REGISTRY_PROPERTY>(23), 0, nullptr,
                                  &needed);
    absent = IoGetDeviceProperty(nullptr, DevicePropertyUINumber, 0, nullptr, &needed);
  });
  EXPECT_EQ(unknown, STATUS_INVALID_PARAMETER_2);
  EXPECT_EQ(absent, STATUS_OBJECT_NAME_NOT_FOUND);
}

TEST(Device, HardwareIdsAreAListThatEndsEmpty) {
  ULONG bytes = 0;
  WCHAR ids[64] = {};
  run_machine([&] {
    set_pci_identity(0x1af4, 0x0be7);
    static_cast<void>(
        IoGetDeviceProperty(nullptr, DevicePropertyHardwareID, sizeof(ids), ids, &bytes));
  });
  EXPECT_EQ(std::u16string(ids, bytes / sizeof(WCHAR)),
            std::u16string(u"PCI\\VEN_1AF4&DEV_0BE7\0PCI\\VEN_1AF4&DEV_0BE7&CC_0300\0\0", 53));
}

TEST(Device, ReferencesToAHostObjectAreCounted) {
  DEVICE_OBJECT device{};
  const Recorder seen = run_machine([&] {
    add_host_object(HostObject::Device, &device);
    ObReferenceObject(&device);
    ObDereferenceObject(&device);
    ObReferenceObject(&device);
    report_leaks();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 device reference left");
}

TEST(Device, HostObjectCannotBeDereferencedAway) {
  DEVICE_OBJECT device{};
  const Recorder seen = run_machine([&] {
    add_host_object(HostObject::Device, &device);
    ObDereferenceObject(&device);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::ReferenceUnderflow});
}

TEST(Device, UnknownFileCannotBeOpened) {
  NTSTATUS status = 0;
  HANDLE handle = &status;
  run_machine([&] {
    OBJECT_ATTRIBUTES attributes{};
    IO_STATUS_BLOCK block;
    status = ZwCreateFile(&handle, GENERIC_READ, &attributes, &block, nullptr, 0, 0, FILE_OPEN, 0,
                          nullptr, 0);
  });
  EXPECT_EQ(status, STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(handle, nullptr);
}

}  // namespace
}  // namespace wddm::nt
