// What drivers include for kernel services. The host draws no line between wdm.h and ntddk.h.
#ifndef WDDM_DDI_NTDDK_H
#define WDDM_DDI_NTDDK_H

#include "wdm.h"

#endif
