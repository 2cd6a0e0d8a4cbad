// A driver source that traces; see tmh_test.cpp.
#include <ntddk.h>

#include <WppRecorder.h>

#include "sample_trace.h"

int sample_assertion_failed(int level, int flag);
#include "sample.tmh"

static int evaluated;
// Not static: no expansion mentions it, and the compiler would say so.
int evaluate(void) {
  return ++evaluated;
}

#ifdef NotInAConfiguration
#error "a FUNC outside of begin_wpp and end_wpp was taken for a trace function"
#endif

/// How many arguments of trace functions were evaluated: none.
int sample_log(void) {
  WPP_INIT_TRACING(0, 0);
  WPP_RECORDER_LEVEL_FILTER(SAMPLE_DEFAULT) = TRUE;
  SampleLog("%d %!STATUS!", evaluate(), STATUS_SUCCESS);
  SampleLog("no argument");
  SampleTrace(TRACE_LEVEL_VERBOSE, SAMPLE_DEFAULT, "%d", evaluate());
  DoTraceMessage(SAMPLE_DEFAULT, "%d", evaluate());
  WPP_CLEANUP(0);
  return evaluated;
}

void sample_assert(int condition) {
  SampleAssert(condition != 0);
}
