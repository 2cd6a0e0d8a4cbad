// CAPS-018: private data of escapes come from user mode, and are looked at before they are used.

#include "conformance/host/interposer.h"
#include "conformance/rules/hex_text.h"
#include "conformance/rules/rule.h"
#include "reference/trace/ddi.h"
#include "reference/trace/op.h"

namespace wddm::caps_018 {
namespace {

// Of an escape that its client knows, which one.
std::string known(const ev::EscapeSent& escape) {
  const std::string its = " of the client's escape " + std::to_string(escape.number);
  switch (static_cast<EscapeData>(escape.data)) {
    case EscapeData::Client:
      return ", all" + its;
    case EscapeData::Cut:
      return ", the first" + its;
    case EscapeData::Altered:
      return its + ", with " + hex_text(escape.word) + " at byte " + std::to_string(escape.at);
    case EscapeData::None:
    case EscapeData::Zeros:
    case EscapeData::Ones:
    case EscapeData::Counting:
      break;
  }
  return "";
}

std::string with_data(const ev::EscapeSent& escape) {
  return ", with " + std::to_string(escape.bytes) + " bytes of private data" + known(escape);
}

bool is_escape(std::uint32_t ddi) {
  return static_cast<DdiId>(ddi) == DdiId::Escape;
}

void judge_call(const ev::EscapeSent& sent, const ev::EscapeAnswered& escape, std::uint32_t index,
                bool alone, Judgement& judgement) {
  judgement.reached(index);
  if (escape.damaged != 0) {
    judgement.fail(index, "nothing is written behind the private data",
                   std::to_string(escape.damaged) + " bytes are" + with_data(sent));
  } else if (alone && !NT_SUCCESS(static_cast<NTSTATUS>(escape.status)) && escape.left_blocks > 0) {
    judgement.fail(index, "what is refused leaves nothing",
                   std::to_string(escape.left_blocks) + " blocks of pool" + with_data(sent));
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  bool alone = true;             // with a neighbour in the driver pool changes for other reasons
  std::uint32_t called = kNone;  // the call that has not returned
  ev::EscapeSent sent{};         // the last
  for (const std::uint32_t index : trace.of_any<ev::OpStarted, ev::EscapeSent, ev::DdiEntered,
                                                ev::DdiReturned, ev::EscapeAnswered, ev::Hung>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      alone = alone && static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind) !=
                           OpKind::Neighbour;
    } else if (event.kind == EventKind::EscapeSent) {
      sent = Trace::as<ev::EscapeSent>(event);
    } else if (event.kind == EventKind::DdiEntered) {
      if (is_escape(Trace::as<ev::DdiEntered>(event).ddi)) called = index;
    } else if (event.kind == EventKind::DdiReturned) {
      if (is_escape(Trace::as<ev::DdiReturned>(event).ddi)) called = kNone;
    } else if (event.kind == EventKind::EscapeAnswered) {
      judge_call(sent, Trace::as<ev::EscapeAnswered>(event), index, alone, judgement);
    } else {
      called = kNone;  // it waits: that is no fault of this kind
    }
  }
  // A crash ends the process, and the trace with it.
  if (called == kNone || trace.truncated()) return;
  judgement.reached(called);
  judgement.fail(called, "the call refuses private data that it cannot use",
                 "it did not return" + with_data(sent));
}

NotApplicable escaping(const Platform& platform) {
  return needs(platform, DdiId::Escape);
}

// A driver that looks for its own header in whatever it is sent.
class TrustsTheSize final : public Interposer {
 public:
  NTSTATUS Escape(HANDLE adapter, const DXGKARG_ESCAPE* escape) override {
    constexpr UINT kHeader = 24;
    const auto* const data = static_cast<const volatile UCHAR*>(escape->pPrivateDriverData);
    if (data != nullptr) static_cast<void>(data[kHeader - 1]);
    return Interposer::Escape(adapter, escape);
  }
};

const Rule kRule{
    .id = "CAPS-018",
    .title = "Escapes stay inside of their private data",
    .level = Level::Should,
    .grade = Grade::Robustness,
    .rule =
        "Private data of an Escape come from user mode, of any size and content: nothing is read "
        "or written behind them, and what the driver refuses leaves nothing.",
    .sources =
        "nc-d3dkmddi-dxgkddi_escape.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_escape.md # pPrivateDriverData, PrivateDriverDataSize",
    .note =
        "The pages lay down no duty to look, hence should. What a driver answers is its own "
        "matter. Data are none at all, 256 bytes of zeros, of "
        "ones or of numbers in a row, or fewer zeros, down to one byte; and where the client has "
        "escape_data(), each of its escapes whole, cut short, and with one word altered: to 0, "
        "to one less and one more, and to the largest numbers with and without a sign. Their end "
        "is as exact as "
        "the alignment of pool, 16 "
        "bytes.",
    .applies = escaping,
    .check = check,
    .played_in = {Configured::GpuVirtual},
    .scenario = R"(
about: escapes without a device, beside one, and beside a process
ops:
- requery
- create_device: {device: 0}
- create_context: {context: 0}
- requery
)",
    .control = R"(
about: nobody has done anything
ops:
- requery
)",
    .fault = {.about = "a header is read of whatever is sent",
              .interposer = [] { return std::unique_ptr<Interposer>(new TrustsTheSize); },
              .also_fires = "CRASH"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::caps_018
