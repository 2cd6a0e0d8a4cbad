// Counted strings: UNICODE_STRING, ANSI_STRING, and conversions between them and numbers.
//
// Sources: the Rtl*String* reference pages. ANSI is Latin-1 here; a wide character beyond it
// becomes
// '?'. Buffers that a conversion allocates are the driver's pool blocks with the tag 'Strg'.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "conformance/host/nt/rtl/c_library.h"
#include "conformance/host/nt/memory/pool.h"
#include "conformance/host/nt/registry/registry.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/sdk/ddi/nt/rtl.h"
#include "conformance/sdk/ddi/ntstatus.h"

namespace wddm::nt {
namespace {

constexpr std::uint32_t kStringTag = 0x67727453;  // 'Strg'
constexpr std::size_t kLongestBytes = 0xfffe;

std::u16string_view view(PCUNICODE_STRING string) {
  return {string->Buffer, string->Length / sizeof(WCHAR)};
}
std::string_view view(const STRING* string) {
  return {string->Buffer, string->Length};
}

std::size_t length_of(PCWSTR text) {
  return text ? std::u16string_view(text).size() : 0;
}

char upcase_narrow(char character) {
  return static_cast<char>(upcase(static_cast<unsigned char>(character)));
}

template <class Char, class Upcase>
LONG compare(std::basic_string_view<Char> a, std::basic_string_view<Char> b, bool ignore_case,
             Upcase to_upper) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    const auto x = static_cast<std::make_unsigned_t<Char>>(ignore_case ? to_upper(a[i]) : a[i]);
    const auto y = static_cast<std::make_unsigned_t<Char>>(ignore_case ? to_upper(b[i]) : b[i]);
    if (x != y) return static_cast<LONG>(x) - static_cast<LONG>(y);
  }
  return static_cast<LONG>(a.size()) - static_cast<LONG>(b.size());
}

LONG compare_wide(PCUNICODE_STRING a, PCUNICODE_STRING b, bool ignore_case) {
  return compare(view(a), view(b), ignore_case, upcase);
}
LONG compare_narrow(const STRING* a, const STRING* b, bool ignore_case) {
  return compare(view(a), view(b), ignore_case, upcase_narrow);
}

void* allocate_text(const Service& service, std::size_t bytes) {
  return pool_allocate({PoolKind::Paged, PoolFill::Poison, PoolOwner::Driver, kStringTag, bytes},
                       {service.name(), service.caller()});
}

// Puts `length` characters, made by `character(i)`, and a terminator where one fits.
template <class String, class Make>
NTSTATUS put(const Service& service, String* destination, std::size_t length, bool allocate,
             Make character) {
  using Char = std::remove_pointer_t<decltype(destination->Buffer)>;
  const std::size_t bytes = length * sizeof(Char);
  if (bytes + sizeof(Char) > kLongestBytes) return STATUS_INVALID_PARAMETER_2;
  if (allocate) {
    destination->Buffer = static_cast<Char*>(allocate_text(service, bytes + sizeof(Char)));
    if (!destination->Buffer) return STATUS_NO_MEMORY;
    destination->MaximumLength = static_cast<USHORT>(bytes + sizeof(Char));
  } else if (bytes > destination->MaximumLength) {
    return STATUS_BUFFER_OVERFLOW;
  }
  for (std::size_t i = 0; i < length; ++i) destination->Buffer[i] = static_cast<Char>(character(i));
  destination->Length = static_cast<USHORT>(bytes);
  if (bytes + sizeof(Char) <= destination->MaximumLength) destination->Buffer[length] = 0;
  return STATUS_SUCCESS;
}

NTSTATUS append(PUNICODE_STRING destination, std::u16string_view text) {
  const std::size_t bytes = text.size() * sizeof(WCHAR);
  if (destination->Length + bytes > destination->MaximumLength) return STATUS_BUFFER_TOO_SMALL;
  WCHAR* const end = destination->Buffer + destination->Length / sizeof(WCHAR);
  move_bytes(end, text.data(), bytes);
  destination->Length = static_cast<USHORT>(destination->Length + bytes);
  if (destination->Length + sizeof(WCHAR) <= destination->MaximumLength) end[text.size()] = 0;
  return STATUS_SUCCESS;
}

