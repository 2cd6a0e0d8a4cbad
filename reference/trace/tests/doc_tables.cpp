// See doc_tables.h.
#include "reference/trace/tests/doc_tables.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "reference/harness_assert.h"
#include "reference/trace/ddi.h"
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
                 {op.is(OpRole::Modify), "Modify"},
                 {op.is(OpRole::Hostile), "Hostile"}});
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

const char* version_name(InterfaceVersion version) {
  switch (version) {
    case InterfaceVersion::Vista:
      return "1.0";
    case InterfaceVersion::Win7:
      return "1.1";
    case InterfaceVersion::Win8:
      return "1.2";
    case InterfaceVersion::Wddm1_3:
      return "1.3";
    case InterfaceVersion::Wddm2_0:
      return "2.0";
    case InterfaceVersion::Wddm2_2:
      return "2.2";
    case InterfaceVersion::Wddm2_4:
      return "2.4";
    case InterfaceVersion::Wddm3_2:
      return "3.2";
  }
  return "";
}

const char* irql_name(Irql irql) {
  switch (irql) {
    case Irql::Passive:
      return "PASSIVE";
    case Irql::Apc:
      return "APC";
    case Irql::Dispatch:
      return "DISPATCH";
    case Irql::Device:
      return "DIRQL";
    case Irql::High:
      return "HIGH_LEVEL";
    case Irql::Any:
      return "any";
  }
  return "";
}

const char* presence_name(DdiPresence presence) {
  switch (presence) {
    case DdiPresence::Start:
      return "to start";
    case DdiPresence::Always:
      return "always";
    case DdiPresence::Rendering:
      return "rendering";
    case DdiPresence::PatchLists:
      return "patch lists";
    case DdiPresence::GpuVirtualAddresses:
      return "GPU virtual addresses";
    case DdiPresence::EngineResets:
      return "engine resets";
    case DdiPresence::CancelAware:
      return "CancelCommandAware";
    case DdiPresence::CpuHostAperture:
      return "CPU host aperture";
    case DdiPresence::Display:
      return "displays";
    case DdiPresence::Optional:
      return "optional";
  }
  return "";
}

const char* object_name(DdiObject object) {
  switch (object) {
    case DdiObject::Nothing:
      return "";
    case DdiObject::InfoType:
      return "type asked for";
    case DdiObject::Device:
      return "device";
    case DdiObject::Context:
      return "context";
    case DdiObject::Allocation:
      return "allocation";
    case DdiObject::Packet:
      return "packet";
    case DdiObject::Node:
      return "node";
    case DdiObject::Process:
      return "process";
  }
  return "";
}

std::string field_list(std::span<const EventField> fields) {
  std::string list;
  for (const EventField& field : fields)
    list += fmt::format("{}{} {}{} {}", list.empty() ? "" : ", ", field.name,
                        field.is_signed ? 'i' : 'u', field.size * 8, format_name(field.format));
  return list;
}

std::string values(const FieldInfo& field) {
  if (is_object(field.shape)) return fmt::format("a slot in {}..{}", field.lowest, field.highest);
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
      rows.push_back(fmt::format("| | {} ({}) | | {} | {} | {} |", field.name,
                                 member_name(field.member), values(field),
                                 value_text(field, field.fallback), field.about));
  }
  return rows;
}

std::vector<std::string> event_rows() {
  std::vector<std::string> rows;
  for (std::size_t kind = 1; kind < kEventKinds; ++kind) {
    const EventInfo& info = event_info(static_cast<EventKind>(kind));
    rows.push_back(
        fmt::format("| **{}** | {} | {} |", info.name, field_list(info.fields), info.about));
  }
  return rows;
}

std::vector<std::string> ddi_rows() {
  std::vector<std::string> rows;
  for (const DdiInfo& ddi : ddi_table())
    rows.push_back(fmt::format("| {} | **{}** | {} | {} | {} | {} | {} | {} |", rows.size(),
                               ddi.name, version_name(ddi.since), irql_name(ddi.irql),
                               static_cast<int>(ddi.level), presence_name(ddi.presence),
                               object_name(ddi.object), field_list(ddi.arguments)));
  return rows;
}

std::vector<std::string> callback_rows() {
  std::vector<std::string> rows;
  for (const CallbackInfo& callback : callback_table()) {
    const std::string lowest = irql_name(callback.lowest);
    const std::string highest = irql_name(callback.highest);
    rows.push_back(fmt::format(
        "| {} | **{}** | {} | {} | {} | {} |", rows.size(), callback.name,
        version_name(callback.since), lowest == highest ? lowest : lowest + " to " + highest,
        callback.fallible ? "yes" : "", callback.offered ? "yes" : "refused"));
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
