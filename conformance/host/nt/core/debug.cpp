// DbgPrint and kin, break points, assertions, PAGED_CODE.
//
// Sources: the reference pages of DbgPrint, DbgPrintEx, DbgPrompt, NT_ASSERT, PAGED_CODE. All
// levels and components are shown, as if every filter mask were open. No debugger is attached, so
// prompts are not answered and break points return; they are findings, because on a machine without
// a debugger they stop it.
#include "conformance/host/nt/core/debug.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/rtl/rtl_format.h"
#include "conformance/sdk/ddi/nt/debug.h"

namespace wddm::nt {
namespace {

// What one call can print, and the longest line.
constexpr std::size_t kCallLimit = 512;
constexpr std::size_t kLineLimit = 1024;

std::array<char, kLineLimit> g_line;
std::size_t g_length = 0;
std::uint32_t g_assertions_aside = 0, g_paged_code_aside = 0;

void hand_on() {
  if (machine().observer) machine().observer->debug_print({g_line.data(), g_length});
  g_length = 0;
}

void append(char byte) {
  if (g_length == kLineLimit) hand_on();
  g_line[g_length++] = byte;
}

// Collects one call's text as UTF-8, so that whoever prints lines gets text whatever the driver
// passed. Characters outside the basic plane become two question marks.
class LineSink final : public FormatSink {
 public:
  void put(char16_t character) override {
    if (count_++ >= kCallLimit) return;
    if (character == u'\n') return hand_on();
    if (character == u'\r') return;
    if (character >= 0xd800 && character < 0xe000) character = u'?';
    if (character < 0x20 && character != u'\t') character = u'?';
    if (character < 0x80) return append(static_cast<char>(character));
    if (character < 0x800) {
      append(static_cast<char>(0xc0 | character >> 6));
    } else {
      append(static_cast<char>(0xe0 | character >> 12));
      append(static_cast<char>(0x80 | (character >> 6 & 0x3f)));
    }
    append(static_cast<char>(0x80 | (character & 0x3f)));
  }

 private:
  std::size_t count_ = 0;
};

void print(const char* format, std::va_list arguments) {
  LineSink sink;
  format_narrow(sink, format, arguments);
}

const char* base_name(const char* file) {
  for (const char* at = file; *at; ++at)
    if (*at == '/' || *at == '\\') file = at + 1;
  return file;
}

BOOLEAN g_debugger_enabled = FALSE;
BOOLEAN g_debugger_not_present = TRUE;

}  // namespace

void debug_boot() {
  g_length = 0;
  g_assertions_aside = g_paged_code_aside = 0;
}

void debug_flush() {
  if (g_length != 0) hand_on();
}

AssertionsAside::AssertionsAside() {
  ++g_assertions_aside;
}

AssertionsAside::~AssertionsAside() {
  --g_assertions_aside;
}

PagedCodeAside::PagedCodeAside() {
  ++g_paged_code_aside;
}

PagedCodeAside::~PagedCodeAside() {
  --g_paged_code_aside;
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

PBOOLEAN KdDebuggerEnabled = &g_debugger_enabled;
PBOOLEAN KdDebuggerNotPresent = &g_debugger_not_present;

ULONG DbgPrint(PCSTR Format, ...) {
  NT_SERVICE(DbgPrint);
  std::va_list arguments;
  va_start(arguments, Format);
  print(Format, arguments);
  va_end(arguments);
  return 0;
}

ULONG DbgPrintEx(ULONG, ULONG, PCSTR Format, ...) {
  NT_SERVICE(DbgPrintEx);
  std::va_list arguments;
  va_start(arguments, Format);
  print(Format, arguments);
  va_end(arguments);
  return 0;
}

ULONG vDbgPrintEx(ULONG, ULONG, PCSTR Format, std::va_list arglist) {
  NT_SERVICE(vDbgPrintEx);
  print(Format, arglist);
  return 0;
}

ULONG DbgPrompt(PCSTR Prompt, PCHAR Response, ULONG Length) {
  NT_SERVICE(DbgPrompt);
  LineSink sink;
  for (const char* at = Prompt; *at; ++at) sink.put(static_cast<unsigned char>(*at));
  debug_flush();
  if (Length != 0) Response[0] = 0;
  return 0;
}

VOID DbgBreakPoint(void) {
  NT_SERVICE(DbgBreakPoint);
  if (g_assertions_aside != 0) return;
  service.report(FindingKind::Breakpoint, "break point");
}

VOID DbgBreakPointWithStatus(ULONG Status) {
  NT_SERVICE(DbgBreakPointWithStatus);
  if (g_assertions_aside != 0) return;
  char detail[48];
  std::snprintf(detail, sizeof detail, "break point with status 0x%x", Status);
  service.report(FindingKind::Breakpoint, detail);
}

BOOLEAN KdRefreshDebuggerNotPresent(void) {
  NT_SERVICE(KdRefreshDebuggerNotPresent);
  return g_debugger_not_present;
}

VOID WddmAssertionFailed(const char* expression, const char* file, ULONG line,
                         const char* message) {
  if (g_assertions_aside != 0) return;
  char detail[256];
  std::snprintf(detail, sizeof detail, "%s (%s:%u)%s%s", expression, base_name(file), line,
                message ? " " : "", message ? message : "");
  report(FindingKind::Assertion, "NT_ASSERT", detail,
         __builtin_extract_return_addr(__builtin_return_address(0)));
}

VOID WddmPagedCode(const char* function) {
  if (irql() <= kApc || g_paged_code_aside != 0) return;
  char detail[192];
  std::snprintf(detail, sizeof detail, "%s at IRQL %u", function, irql());
  report(FindingKind::PagedCodeAtDispatch, "PAGED_CODE", detail,
         __builtin_extract_return_addr(__builtin_return_address(0)));
}

}  // extern "C"
