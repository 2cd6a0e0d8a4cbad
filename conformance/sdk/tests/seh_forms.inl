// Every way of leaving a guarded body, as a driver writes it. Compiled as C and as C++ by files that
// define SEH_FORM(name). Each leaves a trace of letters: b body, f filter, h handler, l loop,
// a after; x where control must not come.
#include "ntddk.h"

#ifdef __cplusplus
extern "C" {
#endif
void seh_note(char letter);
void seh_raise(NTSTATUS code);

static int filter(int disposition) {
  seh_note('f');
  return disposition;
}

int SEH_FORM(completes)(void) {
  __try {
    seh_note('b');
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('x');
  }
  seh_note('a');
  return 0;
}

int SEH_FORM(raises)(void) {
  int code = 0;
  __try {
    seh_note('b');
    seh_raise(STATUS_ACCESS_VIOLATION);
    seh_note('x');
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('h');
    code = (int)GetExceptionCode();
  }
  seh_note('a');
  return code;
}

int SEH_FORM(returns)(void) {
  __try {
    seh_note('b');
    return 7;
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('x');
  }
  seh_note('x');
  return 0;
}

int SEH_FORM(returns_from_handler)(void) {
  __try {
    seh_note('b');
    seh_raise(STATUS_ACCESS_VIOLATION);
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('h');
    return 8;
  }
  seh_note('x');
  return 0;
}

int SEH_FORM(breaks)(void) {
  int i;
  for (i = 0; i < 3; ++i) {
    __try {
      seh_note('b');
      if (i == 1) break;
    }
    __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
      seh_note('x');
    }
    seh_note('l');
  }
  seh_note('a');
  return i;
}

int SEH_FORM(continues)(void) {
  int i;
  for (i = 0; i < 2; ++i) {
    __try {
      seh_note('b');
      if (i == 0) continue;
      seh_raise(STATUS_ACCESS_VIOLATION);
    }
    __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
      seh_note('h');
    }
    seh_note('l');
  }
  return i;
}

int SEH_FORM(searches)(void) {
  __try {
    __try {
      seh_note('b');
      seh_raise(STATUS_ACCESS_VIOLATION);
    }
    __except(filter(EXCEPTION_CONTINUE_SEARCH)) {
      seh_note('x');
    }
    seh_note('x');
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('h');
  }
  seh_note('a');
  return 0;
}

static void raises_after_its_try(void) {
  __try {
    seh_note('b');
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('x');
  }
  seh_raise(STATUS_ACCESS_VIOLATION);
}

int SEH_FORM(outer_catches)(void) {
  __try {
    raises_after_its_try();
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('h');
  }
  __try {
    seh_note('b');
  }
  __except(filter(EXCEPTION_EXECUTE_HANDLER)) {
    seh_note('x');
  }
  return 0;
}
#ifdef __cplusplus
}
#endif
