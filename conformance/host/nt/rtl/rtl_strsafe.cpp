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

// What an Ex form does beside its plain one.
template <class Char>
class Extended {
 public:
  // `size` as the caller gave it; `unit`: what it counts of a character.
  Extended(Char* destination, std::size_t size, std::size_t unit, Char** end, void* remaining,
           ULONG flags)
      : destination_(destination),
        room_(size / unit),
        unit_(unit),
        end_(end),
        remaining_(remaining),
        flags_(flags),
        before_(destination != nullptr && good() ? length_within(destination, room_) : 0) {}

  [[nodiscard]] bool good() const {
    const bool known = (flags_ & ~kKnown) == 0;
    return known && (destination_ != nullptr ? !bad_size<Char>(room_) : false);
  }
  // Null for "" where the flags say so.
  [[nodiscard]] const Char* source(const Char* text) const {
    static constexpr Char kEmpty[1] = {};
    return text == nullptr && (flags_ & STRSAFE_IGNORE_NULLS) != 0 ? kEmpty : text;
  }
  // `appends`: what stood there before survives a failure without truncation.
  NTSTATUS ended(NTSTATUS status, bool appends) {
    if (!NT_SUCCESS(status) && status != STATUS_BUFFER_OVERFLOW) return status;
    std::size_t length = length_within(destination_, room_);
    if (status == STATUS_BUFFER_OVERFLOW) {
      if ((flags_ & STRSAFE_FILL_ON_FAILURE) != 0) {
        fill(destination_, room_ * sizeof(Char));
        destination_[room_ - 1] = 0;
        length = length_within(destination_, room_);
      }
      if ((flags_ & STRSAFE_NO_TRUNCATION) != 0) {
        length = appends ? std::min(before_, room_ - 1) : 0;
        destination_[length] = 0;
      }
      if ((flags_ & STRSAFE_NULL_ON_FAILURE) != 0) destination_[length = 0] = 0;
    } else if ((flags_ & STRSAFE_FILL_BEHIND_NULL) != 0) {
      fill(destination_ + length + 1, (room_ - length - 1) * sizeof(Char));
    }
    if (end_ != nullptr) *end_ = destination_ + length;
    if (remaining_ != nullptr) {
      const std::uint64_t left = (room_ - length) * unit_;
      move_bytes(remaining_, &left, sizeof left);
    }
    return status;
  }

 private:
  static constexpr ULONG kKnown = 0x1fff;

  void fill(Char* from, std::size_t bytes) const {
    auto* at = reinterpret_cast<std::uint8_t*>(from);
    std::fill(at, at + bytes, static_cast<std::uint8_t>(flags_));
  }

  Char* destination_;
  std::size_t room_, unit_;
  Char** end_;
  void* remaining_;
  ULONG flags_;
  std::size_t before_;
};

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

// Their Ex forms.
#define WDDM_STRSAFE_EX(Kind, Width, Char, unit)                                                  \
  NTSTATUS RtlString##Kind##CopyEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,         \
                                          Char** end, void* remaining, ULONG flags) {             \
    NT_SERVICE(RtlString##Kind##CopyEx##Width);                                                   \
    Extended<Char> ex(pszDest, size, unit, end, remaining, flags);                                \
    if (!ex.good() || ex.source(pszSrc) == nullptr) return STATUS_INVALID_PARAMETER;              \
    return ex.ended(copy(pszDest, size / (unit), ex.source(pszSrc), kAll), false);                \
  }                                                                                               \
  NTSTATUS RtlString##Kind##CopyNEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,        \
                                           SIZE_T limit, Char** end, void* remaining,             \
                                           ULONG flags) {                                         \
    NT_SERVICE(RtlString##Kind##CopyNEx##Width);                                                  \
    Extended<Char> ex(pszDest, size, unit, end, remaining, flags);                                \
    if (!ex.good() || ex.source(pszSrc) == nullptr) return STATUS_INVALID_PARAMETER;              \
    return ex.ended(copy(pszDest, size / (unit), ex.source(pszSrc), limit / (unit)), false);      \
  }                                                                                               \
  NTSTATUS RtlString##Kind##CatEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,          \
                                         Char** end, void* remaining, ULONG flags) {              \
    NT_SERVICE(RtlString##Kind##CatEx##Width);                                                    \
    Extended<Char> ex(pszDest, size, unit, end, remaining, flags);                                \
    if (!ex.good() || ex.source(pszSrc) == nullptr) return STATUS_INVALID_PARAMETER;              \
    return ex.ended(join(pszDest, size / (unit), ex.source(pszSrc), kAll), true);                 \
  }                                                                                               \
  NTSTATUS RtlString##Kind##CatNEx##Width(Char* pszDest, SIZE_T size, const Char* pszSrc,         \
                                          SIZE_T limit, Char** end, void* remaining,              \
                                          ULONG flags) {                                          \
    NT_SERVICE(RtlString##Kind##CatNEx##Width);                                                   \
    Extended<Char> ex(pszDest, size, unit, end, remaining, flags);                                \
    if (!ex.good() || ex.source(pszSrc) == nullptr) return STATUS_INVALID_PARAMETER;              \
    return ex.ended(join(pszDest, size / (unit), ex.source(pszSrc), limit / (unit)), true);       \
  }                                                                                               \
  NTSTATUS RtlString##Kind##VPrintfEx##Width(Char* pszDest, SIZE_T size, Char** end,              \
                                             void* remaining, ULONG flags, const Char* pszFormat, \
                                             std::va_list argList) {                              \
    NT_SERVICE(RtlString##Kind##VPrintfEx##Width);                                                \
    Extended<Char> ex(pszDest, size, unit, end, remaining, flags);                                \
    if (!ex.good() || ex.source(pszFormat) == nullptr) return STATUS_INVALID_PARAMETER;           \
    return ex.ended(print(pszDest, size / (unit), ex.source(pszFormat), argList), false);         \
  }                                                                                               \
  NTSTATUS RtlString##Kind##PrintfEx##Width(Char* pszDest, SIZE_T size, Char** end,               \
                                            void* remaining, ULONG flags, const Char* pszFormat,  \
                                            ...) {                                                \
    NT_SERVICE(RtlString##Kind##PrintfEx##Width);                                                 \
    Extended<Char> ex(pszDest, size, unit, end, remaining, flags);                                \
    if (!ex.good() || ex.source(pszFormat) == nullptr) return STATUS_INVALID_PARAMETER;           \
    std::va_list arguments;                                                                       \
    va_start(arguments, pszFormat);                                                               \
    const NTSTATUS status =                                                                       \
        ex.ended(print(pszDest, size / (unit), ex.source(pszFormat), arguments), false);          \
    va_end(arguments);                                                                            \
    return status;                                                                                \
  }

extern "C" {

WDDM_STRSAFE_EX(Cb, A, CHAR, 1)
WDDM_STRSAFE_EX(Cch, A, CHAR, 1)
WDDM_STRSAFE_EX(Cb, W, WCHAR, sizeof(WCHAR))
WDDM_STRSAFE_EX(Cch, W, WCHAR, 1)
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
