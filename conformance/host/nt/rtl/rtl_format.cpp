// The engine behind DbgPrint and RtlString*Printf*. See rtl_format.h.
#include "conformance/host/nt/rtl/rtl_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "conformance/sdk/ddi/ntdef.h"

namespace wddm::nt {
namespace {

// As a member of a structure a va_list can be passed on by reference.
struct Arguments {
  std::va_list list;
};

enum class Length { None, Char, Short, Long, LongLong, Wide };

struct Spec {
  bool minus = false, plus = false, space = false, alternate = false, zero = false;
  int width = 0;
  int precision = -1;
  Length length = Length::None;
};

// The text of one conversion, before padding.
struct Piece {
  std::u16string_view prefix;  // sign or 0x
  std::u16string_view zeros;   // from precision
  std::u16string_view text;
};

constexpr int kWidthLimit = 1 << 16;
constexpr std::size_t kNumberLimit = 512;
constexpr auto kZeros = [] {
  std::array<char16_t, kNumberLimit> zeros{};
  for (char16_t& zero : zeros) zero = u'0';
  return zeros;
}();

void repeat(FormatSink& sink, char16_t character, std::size_t count) {
  while (count-- > 0) sink.put(character);
}

void put_all(FormatSink& sink, std::u16string_view text) {
  for (char16_t character : text) sink.put(character);
}

void put_padded(FormatSink& sink, const Spec& spec, const Piece& piece, bool zero_pad) {
  const std::size_t length = piece.prefix.size() + piece.zeros.size() + piece.text.size();
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t padding = width > length ? width - length : 0;
  if (!spec.minus && !zero_pad) repeat(sink, u' ', padding);
  put_all(sink, piece.prefix);
  if (!spec.minus && zero_pad) repeat(sink, u'0', padding);
  put_all(sink, piece.zeros);
  put_all(sink, piece.text);
  if (spec.minus) repeat(sink, u' ', padding);
}

void put_number(FormatSink& sink, const Spec& spec, std::uint64_t value, unsigned base, bool upper,
                std::u16string_view prefix) {
  std::array<char16_t, 24> digits;
  std::size_t first = digits.size();
  const char16_t* const alphabet = upper ? u"0123456789ABCDEF" : u"0123456789abcdef";
  for (; value != 0; value /= base) digits[--first] = alphabet[value % base];
  // Zero has no digits of its own: an explicit precision of 0 prints nothing.
  if (first == digits.size() && spec.precision != 0) digits[--first] = u'0';
  const std::u16string_view text(digits.data() + first, digits.size() - first);
  std::size_t zeros = 0;
  if (spec.precision > 0 && static_cast<std::size_t>(spec.precision) > text.size())
    zeros = std::min(static_cast<std::size_t>(spec.precision) - text.size(), kNumberLimit);
  if (base == 8 && spec.alternate && zeros == 0 && !text.starts_with(u'0')) zeros = 1;
  put_padded(sink, spec, {prefix, {kZeros.data(), zeros}, text}, spec.zero && spec.precision < 0);
}

std::int64_t signed_argument(const Spec& spec, Arguments& arguments) {
  switch (spec.length) {
    case Length::LongLong:
      return va_arg(arguments.list, long long);
    case Length::Short:
      return static_cast<short>(va_arg(arguments.list, int));
    case Length::Char:
      return static_cast<signed char>(va_arg(arguments.list, int));
    case Length::None:
    case Length::Long:
    case Length::Wide:
      break;
  }
  return va_arg(arguments.list, int);
}

std::uint64_t unsigned_argument(const Spec& spec, Arguments& arguments) {
  switch (spec.length) {
    case Length::LongLong:
      return va_arg(arguments.list, unsigned long long);
    case Length::Short:
      return static_cast<unsigned short>(va_arg(arguments.list, unsigned));
    case Length::Char:
      return static_cast<unsigned char>(va_arg(arguments.list, unsigned));
    case Length::None:
    case Length::Long:
    case Length::Wide:
      break;
  }
  return va_arg(arguments.list, unsigned);
}

void put_signed(FormatSink& sink, const Spec& spec, Arguments& arguments) {
  const std::int64_t value = signed_argument(spec, arguments);
  const auto bits = static_cast<std::uint64_t>(value);
  const std::u16string_view sign = value < 0 ? u"-" : spec.plus ? u"+" : spec.space ? u" " : u"";
  put_number(sink, spec, value < 0 ? ~bits + 1 : bits, 10, false, sign);
}

template <class Char>
void put_text(FormatSink& sink, const Spec& spec, const Char* text, std::size_t length) {
  const auto width = static_cast<std::size_t>(spec.width);
  const std::size_t padding = width > length ? width - length : 0;
  if (!spec.minus) repeat(sink, spec.zero ? u'0' : u' ', padding);
  for (std::size_t i = 0; i < length; ++i)
    sink.put(static_cast<char16_t>(static_cast<std::make_unsigned_t<Char>>(text[i])));
  if (spec.minus) repeat(sink, u' ', padding);
}

// The precision is a limit up to which the text need not be terminated.
template <class Char>
void put_string(FormatSink& sink, const Spec& spec, const Char* text) {
  if (!text) return put_text(sink, spec, "(null)", 6);
  std::size_t length = 0;
  while ((spec.precision < 0 || length < static_cast<std::size_t>(spec.precision)) && text[length])
    ++length;
  put_text(sink, spec, text, length);
}

template <class Char>
void put_counted(FormatSink& sink, const Spec& spec, const Char* text, std::size_t bytes) {
  if (!text) return put_text(sink, spec, "(null)", 6);
  std::size_t length = bytes / sizeof(Char);
  if (spec.precision >= 0) length = std::min(length, static_cast<std::size_t>(spec.precision));
  put_text(sink, spec, text, length);
}

void put_counted_argument(FormatSink& sink, const Spec& spec, Arguments& arguments) {
  const void* argument = va_arg(arguments.list, const void*);
  if (!argument) return put_text(sink, spec, "(null)", 6);
  if (spec.length == Length::Wide || spec.length == Length::Long) {
    const auto* text = static_cast<const UNICODE_STRING*>(argument);
    return put_counted(sink, spec, text->Buffer, text->Length);
  }
  const auto* text = static_cast<const ANSI_STRING*>(argument);
  put_counted(sink, spec, text->Buffer, text->Length);
}

void put_double(FormatSink& sink, const Spec& spec, char conversion, Arguments& arguments) {
  const double value = va_arg(arguments.list, double);
  const auto kind = conversion == 'e'   ? std::chars_format::scientific
                    : conversion == 'g' ? std::chars_format::general
                                        : std::chars_format::fixed;
  std::array<char, kNumberLimit> narrow;
  const int precision = std::min(spec.precision < 0 ? 6 : spec.precision, 64);
  const auto result =
      std::to_chars(narrow.data(), narrow.data() + narrow.size(), value, kind, precision);
  const auto length = static_cast<std::size_t>(result.ptr - narrow.data());
  std::array<char16_t, kNumberLimit> wide;
  std::copy_n(narrow.begin(), length, wide.begin());
  std::u16string_view text(wide.data(), length);
  std::u16string_view sign = spec.plus ? u"+" : spec.space ? u" " : u"";
  if (text.starts_with(u'-')) {
    sign = u"-";
    text.remove_prefix(1);
  }
  put_padded(sink, spec, {sign, {}, text}, spec.zero);
}

template <class Char>
struct Reader {
  const Char* at;

