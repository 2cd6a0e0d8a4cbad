// Good page tables, and one wrong word of what they are like: the value Lie of the service key says
// which.
#include "hostile.h"

// As page_table_lies_test.cpp numbers them.
enum : ULONG {
  ONE_LEVEL = 1,
  SEVEN_LEVELS,
  ONE_BIT_TOO_MANY,
  ENDLESS_BITS,
  PART_OF_A_PAGE,
  NO_SUCH_SEGMENT,
  EMPTY_ROOT,
  ENDLESS_ROOT
};

static ULONG lie;

static void read_lie() {
  OBJECT_ATTRIBUTES attributes;
  HANDLE key = nullptr;
  InitializeObjectAttributes(&attributes, service_key, OBJ_KERNEL_HANDLE, nullptr, nullptr);
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return;
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, L"Lie");
  alignas(8) UCHAR room[64] = {};
  auto* const value = reinterpret_cast<KEY_VALUE_PARTIAL_INFORMATION*>(room);
  ULONG needed = 0;
  if (NT_SUCCESS(
          ZwQueryValueKey(key, &name, KeyValuePartialInformation, value, sizeof room, &needed)) &&
      value->Type == REG_DWORD) {
    RtlCopyMemory(&lie, value->Data, sizeof lie);
  }
  ZwClose(key);
}

static void lie_about(DXGK_GPUMMUCAPS* caps) {
  if (lie == ONE_LEVEL) caps->PageTableLevelCount = 1;
  if (lie == SEVEN_LEVELS) caps->PageTableLevelCount = 7;
  if (lie == ONE_BIT_TOO_MANY) ++caps->VirtualAddressBitCount;
}

static void lie_about(DXGK_PAGE_TABLE_LEVEL_DESC* level) {
  if (lie == ENDLESS_BITS) level->PageTableIndexBitCount = ~0u;
  if (lie == PART_OF_A_PAGE) level->PageTableSizeInBytes += 1;
  if (lie == NO_SUCH_SEGMENT) level->PageTableSegmentId = 20;
}

static NTSTATUS query(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  const NTSTATUS status = conforming.DxgkDdiQueryAdapterInfo(adapter, args);
  if (!NT_SUCCESS(status)) return status;
  if (args->Type == DXGKQAITYPE_GPUMMUCAPS) {
    lie_about(static_cast<DXGK_GPUMMUCAPS*>(args->pOutputData));
  }
  if (args->Type == DXGKQAITYPE_PAGETABLELEVELDESC) {
    lie_about(static_cast<DXGK_PAGE_TABLE_LEVEL_DESC*>(args->pOutputData));
  }
  return status;
}

static SIZE_T root_size(IN_CONST_HANDLE adapter, DXGKARG_GETROOTPAGETABLESIZE* args) {
  const SIZE_T bytes = conforming.DxgkDdiGetRootPageTableSize(adapter, args);
  if (lie == EMPTY_ROOT) return 0;
  return lie == ENDLESS_ROOT ? SIZE_T{1} << 63 : bytes;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  read_lie();
  table->DxgkDdiQueryAdapterInfo = query;
  table->DxgkDdiGetRootPageTableSize = root_size;
}
