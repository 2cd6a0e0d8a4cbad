// See doc_tables.h.
#include "reference/trace/tests/doc_tables.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "reference/harness_assert.h"
#include "reference/trace/event.h"
#include "reference/trace/field_text.h"
#include "reference/trace/op.h"

namespace wddm::test {
namespace {

// "a, b" of the words whose bit is set, or nothing.
std::string joined(const std::vector<std::pair<bool, const char*>>& words) {
  std::string text;
  for (const auto& [holds, word] : words) {
    if (holds) text += fmt::format("{}{}", text.empty() ? "" : ", ", word);
  }
  return text;
}

std::string role_names(const OpInfo& op) {
  return joined({{op.is(OpRole::Do), "Do"},
                 {op.is(OpRole::Open), "Open"},
                 {op.is(OpRole::Element), "Element"},
                 {op.is(OpRole::Choose), "Choose"},
                 {op.is(OpRole::Modify), "Modify"}});
}

std::string needs(const OpInfo& op) {
  return joined({{op.needs_state(Need::Running), "a running adapter"},
                 {op.needs_state(Need::Begun), "an adapter"},
                 {op.needs_state(Need::Stopped), "a start to come"},
                 {op.needs_state(Need::Unstarted), "the first start to come"},
                 {op.needs_state(Need::Recording), "an opener"},
                 {op.needs_state(Need::Resident), "a resident allocation"}});
}

const char* format_name(FieldFormat format) {
  switch (format) {
    case FieldFormat::Dec:
      return "Dec";
    case FieldFormat::Hex:
      return "Hex";
    case FieldFormat::Status:
      return "Status";
    case FieldFormat::Op:
      return "Op";
    case FieldFormat::Finding:
      return "Finding";
    case FieldFormat::Ddi:
      return "Ddi";
    case FieldFormat::Callback:
      return "Callback";
    case FieldFormat::Place:
      return "Place";
    case FieldFormat::Interrupt:
      return "Interrupt";
    case FieldFormat::Paging:
      return "Paging";
  }
  return "";
}

std::string values(const FieldInfo& field) {
  if (is_object(field.shape))
    return fmt::format("a slot in {}..{}", field.lowest, field.highest);
  return expected_values(field);
}

// Where the rows of a table begin and end in the page.
struct Span {
  std::size_t begin;
  std::size_t end;
};

Span table_in(const std::string& page, const std::string& name) {
  const std::size_t mark = page.find(fmt::format("<!-- {} -->\n", name));
  const std::size_t end = page.find(fmt::format("<!-- end {} -->\n", name));
  HARNESS_ASSERT(mark != std::string::npos && end != std::string::npos && mark < end);
  // Three lines stand before the rows: the mark, the heading and the rule under it.
  std::size_t begin = mark;
  for (int line = 0; line < 3; ++line) begin = page.find('\n', begin) + 1;
  HARNESS_ASSERT(begin <= end);
  return {begin, end};
}

}  // namespace

std::vector<std::string> op_rows() {
  std::vector<std::string> rows;
  for (const OpInfo& op : op_catalogue()) {
    rows.push_back(fmt::format("| {} | **{}** | {} | {} | | {} |", static_cast<int>(op.kind),
                               op.name, role_names(op), needs(op), op.about));
    for (const FieldInfo& field : op.fields)
      rows.push_back(fmt::format("| | {} ({}) | | {} | {} | {} |", field.name, member_name(field.member),
                                 values(field), value_text(field, field.fallback), field.about));
  }
  return rows;
}

std::vector<std::string> event_rows() {
  std::vector<std::string> rows;
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    const EventInfo& info = event_info(static_cast<EventKind>(kind));
    std::string fields;
    for (const EventField& field : info.fields)
      fields += fmt::format("{}{} {}{} {}", fields.empty() ? "" : ", ", field.name,
                            field.is_signed ? 'i' : 'u', field.size * 8, format_name(field.format));
    rows.push_back(fmt::format("| **{}** | {} | {} |", info.name, fields, info.about));
  }
  return rows;
}

std::vector<std::string> rows_in(const std::string& page, const std::string& name) {
  const Span table = table_in(page, name);
  std::istringstream lines(page.substr(table.begin, table.end - table.begin));
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(line);
  return rows;
}

std::string with_rows(const std::string& page, const std::string& name,
                      const std::vector<std::string>& rows) {
  const Span table = table_in(page, name);
  std::string text;
  for (const std::string& row : rows) text += row + "\n";
  return page.substr(0, table.begin) + text + page.substr(table.end);
}

}  // namespace wddm::test
