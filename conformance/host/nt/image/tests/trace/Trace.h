// begin_wpp config
// FUNC TestTrace(LEVEL, MSG, ...);
// end_wpp