  bool take(char wanted) {
    if (*at != static_cast<Char>(wanted)) return false;
    ++at;
    return true;
  }
  bool take(std::string_view wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (at[i] != static_cast<Char>(wanted[i])) return false;
    at += wanted.size();
    return true;
  }
  int number() {
    int value = 0;
    for (; *at >= '0' && *at <= '9'; ++at) value = std::min(value * 10 + (*at - '0'), kWidthLimit);
    return value;
  }
};

template <class Char>
Length read_length(Reader<Char>& reader) {
  if (reader.take("I64") || reader.take("ll")) return Length::LongLong;
  if (reader.take("I32")) return Length::None;
  for (char sized_as_pointer : {'I', 'z', 't', 'j'})
    if (reader.take(sized_as_pointer)) return Length::LongLong;
  if (reader.take("hh")) return Length::Char;
  if (reader.take('h')) return Length::Short;
  if (reader.take('l')) return Length::Long;
  return reader.take('w') ? Length::Wide : Length::None;
}

template <class Char>
Spec read_spec(Reader<Char>& reader, Arguments& arguments) {
  Spec spec;
  for (bool flag = true; flag;) {
    if (reader.take('-'))
      spec.minus = true;
    else if (reader.take('+'))
      spec.plus = true;
    else if (reader.take(' '))
      spec.space = true;
    else if (reader.take('#'))
      spec.alternate = true;
    else if (reader.take('0'))
      spec.zero = true;
    else
      flag = false;
  }
  if (reader.take('*')) {
    spec.width = std::clamp(va_arg(arguments.list, int), -kWidthLimit, kWidthLimit);
    if (spec.width < 0) {
      spec.minus = true;
      spec.width = -spec.width;
    }
  } else {
    spec.width = reader.number();
  }
  if (reader.take('.'))
    spec.precision = reader.take('*') ? va_arg(arguments.list, int) : reader.number();
  spec.length = read_length(reader);
  return spec;
}

// Whether %s (or, with `other`, %S) takes wide text.
template <class Char>
bool takes_wide(const Spec& spec, bool other) {
  if (spec.length == Length::Short || spec.length == Length::Char) return false;
  if (spec.length == Length::Long || spec.length == Length::Wide) return true;
  return (sizeof(Char) == 2) != other;
}

template <class Char>
void put_string_argument(FormatSink& sink, const Spec& spec, bool other, Arguments& arguments) {
  if (takes_wide<Char>(spec, other))
    put_string(sink, spec, va_arg(arguments.list, const char16_t*));
  else
    put_string(sink, spec, va_arg(arguments.list, const char*));
}

template <class Char>
void put_character_argument(FormatSink& sink, const Spec& spec, bool other, Arguments& arguments) {
  const int value = va_arg(arguments.list, int);
  const auto character = takes_wide<Char>(spec, other) ? static_cast<char16_t>(value)
                                                       : static_cast<unsigned char>(value);
  put_text(sink, spec, &character, 1);
}

void put_pointer(FormatSink& sink, Spec spec, Arguments& arguments) {
  spec.precision = 16;
  put_number(sink, spec, reinterpret_cast<std::uint64_t>(va_arg(arguments.list, void*)), 16, true,
             spec.alternate ? u"0X" : u"");
}

template <class Char>
void put_conversion(FormatSink& sink, Reader<Char>& reader, Arguments& arguments) {
  const Spec spec = read_spec(reader, arguments);
  const Char conversion = *reader.at;
  if (conversion == 0) return;
  ++reader.at;
  switch (conversion) {
    case 'd':
    case 'i':
      return put_signed(sink, spec, arguments);
    case 'u':
      return put_number(sink, spec, unsigned_argument(spec, arguments), 10, false, u"");
    case 'o':
      return put_number(sink, spec, unsigned_argument(spec, arguments), 8, false, u"");
    case 'x':
    case 'X': {
      const std::uint64_t value = unsigned_argument(spec, arguments);
      const bool upper = conversion == 'X';
      return put_number(sink, spec, value, 16, upper,
                        spec.alternate && value != 0 ? (upper ? u"0X" : u"0x") : u"");
    }
    case 'p':
      return put_pointer(sink, spec, arguments);
    case 's':
    case 'S':
      return put_string_argument<Char>(sink, spec, conversion == 'S', arguments);
    case 'c':
    case 'C':
      return put_character_argument<Char>(sink, spec, conversion == 'C', arguments);
    case 'Z':
      return put_counted_argument(sink, spec, arguments);
    case 'e':
    case 'f':
    case 'g':
    case 'E':
    case 'F':
    case 'G':
      return put_double(sink, spec, static_cast<char>(conversion | 0x20), arguments);
    case 'n':
      static_cast<void>(va_arg(arguments.list, void*));
      return;
    default:
      sink.put(static_cast<char16_t>(conversion));  // %% and unknown ones
  }
}

template <class Char>
void format(FormatSink& sink, const Char* text, Arguments& arguments) {
  Reader<Char> reader{text};
  while (*reader.at) {
    if (reader.take('%'))
      put_conversion(sink, reader, arguments);
    else
      sink.put(static_cast<char16_t>(static_cast<std::make_unsigned_t<Char>>(*reader.at++)));
  }
}

}  // namespace

void format_narrow(FormatSink& sink, const char* text, std::va_list list) {
  Arguments arguments;
  va_copy(arguments.list, list);
  format(sink, text, arguments);
  va_end(arguments.list);
}

void format_wide(FormatSink& sink, const char16_t* text, std::va_list list) {
  Arguments arguments;
  va_copy(arguments.list, list);
  format(sink, text, arguments);
  va_end(arguments.list);
}

}  // namespace wddm::nt
