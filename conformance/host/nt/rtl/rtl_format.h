// Formatting by the rules of 64-bit Windows: `long` has 32 bits, wide characters 16, %p 16
// upper-case digits. Internal to the kernel.
//
// Sources: "Format specification syntax: printf and wprintf functions" of the Microsoft C run time,
// and the remarks of DbgPrintEx. Left out: %a, locales; %n consumes its argument and stores
// nothing.
#pragma once

#include <cstdarg>
#include <cstddef>

namespace wddm::nt {

/// Takes the characters of the formatted text, one by one.
class FormatSink {
 public:
  virtual void put(char16_t character) = 0;

 protected:
  ~FormatSink() = default;
};

/// `format` is a narrow string: %s and %c take narrow text, %S and %C wide.
void format_narrow(FormatSink& sink, const char* format, std::va_list arguments);
/// `format` is wide: %s and %c take wide text, %S and %C narrow.
void format_wide(FormatSink& sink, const char16_t* format, std::va_list arguments);

}  // namespace wddm::nt
