// YAML as events, and whatever is wrong with it as one line: the only place that knows the library.
//
// No tree is built, and nothing is kept but the event at hand, so whoever takes the events decides
// how much a text may cost.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace wddm::yaml {

/// Thrown to end the reading, by those who take the events too.
struct Problem {
  std::size_t line;  ///< 1-based; at the end of a text maybe the line behind its last
  std::string found;
  std::string expected;
};

struct Event {
  enum class Kind {
    Document,  ///< the start of one; its end is not told
    Nothing,   ///< a value left out, or a plain ~ or null
    Scalar,
    Alias,
    List,
    ListEnd,
    Map,
    MapEnd,
  };
  Kind kind = Kind::Nothing;
  std::size_t line = 1;       ///< 1-based
  bool anchor = false;        ///< it has an anchor
  std::string_view tag = {};  ///< empty: none
  std::string_view text = {};
  bool plain = false;  ///< a scalar without quotes
};

class Reader {
 public:
  /// `text` must live longer. Of UTF-8, with or without a byte order mark. A Problem ends the
  /// reading when the library has taken `longest_piece` bytes without an event.
  explicit Reader(std::string_view text, std::size_t longest_piece = std::string_view::npos);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// The next event, which is there until the next call; null at the end. Throws a Problem, and is
  /// not to be called after that.
  const Event* next();

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace wddm::yaml
