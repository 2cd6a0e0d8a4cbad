// How drivers look for their resources: from the list down, by index in both arrays.
#include <dispmprt.h>
#include <ntddk.h>

// The test hands over the list for a driver object; returns the length of all resources.
NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  PCM_RESOURCE_LIST list = (PCM_RESOURCE_LIST)DriverObject;
  ULONG length = 0;
  ULONG i, j;
  UNREFERENCED_PARAMETER(RegistryPath);
  for (i = 0; i < list->Count; i++) {
    for (j = 0; j < list->List[i].PartialResourceList.Count; j++) {
      length += list->List[i].PartialResourceList.PartialDescriptors[j].u.Memory.Length;
    }
  }
  return (NTSTATUS)length;
}
