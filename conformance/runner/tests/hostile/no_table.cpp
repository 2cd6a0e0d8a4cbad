// Registers a table in which nothing is filled in but the version.
#include "hostile.h"

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  const ULONG version = table->Version;
  RtlZeroMemory(table, sizeof *table);
  table->Version = version;
}
