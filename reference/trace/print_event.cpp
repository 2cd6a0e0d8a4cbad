// One event as one line of text.
//
// Everything is taken from event.def: names, order and formats of the fields. Nothing that differs
// between two equal runs is printed; blobs that are not text appear by their size only.
#include <fmt/format.h>

#include <iterator>

#include "reference/trace/ddi.h"
#include "reference/trace/names.h"
#include "reference/trace/op.h"
#include "reference/trace/text.h"
#include "reference/trace/trace_file.h"

namespace wddm {
namespace {

std::string place_name(std::uint32_t place) {
  switch (static_cast<CallPlace>(place)) {
    case CallPlace::Ddi:
      return "Ddi";
    case CallPlace::Isr:
      return "Isr";
    case CallPlace::Synchronize:
      return "Synchronize";
    case CallPlace::Dpc:
      return "Dpc";
    case CallPlace::Thread:
      return "Thread";
  }
  return fmt::format("{}", place);
}

std::string op_name(std::uint32_t kind) {
  const OpInfo* const info = kind <= 0xff ? op_info(static_cast<OpKind>(kind)) : nullptr;
  return info != nullptr ? info->name : fmt::format("{}", kind);
}

// Of a structure with these fields, widest first.
std::size_t record_bytes(std::span<const EventField> fields) {
  const EventField& last = fields.back();
  const std::size_t used = std::size_t{last.offset} + last.size;
  return (used + fields.front().size - 1) / fields.front().size * fields.front().size;
}

std::string value_text(const EventField& field, std::uint64_t wide) {
  const auto value = static_cast<std::uint32_t>(wide);
  const bool none = field.size == 4 && !field.is_signed && value == kNone;
  switch (field.format) {
    case FieldFormat::Hex:
      return fmt::format("0x{:x}", wide);
    case FieldFormat::Status:
      return status_name(value);
    case FieldFormat::Op:
      return op_name(value);
    case FieldFormat::Ddi:
      return ddi_name(value);
    case FieldFormat::Callback:
      return callback_name(value);
    case FieldFormat::Place:
      return place_name(value);
    case FieldFormat::Interrupt:
      return interrupt_name(value);
    case FieldFormat::Paging:
      return none ? "none" : paging_operation_name(value);
    // The kinds of findings belong to the host's kernel; their names stand in the blob.
    case FieldFormat::Finding:
    case FieldFormat::Dec:
      break;
  }
  if (none) return "none";
  if (field.is_signed) return fmt::format("{}", static_cast<std::int32_t>(value));
  return fmt::format("{}", wide);
}

// The members of a call's arguments in its blob. Empty if the blob isn't what the row says.
std::string arguments_text(const Trace& trace, std::uint32_t index) {
  const std::uint32_t ddi = trace.at<ev::DdiEntered>(index).ddi;
  if (ddi >= ddi_table().size()) return {};
  const std::span<const EventField> fields = ddi_table()[ddi].arguments;
  const std::span<const std::byte> blob = trace.blob_bytes(trace.events()[index]);
  if (fields.empty() || blob.size() != record_bytes(fields)) return {};
  std::string text;
  for (const EventField& field : fields)
    text += fmt::format(" {}={}", field.name, value_text(field, field_value(blob.data(), field)));
  return text;
}

bool blob_is_text(const EventInfo& info) {
  return std::string_view(info.about).find("blob: text") != std::string_view::npos;
}

}  // namespace

std::string print_event(const Trace& trace, std::uint32_t index) {
  return print_event(trace, index, index);
}

std::string print_event(const Trace& trace, std::uint32_t index, std::uint32_t number) {
  HARNESS_ASSERT(index < trace.events().size());
  const Event& event = trace.events()[index];
  const EventInfo& info = event_info(event.kind);
  std::string line = fmt::format("#{} op=", number);
  auto out = std::back_inserter(line);
  if (event.op == kNoOp)
    line += '-';
  else
    fmt::format_to(out, "{}", event.op);
  fmt::format_to(out, " thread={} cpu={} irql={} {}", event.thread, event.cpu, event.irql,
                 info.name);
  for (const EventField& field : info.fields)
    fmt::format_to(out, " {}={}", field.name, value_text(field, trace.value(event, field)));
  if (event.kind == EventKind::DdiEntered) {
    if (const std::string arguments = arguments_text(trace, index); !arguments.empty())
      return line + arguments;
  }
  const std::span<const std::byte> blob = trace.blob_bytes(event);
  if (blob_is_text(info))
    fmt::format_to(out, " {}", text::quoted(trace.blob_text(event)));
  else if (!blob.empty())
    fmt::format_to(out, " blob={}", blob.size());
  return line;
}

}  // namespace wddm
