// See yaml_events.h. The library is libyaml, in C: nothing may be thrown through it, and what it
// gives must be given back.
#include "reference/trace/yaml_events.h"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "reference/trace/text.h"

namespace wddm::yaml {
namespace {

std::string_view view(const yaml_char_t* text) {
  return text != nullptr ? reinterpret_cast<const char*>(text) : std::string_view{};
}

std::size_t line_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

// The library reads YAML 1.1, which breaks lines at three characters more than YAML 1.2 and most
// editors: what looks like a comment would be content.
void refuse_line_separators(std::string_view text) {
  constexpr std::string_view kSeparators[] = {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
  for (const std::string_view separator : kSeparators) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) continue;
    const std::uint32_t point = text::code_point(separator);
    throw Problem{line_at(text, at), fmt::format("the line separator U+{:04X}", point),
                  fmt::format("\\u{:04x} in double quotes", point)};
  }
}

bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

// The library drops the tag "!", which makes text of a plain scalar, but not from between the
// marks. A plain scalar without white space is as long there as it is read.
bool has_hidden_tag(const yaml_event_t& event) {
  if (event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE) return event.data.scalar.plain_implicit;
  const std::string_view text(reinterpret_cast<const char*>(event.data.scalar.value),
                              event.data.scalar.length);
  if (text.find_first_of(" \t\n") != std::string_view::npos) return false;
  const auto characters =
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return event.end_mark.index - event.start_mark.index > static_cast<std::size_t>(characters);
}

Event scalar(const yaml_event_t& event) {
  const auto& given = event.data.scalar;
  Event out;
  out.kind = Event::Kind::Scalar;
  out.anchor = given.anchor != nullptr;
  out.tag = view(given.tag);
  out.text = {reinterpret_cast<const char*>(given.value), given.length};
  out.plain = given.style == YAML_PLAIN_SCALAR_STYLE;
  if (out.tag.empty() && has_hidden_tag(event)) out.tag = "!";
  if (out.plain && out.tag.empty() && is_null(out.text)) out.kind = Event::Kind::Nothing;
  return out;
}

template <typename Start>
Event start(Event::Kind kind, const Start& given) {
  Event out;
  out.kind = kind;
  out.anchor = given.anchor != nullptr;
  out.tag = view(given.tag);
  return out;
}

// False for what nobody needs to know.
bool translate(const yaml_event_t& event, Event& out) {
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      out = Event{};
      out.kind = Event::Kind::Document;
      break;
    case YAML_ALIAS_EVENT:
      out = Event{};
      out.kind = Event::Kind::Alias;
      break;
    case YAML_SCALAR_EVENT:
      out = scalar(event);
      break;
    case YAML_SEQUENCE_START_EVENT:
      out = start(Event::Kind::List, event.data.sequence_start);
      break;
    case YAML_SEQUENCE_END_EVENT:
      out = Event{};
      out.kind = Event::Kind::ListEnd;
      break;
    case YAML_MAPPING_START_EVENT:
      out = start(Event::Kind::Map, event.data.mapping_start);
      break;
    case YAML_MAPPING_END_EVENT:
      out = Event{};
      out.kind = Event::Kind::MapEnd;
      break;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
      return false;
  }
  out.line = event.start_mark.line + 1;
  return true;
}

}  // namespace

struct Reader::Library {
  Library(std::string_view given, std::size_t longest) : text(given), longest_piece(longest) {
    if (yaml_parser_initialize(&parser) == 0) throw std::bad_alloc();
    yaml_parser_set_input(&parser, feed, this);
  }
  ~Library() {
    yaml_event_delete(&event);
    yaml_parser_delete(&parser);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Called by the library for more of the text; 0 ends the reading. It asks for more than it
  // needs: small steps keep what a piece comes to close to the truth.
  static int feed(void* self, unsigned char* out, std::size_t wanted, std::size_t* given) noexcept {
    auto& library = *static_cast<Library*>(self);
    constexpr std::size_t kStep = 2048;
    *given = std::min({wanted, kStep, library.text.size() - library.position});
    library.piece_bytes += *given;
    if (library.piece_bytes > library.longest_piece) return 0;
    std::memcpy(out, library.text.data() + library.position, *given);
    library.position += *given;
    return 1;
  }

  [[nodiscard]] Problem problem() const {
    if (piece_bytes > longest_piece)
      return {told.line, fmt::format("more than {} bytes in one piece", longest_piece),
              "shorter texts and comments"};
    if (parser.error == YAML_MEMORY_ERROR) throw std::bad_alloc();
    const std::string_view context = parser.context != nullptr ? parser.context : "";
    // Only bytes and characters are told by their place in the text.
    const std::size_t line = parser.error == YAML_READER_ERROR
                                 ? line_at(text, parser.problem_offset)
                                 : parser.problem_mark.line + 1;
    if (context == "while scanning a quoted scalar")
      return {line, "a quoted text without its end", "its closing quote"};
    const std::string words =
        fmt::format("{}{}{}", context, context.empty() ? "" : ", ",
                    parser.problem != nullptr ? parser.problem : "for a reason that is not told");
    return {line, "broken YAML, " + text::quoted(words, 80), "well-formed YAML"};
  }

  const std::string_view text;
  const std::size_t longest_piece;
  std::size_t position = 0;
  std::size_t piece_bytes = 0;  ///< taken since the latest event
  yaml_parser_t parser = {};
  yaml_event_t event = {};
  Event told;
};

Reader::Reader(std::string_view text, std::size_t longest_piece) {
  refuse_line_separators(text);
  library_ = std::make_unique<Library>(text, longest_piece);
}

Reader::~Reader() = default;

const Event* Reader::next() {
  Library& library = *library_;
  do {
    yaml_event_delete(&library.event);
    if (yaml_parser_parse(&library.parser, &library.event) == 0) throw library.problem();
    library.piece_bytes = 0;
    if (library.event.type == YAML_STREAM_END_EVENT) return nullptr;
  } while (!translate(library.event, library.told));
  return &library.told;
}

}  // namespace wddm::yaml
