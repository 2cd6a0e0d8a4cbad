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

using Kind = yaml::Event::Kind;

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
  throw yaml::Problem{line_, std::move(found), std::move(expected)};
}

void ScenarioReader::finish() const {
  if (documents_ == 0) fail("no content", "a map with ops");
}

void ScenarioReader::read(const yaml::Event& event) {
  switch (event.kind) {
    case Kind::ListEnd:
      // The only list that is ever entered is that of the ops.
      place_ = Place::RootKey;
      return;
    case Kind::MapEnd:
      return end_map();
    case Kind::Document:
      line_ = event.line;
      return start_document();
    case Kind::Alias:
      line_ = event.line;
      fail("an alias", "plain values without anchors and aliases");
    case Kind::Nothing:
      // What is not there may have the line of what follows; it belongs to its key.
      if (place_ != Place::Name && place_ != Place::About && place_ != Place::OpList &&
          place_ != Place::FieldValue)
        line_ = event.line;
      break;
    case Kind::Scalar:
    case Kind::List:
    case Kind::Map:
      line_ = event.line;
      break;
  }
  refuse_decoration(event);
  take(event);
}

void ScenarioReader::start_document() {
  if (documents_++ != 0) fail("a second document", "one document in a file");
}

void ScenarioReader::refuse_decoration(const yaml::Event& event) const {
  if (event.anchor) fail("an anchor", "plain values without anchors and aliases");
  if (!event.tag.empty()) fail("the tag " + quoted(event.tag), "plain values without tags");
}

void ScenarioReader::end_map() {
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

std::string ScenarioReader::describe(const yaml::Event& piece) {
  switch (piece.kind) {
    case Kind::Nothing:
      return "nothing";
    case Kind::Scalar:
      return quoted(piece.text);
    case Kind::List:
      return "a list";
    case Kind::Map:
      return "a map";
    case Kind::Document:
    case Kind::Alias:
    case Kind::ListEnd:
    case Kind::MapEnd:
      break;
  }
  return "";
}

void ScenarioReader::take(const yaml::Event& piece) {
  switch (place_) {
    case Place::Document:
      if (piece.kind != Kind::Map) fail(describe(piece), "a map with ops");
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
      if (piece.kind != Kind::List) fail(describe(piece) + " for ops", "a list of ops");
      place_ = Place::Element;
      return;
    case Place::Element:
      if (piece.kind == Kind::Map) {
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
      if (piece.kind != Kind::Map && piece.kind != Kind::Nothing)
        fail(fmt::format("{} for {}", describe(piece), op_name_), "a map of fields");
      place_ = piece.kind == Kind::Map ? Place::FieldName : Place::OpEnd;
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

void ScenarioReader::take_root_key(const yaml::Event& piece) {
  struct Key {
    std::string_view name;
    bool& seen;
    Place place;
  };
  const Key keys[] = {{"name", has_name_, Place::Name},
                      {"about", has_about_, Place::About},
                      {"ops", has_ops_, Place::OpList}};
  for (const Key& key : keys) {
    if (piece.kind != Kind::Scalar || piece.text != key.name) continue;
    if (key.seen) fail(fmt::format("the key {} again", key.name), "each key once");
    key.seen = true;
    place_ = key.place;
    return;
  }
  fail(piece.kind == Kind::Scalar ? "the key " + describe(piece) : describe(piece) + " as a key",
       "name, about or ops");
}

std::string ScenarioReader::read_text(const yaml::Event& piece, bool one_line,
                                      std::size_t longest) const {
  if (piece.kind != Kind::Scalar) fail(describe(piece), "text");
  if (piece.text.size() > longest)
    fail(fmt::format("{} bytes of text", piece.text.size()), fmt::format("at most {}", longest));
  // Escapes reach what the file itself must not hold.
  for (const char c : piece.text)
    if (text::is_control(c) && (one_line || (c != '\n' && c != '\t')))
      fail(fmt::format("the character 0x{:02x}", static_cast<unsigned char>(c)),
           one_line ? "text of one line" : "text");
  return std::string(piece.text);
}

void ScenarioReader::start_op(const yaml::Event& piece) {
  if (piece.kind != Kind::Scalar) fail(describe(piece), "an op");
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

void ScenarioReader::start_field(const yaml::Event& piece) {
  for (std::size_t i = 0; i < fields().size(); ++i) {
    field_ = &fields()[i];
    if (piece.kind != Kind::Scalar || piece.text != field_->name) continue;
    if ((fields_seen_ & (1u << i)) != 0)
      fail(fmt::format("the field {} of {} again", field_->name, op_name_), "each field once");
    fields_seen_ |= 1u << i;
    return;
  }
  const std::string found =
      piece.kind == Kind::Scalar ? "the field " + describe(piece) : describe(piece) + " as a field";
  fail(fmt::format("{} of {}", found, op_name_), expected_fields(fields()));
}

void ScenarioReader::take_field_value(const yaml::Event& piece) {
  std::optional<std::uint64_t> value;
  if (piece.kind == Kind::Scalar) value = read_value(*field_, piece.text, piece.plain);
  const bool quotes = piece.kind == Kind::Scalar && !piece.plain;
  if (!value)
    fail(fmt::format("{}{} for {}", describe(piece), quotes ? " in quotes" : "", field_->name),
         abridged(expected_values(*field_)));
  set_field(out_.ops.back(), field_->member, *value);
}

}  // namespace wddm
