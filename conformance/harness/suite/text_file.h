// Small text files that people write: read whole, complained about by file and line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wddm::harness {

/// Reads a whole file, pipe or device of at most so many MiB. False with one line in `error`.
[[nodiscard]] bool read_text_file(const std::string& path, std::string& text, std::string& error,
                                  std::size_t most_mib = 64);

/// Writes a whole file or none: a reader never sees half of it. What is no regular file (a device,
/// a pipe) is written to. Links stay. False with one line in `error`.
[[nodiscard]] bool write_text_file(const std::string& path, const std::string& text,
                                   std::string& error);
/// Whether that is likely to succeed: better known before long work than after it.
[[nodiscard]] bool can_be_written(const std::string& path, std::string& error);

/// What some editors write before text in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// "FILE:LINE: what", printable.
[[nodiscard]] std::string complaint(const std::string& file, std::size_t line,
                                    std::string_view what);

struct Line {
  std::size_t number;  ///< from 1
  std::string text;    ///< without blanks around it
};
/// The lines that are neither empty nor a # comment, without a byte order mark.
[[nodiscard]] std::vector<Line> meaningful_lines(const std::string& text);

/// What stands between the tabs of a line of a table; at least one.
[[nodiscard]] std::vector<std::string> columns_of(const std::string& line);

[[nodiscard]] std::string trimmed(std::string_view text);

}  // namespace wddm::harness