NTSTATUS put_integer(const Service& service, std::uint64_t value, ULONG base,
                     PUNICODE_STRING string) {
  if (base == 0) base = 10;
  if (base != 2 && base != 8 && base != 10 && base != 16) return STATUS_INVALID_PARAMETER;
  std::u16string digits;
  do digits.insert(digits.begin(), u"0123456789ABCDEF"[value % base]);
  while ((value /= base) != 0);
  return put(service, string, digits.size(), false, [&](std::size_t i) { return digits[i]; });
}

int digit_of(char16_t character) {
  character = upcase(character);
  if (character >= u'0' && character <= u'9') return character - u'0';
  return character >= u'A' && character <= u'Z' ? character - u'A' + 10 : 99;
}

void free_text(const Service& service, void* buffer) {
  if (buffer)
    pool_free(buffer, std::nullopt, {service.name(), service.caller()}, PoolOwner::Driver);
}

}  // namespace
}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

VOID RtlInitUnicodeString(PUNICODE_STRING Destination, PCWSTR Source) {
  NT_SERVICE(RtlInitUnicodeString);
  const std::size_t bytes =
      std::min(length_of(Source) * sizeof(WCHAR), kLongestBytes - sizeof(WCHAR));
  Destination->Buffer = const_cast<PWCH>(Source);
  Destination->Length = static_cast<USHORT>(bytes);
  Destination->MaximumLength = static_cast<USHORT>(Source ? bytes + sizeof(WCHAR) : 0);
}

VOID RtlInitAnsiString(PANSI_STRING Destination, PCSZ Source) {
  NT_SERVICE(RtlInitAnsiString);
  const std::size_t bytes = Source ? std::min(text_length(Source), kLongestBytes) : 0;
  Destination->Buffer = const_cast<PCHAR>(Source);
  Destination->Length = static_cast<USHORT>(bytes);
  Destination->MaximumLength = static_cast<USHORT>(Source ? bytes + 1 : 0);
}

VOID RtlInitString(PSTRING Destination, PCSZ Source) {
  RtlInitAnsiString(Destination, Source);
}

VOID RtlCopyUnicodeString(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  NT_SERVICE(RtlCopyUnicodeString);
  Destination->Length = 0;
  if (!Source) return;
  const auto room = Destination->MaximumLength / sizeof(WCHAR);
  static_cast<void>(append(Destination, view(Source).substr(0, room)));
}

NTSTATUS RtlAppendUnicodeToString(PUNICODE_STRING Destination, PCWSTR Source) {
  NT_SERVICE(RtlAppendUnicodeToString);
  return append(Destination, {Source, length_of(Source)});
}

NTSTATUS RtlAppendUnicodeStringToString(PUNICODE_STRING Destination, PCUNICODE_STRING Source) {
  NT_SERVICE(RtlAppendUnicodeStringToString);
  return append(Destination, view(Source));
}

LONG RtlCompareUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                             BOOLEAN CaseInSensitive) {
  NT_SERVICE(RtlCompareUnicodeString);
  return compare_wide(String1, String2, CaseInSensitive != FALSE);
}

BOOLEAN RtlEqualUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                              BOOLEAN CaseInSensitive) {
  NT_SERVICE(RtlEqualUnicodeString);
  return compare_wide(String1, String2, CaseInSensitive != FALSE) == 0;
}

BOOLEAN RtlPrefixUnicodeString(PCUNICODE_STRING String1, PCUNICODE_STRING String2,
                               BOOLEAN CaseInSensitive) {
  NT_SERVICE(RtlPrefixUnicodeString);
  if (String1->Length > String2->Length) return FALSE;
  UNICODE_STRING start = *String2;
  start.Length = String1->Length;
  return compare_wide(String1, &start, CaseInSensitive != FALSE) == 0;
}

LONG RtlCompareString(const STRING* String1, const STRING* String2, BOOLEAN CaseInSensitive) {
  NT_SERVICE(RtlCompareString);
  return compare_narrow(String1, String2, CaseInSensitive != FALSE);
}

