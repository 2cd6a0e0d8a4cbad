// ntstrsafe.h: bounded copies, joins and formats.
//
// Sources: the RtlStringCb*, RtlStringCch* and RtlUnicodeString* reference pages. The destination
// is always terminated; what did not fit is cut off and STATUS_BUFFER_OVERFLOW says so. Sizes of 0
// or beyond NTSTRSAFE_MAX_CCH are STATUS_INVALID_PARAMETER.
#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <string_view>

#include "conformance/host/nt/rtl/c_library.h"
#include "conformance/host/nt/rtl/rtl_format.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/sdk/ddi/ntstatus.h"
#include "conformance/sdk/ddi/ntstrsafe.h"

namespace wddm::nt {
namespace {

constexpr std::size_t kAll = NTSTRSAFE_MAX_CCH;

template <class Char>
bool bad_size(std::size_t characters) {
  return characters == 0 || characters > NTSTRSAFE_MAX_CCH;
}

// Characters before the terminator, `limit` if there is none among so many.
template <class Char>
std::size_t length_within(const Char* text, std::size_t limit) {
  std::size_t length = 0;
  while (length < limit && text[length] != 0) ++length;
  return length;
}

template <class Char>
NTSTATUS copy(Char* destination, std::size_t room, const Char* source, std::size_t limit) {
  if (bad_size<Char>(room) || limit > kAll) return STATUS_INVALID_PARAMETER;
  std::size_t i = 0;
  for (; i < room - 1 && i < limit && source[i] != 0; ++i) destination[i] = source[i];
  destination[i] = 0;
  return i < limit && source[i] != 0 ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

template <class Char>
NTSTATUS join(Char* destination, std::size_t room, const Char* source, std::size_t limit) {
  if (bad_size<Char>(room)) return STATUS_INVALID_PARAMETER;
  const std::size_t length = length_within(destination, room);
  if (length == room) return STATUS_INVALID_PARAMETER;
  return copy(destination + length, room - length, source, limit);
}

template <class Char>
NTSTATUS measure(const Char* text, std::size_t limit, std::size_t unit, std::size_t* length) {
  const std::size_t found = text && limit <= kAll ? length_within(text, limit) : limit;
  const bool good = text && limit <= kAll && found < limit;
  if (length) *length = good ? found * unit : 0;
  return good ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

template <class Char>
class BufferSink final : public FormatSink {
 public:
  BufferSink(Char* to, std::size_t room) : to_(to), room_(room) {}
  void put(char16_t character) override {
    if (length_ < room_)
      to_[length_++] = sizeof(Char) == 2 || character < 0x100 ? static_cast<Char>(character)
                                                              : static_cast<Char>('?');
    else
      overflow_ = true;
  }
  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] NTSTATUS status() const {
    return overflow_ ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
  }

 private:
  Char* to_;
  std::size_t room_;
  std::size_t length_ = 0;
  bool overflow_ = false;
};

void format(FormatSink& sink, const char* text, std::va_list arguments) {
  format_narrow(sink, text, arguments);
}
void format(FormatSink& sink, const char16_t* text, std::va_list arguments) {
  format_wide(sink, text, arguments);
}

template <class Char>
NTSTATUS print(Char* destination, std::size_t room, const Char* text, std::va_list arguments) {
  if (bad_size<Char>(room)) return STATUS_INVALID_PARAMETER;
  BufferSink<Char> sink(destination, room - 1);
  format(sink, text, arguments);
  destination[sink.length()] = 0;
  return sink.status();
}

std::size_t room_of(const UNICODE_STRING* string) {
  return string->MaximumLength / sizeof(WCHAR);
}

bool usable(const UNICODE_STRING* string) {
  if (string == nullptr || string->Length > string->MaximumLength) return false;
  if (string->Length % sizeof(WCHAR) != 0 || string->MaximumLength % sizeof(WCHAR) != 0)
    return false;
  return string->Buffer != nullptr || string->MaximumLength == 0;
}

// UNICODE_STRING targets need no terminator. One that is full already is an invalid parameter.
NTSTATUS put(PUNICODE_STRING destination, std::size_t at, std::u16string_view text) {
  if (at == room_of(destination) && !text.empty()) return STATUS_INVALID_PARAMETER;
  const std::size_t fits = std::min(text.size(), room_of(destination) - at);
  move_bytes(destination->Buffer + at, text.data(), fits * sizeof(WCHAR));
  destination->Length = static_cast<USHORT>((at + fits) * sizeof(WCHAR));
  return fits < text.size() ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

}  // namespace
}  // namespace wddm::nt

using namespace wddm::nt;

#define WDDM_PRINT(destination, room)                                     \
  std::va_list arguments;                                                 \
  va_start(arguments, pszFormat);                                         \
  const NTSTATUS status = print(destination, room, pszFormat, arguments); \
  va_end(arguments);                                                      \
  return status

// All functions of one spelling. `unit` is what sizes count: bytes of a character, or characters.
#define WDDM_STRSAFE(Kind, Width, Char, unit)                                                   \
  NTSTATUS RtlString##Kind##Copy##Width(Char* pszDest, SIZE_T size, const Char* pszSrc) {       \
    NT_SERVICE(RtlString##Kind##Copy##Width);                                                   \
    return copy(pszDest, size / (unit), pszSrc, kAll);                                          \
  }                                                                                             \
  NTSTATUS RtlString##Kind##CopyN##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,        \
                                         SIZE_T limit) {                                        \
    NT_SERVICE(RtlString##Kind##CopyN##Width);                                                  \
    return copy(pszDest, size / (unit), pszSrc, limit / (unit));                                \
  }                                                                                             \
  NTSTATUS RtlString##Kind##Cat##Width(Char* pszDest, SIZE_T size, const Char* pszSrc) {        \
    NT_SERVICE(RtlString##Kind##Cat##Width);                                                    \
    return join(pszDest, size / (unit), pszSrc, kAll);                                          \
  }                                                                                             \
  NTSTATUS RtlString##Kind##CatN##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,         \
                                        SIZE_T limit) {                                         \
    NT_SERVICE(RtlString##Kind##CatN##Width);                                                   \
    return join(pszDest, size / (unit), pszSrc, limit / (unit));                                \
  }                                                                                             \
  NTSTATUS RtlString##Kind##Printf##Width(Char* pszDest, SIZE_T size, const Char* pszFormat,    \
                                          ...) {                                                \
    NT_SERVICE(RtlString##Kind##Printf##Width);                                                 \
    WDDM_PRINT(pszDest, size / (unit));                                                         \
  }                                                                                             \
  NTSTATUS RtlString##Kind##VPrintf##Width(Char* pszDest, SIZE_T size, const Char* pszFormat,   \
                                           std::va_list argList) {                              \
    NT_SERVICE(RtlString##Kind##VPrintf##Width);                                                \
    return print(pszDest, size / (unit), pszFormat, argList);                                   \
  }                                                                                             \
  NTSTATUS RtlString##Kind##Length##Width(const Char* psz, SIZE_T limit, std::size_t* length) { \
    NT_SERVICE(RtlString##Kind##Length##Width);                                                 \
    return measure(psz, limit / (unit), unit, length);                                          \
  }

extern "C" {

WDDM_STRSAFE(Cb, A, CHAR, 1)
WDDM_STRSAFE(Cch, A, CHAR, 1)
WDDM_STRSAFE(Cb, W, WCHAR, sizeof(WCHAR))
WDDM_STRSAFE(Cch, W, WCHAR, 1)

NTSTATUS RtlUnicodeStringPrintf(PUNICODE_STRING DestinationString, PCWSTR pszFormat, ...) {
  NT_SERVICE(RtlUnicodeStringPrintf);
  if (!usable(DestinationString) || pszFormat == nullptr) return STATUS_INVALID_PARAMETER;
  BufferSink<WCHAR> sink(DestinationString->Buffer, room_of(DestinationString));
  std::va_list arguments;
  va_start(arguments, pszFormat);
  format(sink, pszFormat, arguments);
  va_end(arguments);
  DestinationString->Length = static_cast<USHORT>(sink.length() * sizeof(WCHAR));
  return sink.status();
}

NTSTATUS RtlUnicodeStringCopy(PUNICODE_STRING DestinationString, PCUNICODE_STRING SourceString) {
  NT_SERVICE(RtlUnicodeStringCopy);
  if (!usable(DestinationString) || !usable(SourceString)) return STATUS_INVALID_PARAMETER;
  return put(DestinationString, 0, {SourceString->Buffer, SourceString->Length / sizeof(WCHAR)});
}

NTSTATUS RtlUnicodeStringCopyString(PUNICODE_STRING DestinationString, PCWSTR pszSrc) {
  NT_SERVICE(RtlUnicodeStringCopyString);
  if (!usable(DestinationString) || pszSrc == nullptr) return STATUS_INVALID_PARAMETER;
  return put(DestinationString, 0, pszSrc);
}

NTSTATUS RtlUnicodeStringCatString(PUNICODE_STRING DestinationString, PCWSTR pszSrc) {
  NT_SERVICE(RtlUnicodeStringCatString);
  if (!usable(DestinationString) || pszSrc == nullptr) return STATUS_INVALID_PARAMETER;
  return put(DestinationString, DestinationString->Length / sizeof(WCHAR), pszSrc);
}

}  // extern "C"
