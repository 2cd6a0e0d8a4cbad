// A WPP configuration as drivers write it; see tmh_test.cpp.
#define WPP_CONTROL_GUIDS                                                       \
  WPP_DEFINE_CONTROL_GUID(SAMPLE, (11111111, 2222, 3333, 4444, 555555555555),   \
                          WPP_DEFINE_BIT(SAMPLE_DEFAULT) WPP_DEFINE_BIT(SAMPLE_ASSERT))

// begin_wpp config
// FUNC SampleLog{LEVEL=TRACE_LEVEL_ERROR, FLAGS=SAMPLE_DEFAULT}(MSG, ...);
// USEPREFIX (SampleLog, "%!STDPREFIX! ERROR:");
// FUNC SampleTrace(LEVEL, FLAGS, MSG, ...);
// FUNC SampleAssert{LEVEL=TRACE_LEVEL_CRITICAL, FLAGS=SAMPLE_ASSERT}(SAMPLE_CONDITION);
// end_wpp

// FUNC NotInAConfiguration(MSG, ...);

#define WPP_LEVEL_FLAGS_SAMPLE_CONDITION_POST(level, flags, condition) \
  , ((condition) ? 0 : sample_assertion_failed(level, WPP_BIT_##flags))