BOOLEAN RtlEqualString(const STRING* String1, const STRING* String2, BOOLEAN CaseInSensitive) {
  NT_SERVICE(RtlEqualString);
  return compare_narrow(String1, String2, CaseInSensitive != FALSE) == 0;
}

NTSTATUS RtlAnsiStringToUnicodeString(PUNICODE_STRING Destination, PCANSI_STRING Source,
                                      BOOLEAN Allocate) {
  NT_SERVICE(RtlAnsiStringToUnicodeString);
  return put(service, Destination, Source->Length, Allocate != FALSE,
             [&](std::size_t i) { return static_cast<unsigned char>(Source->Buffer[i]); });
}

NTSTATUS RtlUnicodeStringToAnsiString(PANSI_STRING Destination, PCUNICODE_STRING Source,
                                      BOOLEAN Allocate) {
  NT_SERVICE(RtlUnicodeStringToAnsiString);
  return put(service, Destination, view(Source).size(), Allocate != FALSE, [&](std::size_t i) {
    return Source->Buffer[i] < 0x100 ? static_cast<char>(Source->Buffer[i]) : '?';
  });
}

NTSTATUS RtlUpcaseUnicodeString(PUNICODE_STRING Destination, PCUNICODE_STRING Source,
                                BOOLEAN Allocate) {
  NT_SERVICE(RtlUpcaseUnicodeString);
  return put(service, Destination, view(Source).size(), Allocate != FALSE,
             [&](std::size_t i) { return upcase(Source->Buffer[i]); });
}

VOID RtlFreeUnicodeString(PUNICODE_STRING String) {
  NT_SERVICE(RtlFreeUnicodeString);
  free_text(service, String->Buffer);
  *String = {};
}

VOID RtlFreeAnsiString(PANSI_STRING String) {
  NT_SERVICE(RtlFreeAnsiString);
  free_text(service, String->Buffer);
  *String = {};
}

NTSTATUS RtlIntegerToUnicodeString(ULONG Value, ULONG Base, PUNICODE_STRING String) {
  NT_SERVICE(RtlIntegerToUnicodeString);
  return put_integer(service, Value, Base, String);
}

NTSTATUS RtlInt64ToUnicodeString(ULONGLONG Value, ULONG Base, PUNICODE_STRING String) {
  NT_SERVICE(RtlInt64ToUnicodeString);
  return put_integer(service, Value, Base, String);
}

NTSTATUS RtlUnicodeStringToInteger(PCUNICODE_STRING String, ULONG Base, PULONG Value) {
  NT_SERVICE(RtlUnicodeStringToInteger);
  std::u16string_view text = view(String);
  if (text.empty()) return STATUS_INVALID_PARAMETER;
  while (!text.empty() && text.front() <= u' ') text.remove_prefix(1);
  const bool negative = text.starts_with(u'-');
  if (negative || text.starts_with(u'+')) text.remove_prefix(1);
  if (Base == 0) {
    Base = text.starts_with(u"0x")   ? 16
           : text.starts_with(u"0o") ? 8
           : text.starts_with(u"0b") ? 2
                                     : 10;
    if (Base != 10) text.remove_prefix(2);
  }
  if (Base != 2 && Base != 8 && Base != 10 && Base != 16) return STATUS_INVALID_PARAMETER;
  ULONG result = 0;
  for (char16_t character : text) {
    const int digit = digit_of(character);
    if (digit >= static_cast<int>(Base)) break;
    result = result * Base + static_cast<ULONG>(digit);
  }
  *Value = negative ? 0 - result : result;
  return STATUS_SUCCESS;
}

WCHAR RtlUpcaseUnicodeChar(WCHAR SourceCharacter) {
  NT_SERVICE(RtlUpcaseUnicodeChar);
  return upcase(SourceCharacter);
}

WCHAR RtlDowncaseUnicodeChar(WCHAR SourceCharacter) {
  NT_SERVICE(RtlDowncaseUnicodeChar);
  const bool has_lower_form = SourceCharacter < 0xff &&
                              upcase(static_cast<WCHAR>(SourceCharacter + 0x20)) == SourceCharacter;
  return has_lower_form ? static_cast<WCHAR>(SourceCharacter + 0x20) : SourceCharacter;
}

}  // extern "C"
