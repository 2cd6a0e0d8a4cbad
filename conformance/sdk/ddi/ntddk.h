// What drivers include for kernel services. The host draws no line between wdm.h and ntddk.h,
// but for PCI Express, whose enumerators drivers that include wdm.h alone may have of their own.
#ifndef WDDM_DDI_NTDDK_H
#define WDDM_DDI_NTDDK_H

#include "nt/pci_express.h"
#include "wdm.h"

#endif
