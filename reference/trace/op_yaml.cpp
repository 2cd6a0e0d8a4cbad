// Reads a scenario file, which is hostile until it has been read.
//
// Bytes are checked before the YAML library sees them (size, UTF-8, control characters: it treats
// some of those as ends of file), the grammar while it speaks (scenario_reader.h), and what it
// would keep in memory is bounded by the stream that feeds it. Whatever it throws becomes one line.
#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>

#include "reference/trace/op.h"
#include "reference/trace/op_text.h"
#include "reference/trace/scenario_reader.h"
#include "reference/trace/text.h"

namespace wddm {
namespace {

// Feeds the library in steps and ends the reading when it has taken kMaxPieceBytes without an
// event.
class PieceStream final : public std::streambuf {
 public:
  explicit PieceStream(const std::string& text) : text_(text) {}
  [[nodiscard]] std::size_t& piece_bytes() { return piece_bytes_; }

 protected:
  std::streamsize xsgetn(char* out, std::streamsize wanted) override {
    const std::size_t length = std::min(static_cast<std::size_t>(wanted), text_.size() - position_);
    piece_bytes_ += length;
    if (piece_bytes_ > kMaxPieceBytes)
      throw ScenarioProblem{0, fmt::format("more than {} bytes in one piece", kMaxPieceBytes),
                            "shorter lists, texts and comments"};
    text_.copy(out, length, position_);
    position_ += length;
    return static_cast<std::streamsize>(length);
  }
  // Single bytes are only asked for at the start, to look for a byte order mark.
  int_type underflow() override {
    return position_ < text_.size() ? traits_type::to_int_type(text_[position_])
                                    : traits_type::eof();
  }
  int_type uflow() override {
    const int_type next = underflow();
    if (position_ < text_.size()) ++position_;
    return next;
  }
  int_type pbackfail(int_type) override {
    if (position_ == 0) return traits_type::eof();
    --position_;
    return underflow();
  }

 private:
  const std::string& text_;
  std::size_t position_ = 0;
  std::size_t piece_bytes_ = 0;
};

void check_bytes(std::string_view text) {
  if (text.size() > kMaxFileBytes)
    throw ScenarioProblem{1, fmt::format("a file of {} bytes", text.size()),
                          fmt::format("at most {}", kMaxFileBytes)};
  int line = 1;
  while (!text.empty()) {
    const std::size_t length = text::utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0)
      throw ScenarioProblem{line, fmt::format("the byte 0x{:02x}", byte), "text in UTF-8"};
    if (text::is_control(text[0]) && byte != '\t' && byte != '\n' && byte != '\r')
      throw ScenarioProblem{line, fmt::format("the control character 0x{:02x}", byte), "text"};
    if (byte == '\n') ++line;
    text.remove_prefix(length);
  }
}

// The library takes an open quote for closed when nothing but white space follows to the end of the
// file. The mark for the end of a document makes it see that.
std::string with_end_mark(const std::string& text) {
  return text.empty() || text.back() != '\n' ? text : text + "...\n";
}

void read(const std::string& text, Scenario& out, int& line) {
  check_bytes(text);
  const std::string marked = with_end_mark(text);
  PieceStream bytes(marked);
  std::istream stream(&bytes);
  ScenarioReader reader(out, bytes.piece_bytes());
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(reader)) {
    }
    reader.finish();
  } catch (...) {
    line = reader.line();
    throw;
  }
}

// What is missing at the end of a file is missed behind its last line.
int lines_of(const std::string& text) {
  const auto breaks = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  return std::max(1, text.empty() || text.back() == '\n' ? breaks : breaks + 1);
}

// A file name may hold anything; the message stays one line.
std::string one_line(std::string text) {
  for (char& c : text)
    if (text::is_control(c)) c = '?';
  return text;
}

}  // namespace

bool parse_scenario(const std::string& text, const std::string& file, Scenario& out,
                    TextError& error) {
  out = Scenario{};
  int line = 1;  // of the last thing understood, for problems that know no line
  const auto say = [&](int where, const std::string& found, const std::string& expected) {
    error.message =
        fmt::format("{}:{}: found {}; expected {}", one_line(file),
                    std::min(where > 0 ? where : line, lines_of(text)), found, expected);
    return false;
  };
  try {
    read(text, out, line);
    return true;
  } catch (const ScenarioProblem& problem) {
    return say(problem.line, problem.found, problem.expected);
  } catch (const YAML::Exception& problem) {
    if (problem.msg == YAML::ErrorMsg::EOF_IN_SCALAR ||
        problem.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
      return say(problem.mark.line + 1, "a quoted text without its end", "its closing quote");
    return say(problem.mark.line + 1, "broken YAML, " + text::quoted(problem.msg, 80),
               "well-formed YAML");
  } catch (const std::exception& problem) {
    return say(0, "what the YAML library cannot read, " + text::quoted(problem.what(), 80),
               "well-formed YAML");
  }
}

}  // namespace wddm
