// Asserts that its static variables are as the image was built: not hostile at all.
#include "hostile.h"

void make_hostile(DRIVER_INITIALIZATION_DATA*) {
  static BOOLEAN entered = FALSE;
  NT_ASSERT(!entered);
  entered = TRUE;
}
