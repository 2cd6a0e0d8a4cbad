// Was built for a display driver model of the future.
#include "hostile.h"

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->Version = 0x12001;
}
