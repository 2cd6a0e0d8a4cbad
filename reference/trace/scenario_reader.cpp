// See scenario_reader.h. The form is documented in scenario.md.
#include "reference/trace/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/harness_assert.h"
#include "reference/trace/field_text.h"
#include "reference/trace/op_text.h"
#include "reference/trace/text.h"

namespace wddm {
namespace {

// Long or odd text of a file is cut and escaped before it stands in a message.
std::string quoted(std::string_view text) {
  return text::quoted(text, 40);
}

// A line is for reading: of very many words the first.
std::string abridged(const std::string& words) {
  constexpr std::size_t kMost = 480;
  if (words.size() <= kMost) return words;
  return words.substr(0, words.rfind(", ", kMost)) + ", ... (scenario.md has them all)";
}

}  // namespace

void ScenarioReader::fail(std::string found, std::string expected) const {
  throw ScenarioProblem{line_, std::move(found), std::move(expected)};
}

void ScenarioReader::finish() const {
  if (documents_ == 0) fail("no content", "a map with ops");
}

void ScenarioReader::start_event(const YAML::Mark& mark, const std::string& tag,
                                 YAML::anchor_t anchor) {
  piece_bytes_ = 0;
  line_ = mark.line + 1;
  if (anchor != 0) fail("an anchor", "plain values without anchors and aliases");
  // "?" is what the library calls no tag, "!" what it calls a quoted scalar.
  if (!tag.empty() && tag != "?" && tag != "!")
    fail("the tag " + quoted(tag), "plain values without tags");
}

void ScenarioReader::OnDocumentStart(const YAML::Mark& mark) {
  piece_bytes_ = 0;
  line_ = mark.line + 1;
  if (documents_++ != 0) fail("a second document", "one document in a file");
}

void ScenarioReader::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  // The mark of what is not there is that of what follows; a missing value belongs to its key.
  const int key_line = line_;
  start_event(mark, "", anchor);
  if (place_ == Place::Name || place_ == Place::About || place_ == Place::OpList ||
      place_ == Place::FieldValue)
    line_ = key_line;
  take({What::Nothing, ""});
}

void ScenarioReader::OnAlias(const YAML::Mark& mark, YAML::anchor_t) {
  start_event(mark, "", 0);
  fail("an alias", "plain values without anchors and aliases");
}

void ScenarioReader::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                              const std::string& value) {
  start_event(mark, tag, anchor);
  take({What::Scalar, value, tag == "?"});
}

void ScenarioReader::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                     YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  start_event(mark, tag, anchor);
  take({What::List, ""});
}

void ScenarioReader::OnMapStart(const YAML::Mark& mark, const std::string& tag,
                                YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  start_event(mark, tag, anchor);
  take({What::Map, ""});
}

// The only list that is ever entered is that of the ops.
void ScenarioReader::OnSequenceEnd() {
  piece_bytes_ = 0;
  place_ = Place::RootKey;
}

void ScenarioReader::OnMapEnd() {
  piece_bytes_ = 0;
  switch (place_) {
    case Place::RootKey:
      if (!has_ops_) fail("no ops", "a list of ops");
      place_ = Place::Finished;
      return;
    case Place::OpName:
      fail("an empty map", "an op");
    case Place::OpEnd:
      place_ = Place::Element;
      return;
    case Place::FieldName:
      place_ = Place::OpEnd;
      return;
    case Place::Document:
    case Place::Name:
    case Place::About:
    case Place::OpList:
    case Place::Element:
    case Place::OpFields:
    case Place::FieldValue:
    case Place::Finished:
      break;
  }
  harness_failure(__FILE__, __LINE__, "the end of a map that was never entered");
}

std::string ScenarioReader::describe(const Piece& piece) {
  switch (piece.what) {
    case What::Nothing:
      return "nothing";
    case What::Scalar:
      return quoted(piece.text);
    case What::List:
      return "a list";
    case What::Map:
      return "a map";
  }
  return "";
}

void ScenarioReader::take(const Piece& piece) {
  switch (place_) {
    case Place::Document:
      if (piece.what != What::Map) fail(describe(piece), "a map with ops");
      place_ = Place::RootKey;
      return;
    case Place::RootKey:
      return take_root_key(piece);
    case Place::Name:
      out_.name = read_text(piece, true, kMaxNameBytes);
      place_ = Place::RootKey;
      return;
    case Place::About:
      out_.about = read_text(piece, false, kMaxAboutBytes);
      place_ = Place::RootKey;
      return;
    case Place::OpList:
      if (piece.what != What::List) fail(describe(piece) + " for ops", "a list of ops");
      place_ = Place::Element;
      return;
    case Place::Element:
      if (piece.what == What::Map) {
        place_ = Place::OpName;
        return;
      }
      start_op(piece);
      place_ = Place::Element;
      return;
    case Place::OpName:
      start_op(piece);
      place_ = Place::OpFields;
      return;
    case Place::OpFields:
      if (piece.what != What::Map && piece.what != What::Nothing)
        fail(fmt::format("{} for {}", describe(piece), op_name_), "a map of fields");
      place_ = piece.what == What::Map ? Place::FieldName : Place::OpEnd;
      return;
    case Place::OpEnd:
      fail(fmt::format("{} beside {}", describe(piece), op_name_), "one op in each element of ops");
    case Place::FieldName:
      start_field(piece);
      place_ = Place::FieldValue;
      return;
    case Place::FieldValue:
      take_field_value(piece);
      place_ = Place::FieldName;
      return;
    case Place::Finished:
      break;
  }
  harness_failure(__FILE__, __LINE__, "a value behind the end of the document");
}

