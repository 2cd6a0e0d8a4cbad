// The reference driver was compiled to call this where it would call DxgkInitialize.
#include "hostile.h"

DRIVER_INITIALIZATION_DATA conforming;
PUNICODE_STRING service_key;

extern "C" NTSTATUS HostileInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                      PDRIVER_INITIALIZATION_DATA table) {
  conforming = *table;
  service_key = path;
  make_hostile(table);
  return DxgkInitialize(object, path, table);
}
