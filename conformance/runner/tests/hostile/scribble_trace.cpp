// Looks for the memory that it shares with the runner, where the trace is, and writes over it.
#include "hostile.h"

extern "C" char* strstr(const char* text, const char* part);

static char maps[1 << 16];

static ULONGLONG hexadecimal(const char*& at) {
  ULONGLONG value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9') {
      value = value * 16 + static_cast<ULONGLONG>(*at - '0');
    } else if (*at >= 'a' && *at <= 'f') {
      value = value * 16 + static_cast<ULONGLONG>(*at - 'a' + 10);
    } else {
      return value;
    }
  }
}

static void read_maps() {
  constexpr ULONGLONG kRead = 0, kOpen = 2;
  const auto file = system_call(kOpen, reinterpret_cast<ULONGLONG>("/proc/self/maps"), 0, 0);
  for (ULONGLONG used = 0; used + 1 < sizeof maps;) {
    const LONGLONG got =
        system_call(kRead, static_cast<ULONGLONG>(file), reinterpret_cast<ULONGLONG>(maps) + used,
                    sizeof maps - 1 - used);
    if (got <= 0) break;
    used += static_cast<ULONGLONG>(got);
  }
}

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND) {
  read_maps();
  for (char* line = maps; *line != 0;) {
    char* end_of_line = line;
    while (*end_of_line != '\n') ++end_of_line;
    *end_of_line = 0;
    const char* at = line;
    const ULONGLONG start = hexadecimal(at);
    const ULONGLONG end = hexadecimal(++at);
    // What Linux calls memory that is shared and has no file.
    const ULONGLONG bytes = strstr(at, "/dev/zero") == nullptr ? 0 : end - start;
    for (ULONGLONG i = 0; i < bytes && i < (1 << 20); ++i) {
      reinterpret_cast<volatile UCHAR*>(start)[i] = static_cast<UCHAR>(i * 37 + 5);
    }
    line = end_of_line + 1;
  }
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
