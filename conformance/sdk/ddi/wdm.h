// The kernel services and types that hosted drivers may use. Every function declared here is an
// import that the host offers or, where it doesn't, reports.
#ifndef WDDM_DDI_WDM_H
#define WDDM_DDI_WDM_H

#include "bugcodes.h"
#include "nt/debug.h"
#include "nt/interlocked.h"
#include "nt/io.h"
#include "nt/io_types.h"
#include "nt/lists.h"
#include "nt/memory.h"
#include "nt/objects.h"
#include "nt/pci.h"
#include "nt/pool.h"
#include "nt/power.h"
#include "nt/processors.h"
#include "nt/registers.h"
#include "nt/registry.h"
#include "nt/resources.h"
#include "nt/rtl.h"
#include "nt/synchronization.h"
#include "nt/time.h"
#include "nt/types.h"
#include "ntdef.h"
#include "ntstatus.h"
#include "seh.h"

#define NTDDI_WIN7 0x06010000
#define NTDDI_WIN8 0x06020000
#define NTDDI_WINBLUE 0x06030000
#define NTDDI_WIN10 0x0A000000
#define NTDDI_WIN10_RS1 0x0A000002
#define NTDDI_WIN10_RS2 0x0A000003
#define NTDDI_WIN10_RS3 0x0A000004
#define NTDDI_WIN10_RS4 0x0A000005
#define NTDDI_WIN10_RS5 0x0A000006
#define NTDDI_WIN10_19H1 0x0A000007
#define NTDDI_WIN10_VB 0x0A000008
#ifndef NTDDI_VERSION
#define NTDDI_VERSION NTDDI_WIN10_VB
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif

#endif
