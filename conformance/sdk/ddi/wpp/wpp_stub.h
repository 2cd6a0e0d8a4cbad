// WPP tracing without tracing: what `.tmh` files and drivers expect to exist.
//
// Trace messages are dropped. What a configuration hangs on them is not: a `WPP_..._POST` macro of
// the driver (assertions, break points) runs as it does on Windows; see tmh_from_config.cmake.
#ifndef WDDM_DDI_WPP_STUB_H
#define WDDM_DDI_WPP_STUB_H

#include "../wdm.h"

#define TRACE_LEVEL_NONE 0
#define TRACE_LEVEL_CRITICAL 1
#define TRACE_LEVEL_FATAL 1
#define TRACE_LEVEL_ERROR 2
#define TRACE_LEVEL_WARNING 3
#define TRACE_LEVEL_INFORMATION 4
#define TRACE_LEVEL_VERBOSE 5
#define TRACE_LEVEL_RESERVED6 6
#define TRACE_LEVEL_RESERVED7 7
#define TRACE_LEVEL_RESERVED8 8
#define TRACE_LEVEL_RESERVED9 9

#define DoTraceMessage(...) ((void)0)
#define DoTraceLevelMessage(...) ((void)0)
#define DoDebugTrace(...) ((void)0)
#define WPP_INIT_TRACING(...) ((void)0)
#define WPP_CLEANUP(...) ((void)0)
#define WPP_LEVEL_ENABLED(flags) 0
#define WPP_FLAG_ENABLED(flags) 0

// Each control GUID defines its bits as constants, so that POST macros can compare them.
#define WPP_DEFINE_CONTROL_GUID(name, guid, bits) enum { WPP_CONTROL_FIRST_##name, bits };
#define WPP_DEFINE_BIT(bit) WPP_BIT_##bit,

typedef struct _RECORDER_CONFIGURE_PARAMS {
  ULONG Size;
  BOOLEAN CreateDefaultLog;
  BOOLEAN UseTimeStamp;
  BOOLEAN PrintTimeStamp;
  BOOLEAN PrintSequenceNumber;
} RECORDER_CONFIGURE_PARAMS, *PRECORDER_CONFIGURE_PARAMS;
typedef struct _WDDM_RECORDER_LOG* RECORDER_LOG;
typedef struct _RECORDER_LOG_CREATE_PARAMS {
  ULONG Size;
  ULONG TotalBufferSize;
  ULONG ErrorPartitionSize;
  BOOLEAN LargeIndexBuffer;
  CHAR LogIdentifier[16];
} RECORDER_LOG_CREATE_PARAMS, *PRECORDER_LOG_CREATE_PARAMS;

FORCEINLINE VOID RECORDER_CONFIGURE_PARAMS_INIT(PRECORDER_CONFIGURE_PARAMS Params) {
  RtlZeroMemory(Params, sizeof(*Params));
  Params->Size = sizeof(*Params);
  Params->CreateDefaultLog = TRUE;
}
FORCEINLINE VOID RECORDER_LOG_CREATE_PARAMS_INIT(PRECORDER_LOG_CREATE_PARAMS Params,
                                                 PCSTR Identifier) {
  (void)Identifier;
  RtlZeroMemory(Params, sizeof(*Params));
  Params->Size = sizeof(*Params);
}
FORCEINLINE VOID WppRecorderConfigure(PRECORDER_CONFIGURE_PARAMS Params) {
  (void)Params;
}
FORCEINLINE NTSTATUS WppRecorderLogCreate(PRECORDER_LOG_CREATE_PARAMS Params, RECORDER_LOG* Log) {
  (void)Params;
  *Log = 0;
  return STATUS_SUCCESS;
}
FORCEINLINE VOID WppRecorderLogDelete(RECORDER_LOG Log) {
  (void)Log;
}
FORCEINLINE RECORDER_LOG WppRecorderLogGetDefault(void) {
  return 0;
}
FORCEINLINE BOOLEAN WppRecorderIsDefaultLogAvailable(void) {
  return FALSE;
}

// Drivers assign to the filter of a flag.
static BOOLEAN wddm_wpp_filter __attribute__((unused));
#define WPP_RECORDER_LEVEL_FILTER(flags) wddm_wpp_filter

#endif
