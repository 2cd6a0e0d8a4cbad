// The reference driver was compiled to call this where it would call DxgkInitialize.
#include "hostile.h"

DRIVER_INITIALIZATION_DATA conforming;

extern "C" NTSTATUS HostileInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                      PDRIVER_INITIALIZATION_DATA table) {
  conforming = *table;
  make_hostile(table);
  return DxgkInitialize(object, path, table);
}