void ScenarioReader::take_root_key(const Piece& piece) {
  struct Key {
    std::string_view name;
    bool& seen;
    Place place;
  };
  const Key keys[] = {{"name", has_name_, Place::Name},
                      {"about", has_about_, Place::About},
                      {"ops", has_ops_, Place::OpList}};
  for (const Key& key : keys) {
    if (piece.what != What::Scalar || piece.text != key.name) continue;
    if (key.seen) fail(fmt::format("the key {} again", key.name), "each key once");
    key.seen = true;
    place_ = key.place;
    return;
  }
  fail(piece.what == What::Scalar ? "the key " + describe(piece) : describe(piece) + " as a key",
       "name, about or ops");
}

std::string ScenarioReader::read_text(const Piece& piece, bool one_line,
                                      std::size_t longest) const {
  if (piece.what != What::Scalar) fail(describe(piece), "text");
  if (piece.text.size() > longest)
    fail(fmt::format("{} bytes of text", piece.text.size()), fmt::format("at most {}", longest));
  // Escapes reach what the file itself must not hold, and the library makes no UTF-8 of some.
  for (std::string_view rest = piece.text; !rest.empty();) {
    const char c = rest.front();
    const std::size_t length = text::utf8_length(rest);
    if (length == 0)
      fail(fmt::format("an escape for the byte 0x{:02x}", static_cast<unsigned char>(c)),
           "text in UTF-8");
    if (text::is_control(c) && (one_line || (c != '\n' && c != '\t')))
      fail(fmt::format("the character 0x{:02x}", static_cast<unsigned char>(c)),
           one_line ? "text of one line" : "text");
    rest.remove_prefix(length);
  }
  return piece.text;
}

void ScenarioReader::start_op(const Piece& piece) {
  if (piece.what != What::Scalar) fail(describe(piece), "an op");
  if (out_.ops.size() == kMaxOps)
    fail(fmt::format("op {}", kMaxOps + 1), fmt::format("at most {} ops", kMaxOps));
  op_ = find_op(piece.text);
  if (op_ == nullptr && piece.text != kNoneOpName) {
    const OpInfo* const near = nearest_op(piece.text);
    // Files of a newer wddmcheck have ops that are not in our table.
    fail("the op " + describe(piece),
         fmt::format("an op{}{}, or a newer wddmcheck for this file",
                     near != nullptr ? ", perhaps " : "", near != nullptr ? near->name : ""));
  }
  op_name_ = op_ != nullptr ? op_->name : kNoneOpName;
  fields_seen_ = 0;
  out_.ops.push_back(plain_op(op_ != nullptr ? op_->kind : OpKind::None));
  out_.lines.push_back(static_cast<std::uint32_t>(line_));
}

std::span<const FieldInfo> ScenarioReader::fields() const {
  return op_ != nullptr ? op_->fields : std::span<const FieldInfo>{};
}

void ScenarioReader::start_field(const Piece& piece) {
  for (std::size_t i = 0; i < fields().size(); ++i) {
    field_ = &fields()[i];
    if (piece.what != What::Scalar || piece.text != field_->name) continue;
    if ((fields_seen_ & (1u << i)) != 0)
      fail(fmt::format("the field {} of {} again", field_->name, op_name_), "each field once");
    fields_seen_ |= 1u << i;
    return;
  }
  const std::string found =
      piece.what == What::Scalar ? "the field " + describe(piece) : describe(piece) + " as a field";
  fail(fmt::format("{} of {}", found, op_name_), expected_fields(fields()));
}

void ScenarioReader::take_field_value(const Piece& piece) {
  std::optional<std::uint64_t> value;
  if (piece.what == What::Scalar) value = read_value(*field_, piece.text, piece.plain);
  const bool quotes = piece.what == What::Scalar && !piece.plain;
  if (!value)
    fail(fmt::format("{}{} for {}", describe(piece), quotes ? " in quotes" : "", field_->name),
         abridged(expected_values(*field_)));
  set_field(out_.ops.back(), field_->member, *value);
}

}  // namespace wddm
