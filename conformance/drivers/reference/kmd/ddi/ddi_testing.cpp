// Interfaces that Dxgkrnl asks for by GUID: features, of which there is kernel-mode testing, and
// its one function. PASSIVE_LEVEL, pageable.
//
// A test command is what user mode would write for it: slots, a constant, one command, and the
// slots empty again. Like any buffer of user mode it is not looked at before it runs; its private
// data is.

// Before others, so that the GUID is defined here.
#include <initguid.h>

#include "driver_ddis.h"
#include "../kmd_addressing.h"

#pragma code_seg("PAGE")

namespace reference_kmd {

namespace {

constexpr DXGK_FEATURE_VERSION kVersion = 1;
constexpr ULONG kMostWords = 24;

// What lives as long as the driver counts no references.
VOID keep_interface(PVOID) {}

class TestWriter {
 public:
  void set_base(ULONG slot, ULONGLONG address) {
    put(HW_COMMAND(HW_OP_SET_BASE, HW_WORDS_SET_BASE, slot, 0));
    put(0);
    put(static_cast<ULONG>(address));
    put(static_cast<ULONG>(address >> 32));
  }
  void clear_base(ULONG slot) {
    put(HW_COMMAND(HW_OP_CLEAR_BASE, HW_WORDS_CLEAR_BASE, slot, 0));
    for (ULONG i = 1; i < HW_WORDS_CLEAR_BASE; ++i) put(0);
  }
  void fill(const D3DDDI_TESTCOMMANDBUFFER_FILL& command) {
    set_base(0, command.DstAddress);
    put(HW_COMMAND(HW_OP_LOAD_CONSTANT, HW_WORDS_LOAD_CONSTANT, 0, 0));
    put(command.Pattern);
    put(HW_COMMAND(HW_OP_FILL, HW_WORDS_FILL, 0, 0));
    put(0);
    put(command.NumBytes);
    clear_base(0);
  }
  void copy(const D3DDDI_TESTCOMMANDBUFFER_COPY& command) {
    set_base(0, command.DstAddress);
    set_base(1, command.SrcAddress);
    put(HW_COMMAND(HW_OP_COPY, HW_WORDS_COPY, 0, 1));
    put(0);
    put(0);
    put(command.NumBytes);
    clear_base(0);
    clear_base(1);
  }
  const ULONG* words() const { return words_; }
  ULONG bytes() const { return count_ * sizeof(ULONG); }

 private:
  void put(ULONG word) { words_[count_++] = word; }

  ULONG words_[kMostWords];
  ULONG count_ = 0;
};

}  // namespace

NTSTATUS ddi_query_interface(IN_CONST_PVOID, IN_PQUERY_INTERFACE QueryInterface) {
  PAGED_CODE();
  if (!tests_in_kernel_mode() ||
      !IsEqualGUID(*QueryInterface->InterfaceType, GUID_WDDM_INTERFACE_FEATURE) ||
      QueryInterface->Version != DXGK_FEATURE_INTERFACE_VERSION_1 ||
      QueryInterface->Size < sizeof(DXGKDDI_FEATURE_INTERFACE)) {
    return STATUS_NOT_SUPPORTED;
  }
  auto* features = reinterpret_cast<DXGKDDI_FEATURE_INTERFACE*>(QueryInterface->Interface);
  RtlZeroMemory(features, sizeof *features);
  features->Size = sizeof *features;
  features->Version = DXGK_FEATURE_INTERFACE_VERSION_1;
  features->InterfaceReference = keep_interface;
  features->InterfaceDereference = keep_interface;
  features->QueryFeatureSupport = ddi_query_feature_support;
  features->QueryFeatureInterface = ddi_query_feature_interface;
  return STATUS_SUCCESS;
}

NTSTATUS ddi_query_feature_support(IN_CONST_HANDLE, INOUT_PDXGKARG_QUERYFEATURESUPPORT pArgs) {
  PAGED_CODE();
  const bool known = pArgs->FeatureId == DXGK_FEATURE_KERNEL_MODE_TESTING;
  pArgs->MinSupportedVersion = pArgs->MaxSupportedVersion = known ? kVersion : 0;
  pArgs->SupportedByDriver = pArgs->SupportedOnCurrentConfig = known;
  return STATUS_SUCCESS;
}

NTSTATUS ddi_query_feature_interface(IN_CONST_HANDLE, INOUT_PDXGKARG_QUERYFEATUREINTERFACE pArgs) {
  PAGED_CODE();
  DXGKDDI_KERNELMODETESTINGINTERFACE testing = {};
  if (pArgs->FeatureId != DXGK_FEATURE_KERNEL_MODE_TESTING || pArgs->Version != kVersion) {
    return STATUS_NOT_SUPPORTED;
  }
  if (pArgs->InterfaceSize < sizeof testing) return STATUS_BUFFER_TOO_SMALL;
  testing.pfnBuildTestCommandBuffer = ddi_build_test_command_buffer;
  RtlCopyMemory(pArgs->Interface, &testing, sizeof testing);
  pArgs->InterfaceSize = sizeof testing;
  return STATUS_SUCCESS;
}

// Every node has these commands.
NTSTATUS ddi_build_test_command_buffer(IN_CONST_HANDLE,
                                       INOUT_PDXGKARG_BUILDTESTCOMMANDBUFFER pArgs) {
  PAGED_CODE();
  if (pArgs->hContext == nullptr || pArgs->Flags.Value != 0) return STATUS_INVALID_PARAMETER;
  TestWriter writer;
  switch (pArgs->Command.Operation) {
    case D3DDDI_TESTCOMMANDBUFFEROP_FILL:
      writer.fill(pArgs->Command.Fill);
      break;
    case D3DDDI_TESTCOMMANDBUFFEROP_COPY:
      writer.copy(pArgs->Command.Copy);
      break;
    default:
      return STATUS_NOT_SUPPORTED;
  }
  const UmdSubmissionData data = {UMD_SUBMISSION_MAGIC, UMD_VERSION, writer.bytes(), 0};
  const bool fits = pArgs->pDmaBuffer != nullptr && pArgs->DmaBufferSize >= writer.bytes() &&
                    pArgs->pDmaBufferPrivateData != nullptr &&
                    pArgs->DmaBufferPrivateDataSize >= sizeof data;
  pArgs->DmaBufferSize = writer.bytes();
  pArgs->DmaBufferPrivateDataSize = sizeof data;
  if (!fits) return STATUS_BUFFER_OVERFLOW;
  RtlCopyMemory(pArgs->pDmaBuffer, writer.words(), writer.bytes());
  RtlCopyMemory(pArgs->pDmaBufferPrivateData, &data, sizeof data);
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
