// The INF of a driver's package, as far as clauses ask for it: what its [Version] section says of
// the device class.
//
// Read are UTF-8 (any ASCII is), with or without a byte order mark, and UTF-16LE with one.
// Comments, quotes, lines that go on after a backslash, and %tokens% of [Strings] are as Windows
// has them. The file is input from outside: what is no INF is refused in one line with its place.
#pragma once

#include <string>
#include <string_view>

namespace wddm::host {

/// What ev::PackageRead holds. False with "file:line: what it is; what was expected" in `error`.
[[nodiscard]] bool read_package(const std::string& path, std::string& entries, std::string& error);
/// ... of a text, as UTF-8; `name`: for errors.
[[nodiscard]] bool parse_package(std::string_view bytes, const std::string& name,
                                 std::string& entries, std::string& error);

}  // namespace wddm::host
