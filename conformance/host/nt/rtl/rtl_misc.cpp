// The rest of Rtl: memory comparison, wide C strings, GUIDs, version, random numbers, back traces.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/core/windows_version.h"
#include "conformance/host/nt/image/executable.h"
#include "conformance/host/nt/registry/registry.h"
#include "conformance/sdk/ddi/nt/memory.h"
#include "conformance/sdk/ddi/nt/rtl.h"
#include "conformance/sdk/ddi/ntstatus.h"

namespace wddm::nt {
namespace {

constexpr ULONG kNtddiVersion = 0x0A000008;  // NTDDI_WIN10_VB
constexpr ULONG kPlatformNt = 2;
constexpr UCHAR kWorkstation = 1;
constexpr std::size_t kGuidCharacters = 38;

int difference(WCHAR a, WCHAR b) {
  return static_cast<int>(a) - static_cast<int>(b);
}

// "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}": where the digits of each byte stand, most significant
// first as printed.
bool read_hex(std::u16string_view text, std::size_t at, std::size_t digits, ULONG* value) {
  *value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const char16_t character = upcase(text[at + i]);
    const bool decimal = character >= u'0' && character <= u'9';
    if (!decimal && (character < u'A' || character > u'F')) return false;
    *value = *value * 16 + static_cast<ULONG>(decimal ? character - u'0' : character - u'A' + 10);
  }
  return true;
}

}  // namespace
}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

SIZE_T RtlCompareMemory(const VOID* Source1, const VOID* Source2, SIZE_T Length) {
  const auto* a = static_cast<const UCHAR*>(Source1);
  return static_cast<SIZE_T>(
      std::mismatch(a, a + Length, static_cast<const UCHAR*>(Source2)).first - a);
}

SIZE_T WddmWcslen(const WCHAR* text) {
  return std::u16string_view(text).size();
}

int WddmWcscmp(const WCHAR* a, const WCHAR* b) {
  while (*a && *a == *b) ++a, ++b;
  return difference(*a, *b);
}

int WddmWcsncmp(const WCHAR* a, const WCHAR* b, SIZE_T count) {
  for (; count > 0; --count, ++a, ++b)
    if (*a != *b || *a == 0) return difference(*a, *b);
  return 0;
}

int WddmWcsicmp(const WCHAR* a, const WCHAR* b) {
  while (*a && upcase(*a) == upcase(*b)) ++a, ++b;
  return difference(upcase(*a), upcase(*b));
}

WCHAR* WddmWcsstr(const WCHAR* text, const WCHAR* part) {
  const auto at = std::u16string_view(text).find(part);
  return at == std::u16string_view::npos ? nullptr : const_cast<WCHAR*>(text + at);
}

WCHAR* WddmWcschr(const WCHAR* text, WCHAR character) {
  for (;; ++text) {
    if (*text == character) return const_cast<WCHAR*>(text);
    if (*text == 0) return nullptr;
  }
}

NTSTATUS RtlStringFromGUID(REFGUID Guid, PUNICODE_STRING GuidString) {
  NT_SERVICE(RtlStringFromGUID);
  std::array<char, kGuidCharacters + 1> text;
  const UCHAR* d = Guid.Data4;
  std::snprintf(text.data(), text.size(), "{%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X}",
                Guid.Data1, Guid.Data2, Guid.Data3, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  std::array<WCHAR, kGuidCharacters + 1> wide;
  std::copy(text.begin(), text.end(), wide.begin());
  UNICODE_STRING source{kGuidCharacters * sizeof(WCHAR), sizeof wide, wide.data()};
  return RtlUpcaseUnicodeString(GuidString, &source, TRUE);
}

NTSTATUS RtlGUIDFromString(PCUNICODE_STRING GuidString, GUID* Guid) {
  NT_SERVICE(RtlGUIDFromString);
  const std::u16string_view text(GuidString->Buffer, GuidString->Length / sizeof(WCHAR));
  constexpr std::array<std::size_t, 8> kByteAt{20, 22, 25, 27, 29, 31, 33, 35};
  if (text.size() != kGuidCharacters || text.front() != u'{' || text.back() != u'}')
    return STATUS_INVALID_PARAMETER;
  for (std::size_t dash : {9, 14, 19, 24})
    if (text[dash] != u'-') return STATUS_INVALID_PARAMETER;
  std::array<ULONG, 3> head{};
  std::array<ULONG, 8> tail{};
  bool good = read_hex(text, 1, 8, &head[0]) && read_hex(text, 10, 4, &head[1]) &&
              read_hex(text, 15, 4, &head[2]);
  for (std::size_t i = 0; i < tail.size(); ++i)
    good = good && read_hex(text, kByteAt[i], 2, &tail[i]);
  if (!good) return STATUS_INVALID_PARAMETER;
  Guid->Data1 = head[0];
  Guid->Data2 = static_cast<USHORT>(head[1]);
  Guid->Data3 = static_cast<USHORT>(head[2]);
  std::copy(tail.begin(), tail.end(), Guid->Data4);
  return STATUS_SUCCESS;
}

NTSTATUS RtlGetVersion(PRTL_OSVERSIONINFOW VersionInformation) {
  NT_SERVICE(RtlGetVersion);
  const ULONG size = VersionInformation->dwOSVersionInfoSize;
  if (size != sizeof(RTL_OSVERSIONINFOW) && size != sizeof(RTL_OSVERSIONINFOEXW)) {
    service.report(FindingKind::BadParameter, "dwOSVersionInfoSize is no size of the structure");
    return STATUS_INVALID_PARAMETER;
  }
  std::memset(VersionInformation, 0, size);
  VersionInformation->dwOSVersionInfoSize = size;
  VersionInformation->dwMajorVersion = windows_version().major;
  VersionInformation->dwMinorVersion = windows_version().minor;
  VersionInformation->dwBuildNumber = windows_version().build;
  VersionInformation->dwPlatformId = kPlatformNt;
  if (size == sizeof(RTL_OSVERSIONINFOEXW))
    reinterpret_cast<PRTL_OSVERSIONINFOEXW>(VersionInformation)->wProductType = kWorkstation;
  return STATUS_SUCCESS;
}

BOOLEAN RtlIsNtDdiVersionAvailable(ULONG Version) {
  NT_SERVICE(RtlIsNtDdiVersionAvailable);
  return Version <= kNtddiVersion;
}

// Lehmer's generator over 2^31 - 1; the seed is all its state, so that a run repeats.
ULONG RtlRandomEx(PULONG Seed) {
  NT_SERVICE(RtlRandomEx);
  constexpr ULONGLONG kModulus = 0x7fffffff;
  *Seed = static_cast<ULONG>((*Seed * 0x7fffffedull + 0x7fffffc3ull) % kModulus);
  return *Seed;
}

// Frames of the driver are not unwound: nothing a driver may rely on needs them.
USHORT RtlCaptureStackBackTrace(ULONG, ULONG, PVOID*, PULONG BackTraceHash) {
  NT_SERVICE(RtlCaptureStackBackTrace);
  if (BackTraceHash) *BackTraceHash = 0;
  return 0;
}

PVOID MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName) {
  NT_SERVICE(MmGetSystemRoutineAddress);
  std::array<char, 128> name{};
  const std::size_t length = SystemRoutineName->Length / sizeof(WCHAR);
  if (length >= name.size()) return nullptr;
  std::copy_n(SystemRoutineName->Buffer, length, name.begin());
  // Only the kernel's own services count, not what the C library happens to define.
  return executable_symbol(name.data());
}

}  // extern "C"
