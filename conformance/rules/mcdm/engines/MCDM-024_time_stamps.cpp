// MCDM-024: time stamps of the GPU have a precision, and clocks can be compared.

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/mcdm/undisturbed.h"
#include "conformance/rules/scratch.h"

namespace wddm::mcdm_024 {
namespace {

constexpr std::uint32_t kLeastBits = 32, kMostBits = 64;

bool valid_precision(std::uint32_t bits) {
  return bits == 0 || (bits >= kLeastBits && bits <= kMostBits);
}

// How many time stamps there is room for.
std::uint32_t room_for(const ev::HistoryFormatted& formatted, std::uint32_t bits) {
  return formatted.given / static_cast<std::uint32_t>(bits > kLeastBits ? sizeof(std::uint64_t)
                                                                        : sizeof(std::uint32_t));
}

constexpr std::uint64_t kCpuCountsASecond = 10'000'000;  // of KeQueryPerformanceCounter here

struct Clocks {
  std::uint32_t event = kNone;
  std::uint64_t gpu = 0;
  // Since the counter of the GPU is what it is: the first time, and whether a packet ended since,
  // and again behind it.
  std::uint32_t first = kNone;
  std::uint64_t first_cpu = 0;
  bool ran = false, stood = false;
};

class Stamps {
 public:
  /// `must_answer`: of a driver that may refuse to say, what it says is judged all the same.
  Stamps(bool must_answer, Judgement& judgement)
      : must_answer_(must_answer), judgement_(judgement) {}

  void on(std::uint32_t index, const ev::PrecisionReported& reported) {
    if (!NT_SUCCESS(static_cast<NTSTATUS>(reported.status))) return;  // MCDM-021
    judgement_.reached(index);
    if (!valid_precision(reported.bits)) {
      judgement_.fail(index, "PrecisionBits 0, or 32 to 64, for each node",
                      std::to_string(reported.bits) + " for node " + std::to_string(reported.node));
    }
    bits_[reported.node] = reported.bits;
    if (reported.behind != 0) {
      judgement_.fail(index, "an entry for each node, and nothing behind",
                      std::to_string(reported.behind) + " bytes behind the array");
    }
  }
  void on(std::uint32_t index, const ev::ClockCalibrated& clocks) {
    judgement_.reached(index);
    const std::string where = "node " + std::to_string(clocks.node) + ": ";
    if (clocks.behind != 0) {
      judgement_.fail(index, "nothing behind the structure is written",
                      where + std::to_string(clocks.behind) + " bytes");
    }
    if (clocks.status != 0) {
      if (!must_answer_) return;
      return judgement_.fail(index, "STATUS_SUCCESS of CalibrateGpuClock",
                             where + status_name(clocks.status));
    }
    if (clocks.frequency == 0) {
      judgement_.fail(index, "a GpuFrequency", where + "0");
    }
    if (clocks.cpu < clocks.before || clocks.cpu > clocks.after) {
      judgement_.fail(index, "a CpuClockCounter that was read during the call",
                      where + (clocks.cpu < clocks.before ? "one from before it" : "a later one"));
    }
    Clocks& last = clocks_[{clocks.engine, clocks.node}];
    if (last.event != kNone && clocks.gpu < last.gpu && !begins_again(clocks, last.gpu)) {
      judgement_.fail(index, "a GpuClockCounter that never runs backwards",
                      where + "less than at the calibration before", {last.event});
    }
    if (last.event == kNone || clocks.gpu != last.gpu) {
      last = {.gpu = clocks.gpu, .first = index, .first_cpu = clocks.cpu};
    }
    last.event = index;
    if (!last.ran || last.stood || !has_ticked(clocks, last.first_cpu)) return;
    last.stood = true;
    judgement_.fail(index, "a GpuClockCounter that counts while the engine works",
                    where + "the same as before a packet that has run", {last.first});
  }
  void on(const ev::PacketEnded& ended) {
    if (ended.fate != static_cast<std::uint32_t>(PacketFate::Completed)) return;
    const auto found = clocks_.find({ended.engine, ended.node});
    if (found != clocks_.end()) found->second.ran = true;
  }
  void on(std::uint32_t index, const ev::HistoryFormatted& formatted) {
    judgement_.reached(index);
    // What the query has said need not be said again.
    const auto said = bits_.find(formatted.node);
    const std::uint32_t bits =
        formatted.bits == 0 && said != bits_.end() ? said->second : formatted.bits;
    const bool precise = bits != 0 && valid_precision(bits);
    if (formatted.behind != 0) {
      judgement_.fail(index, "no write behind FormattedBufferSize bytes",
                      std::to_string(formatted.behind) + " bytes");
    }
    // A history of no time stamps is not one that Dxgkrnl hands over: it may be refused.
    if (formatted.status == 0 && !precise) {
      judgement_.fail(index, "a Precision of 32 to 64 bits from FormatHistoryBuffer",
                      std::to_string(bits));
    } else if (formatted.status == 0 && formatted.timestamps > room_for(formatted, bits)) {
      judgement_.fail(index, "no more time stamps than there is room for",
                      std::to_string(formatted.timestamps) + " of " + std::to_string(bits) +
                          " bits in " + std::to_string(formatted.given) + " bytes");
    } else if (formatted.status == 0 && formatted.timestamps == formatted.stamps &&
               formatted.offset != 0) {
      judgement_.fail(index, "Offset 0: all time stamps are formatted",
                      std::to_string(formatted.offset));
    } else if (formatted.status == 0 && formatted.offset != 0 &&
               formatted.offset <= formatted.from) {
      judgement_.fail(
          index, "Offset 0, or one behind that which it went on from",
          std::to_string(formatted.offset) + ", from " + std::to_string(formatted.from));
    }
  }
  /// After a reset, or without power, clocks may begin anew.
  void begin_anew() { clocks_.clear(); }

 private:
  // A counter of fewer bits than 64 goes on at 0 behind its last number.
  [[nodiscard]] bool begins_again(const ev::ClockCalibrated& clocks, std::uint64_t before) const {
    const auto said = bits_.find(clocks.node);
    if (said == bits_.end() || said->second < kLeastBits || said->second >= kMostBits) return false;
    const std::uint64_t numbers = std::uint64_t{1} << said->second;
    return before < numbers && before - clocks.gpu > numbers / 2;
  }
  // Whether a clock of this frequency has counted at least one in the meantime.
  static bool has_ticked(const ev::ClockCalibrated& clocks, std::uint64_t since) {
    return clocks.frequency != 0 && clocks.cpu > since &&
           clocks.cpu - since > kCpuCountsASecond / clocks.frequency;
  }

  const bool must_answer_;
  Judgement& judgement_;
  ScratchMap<std::pair<std::uint32_t, std::uint32_t>, Clocks> clocks_;
  ScratchMap<std::uint32_t, std::uint32_t> bits_;  // of precision, by node
};

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  Stamps stamps(platform.compute_only && undisturbed(trace), judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::PrecisionReported, ev::ClockCalibrated, ev::HistoryFormatted,
                    ev::PacketEnded, ev::EngineReset, ev::AdapterReset, ev::PowerChanged,
                    ev::FStateSet, ev::Running>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PrecisionReported) {
      stamps.on(index, Trace::as<ev::PrecisionReported>(event));
    } else if (event.kind == EventKind::ClockCalibrated) {
      stamps.on(index, trace.at<ev::ClockCalibrated>(index));
    } else if (event.kind == EventKind::HistoryFormatted) {
      stamps.on(index, Trace::as<ev::HistoryFormatted>(event));
    } else if (event.kind == EventKind::PacketEnded) {
      stamps.on(Trace::as<ev::PacketEnded>(event));
    } else {
      stamps.begin_anew();
    }
  }
}

// A driver whose hardware has a clock that the driver never learned to read.
class NoClock final : public Interposer {
 public:
  NTSTATUS CalibrateGpuClock(HANDLE, UINT32, UINT32, DXGKARG_CALIBRATEGPUCLOCK*) override {
    return STATUS_NOT_IMPLEMENTED;
  }
};

NotApplicable with_clocks(const Platform& platform) {
  if (const NotApplicable reason = needs_caps(platform)) return reason;
  if (platform.compute_only) return nullptr;
  return needs(platform, DdiId::CalibrateGpuClock);
}

const Rule kRule{
    .id = "MCDM-024",
    .title = "GPU time stamps are really provided",
    .rule =
        "HISTORYBUFFERPRECISION says 0, or 32 to 64 bits, for each node. Of a device that only "
        "computes CalibrateGpuClock succeeds for each. Where it does, it gives a frequency, a CPU "
        "counter from during the call and a GPU counter "
        "that never runs backwards, and does not stand still while packets run. Where "
        "FormatHistoryBuffer succeeds, it gives a precision of 32 to 64 bits if the query said 0; "
        "it writes no more than it has room for, counts no more time stamps, and an Offset "
        "to go on from lies behind that which it was given.",
    .sources =
        "mcdm-implementation-guidelines.md # Minimum required support\n"
        "ns-d3dkmddi-_dxgkarg_historybufferprecision.md # PrecisionBits, Remarks\n"
        "nc-d3dkmddi-dxgkddi_calibrategpuclock.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_formathistorybuffer.md # fields",
    .note =
        "That both functions work, and not only exist, is derived: the pages allow any error, "
        "which "
        "a device that draws may return. So is that counters never run backwards, which is not "
        "asked "
        "across resets and changes of power, nor of one that begins anew behind its last number, "
        "where the precision says that it has fewer than 64 bits; nor is it that they count, which "
        "is asked only where a clock of the frequency has had the time, since a GPU may halt its "
        "clock while it has nothing to do. The CPU counter is that of KeQueryPerformanceCounter. "
        "What a history holds is the driver's own: those that are formatted are empty, or have "
        "more time stamps than there is room for and nothing but zeros behind their header, of "
        "which only what is written is judged, and that a call goes on behind the one before; how "
        "many "
        "time stamps come of a record is the driver's own as well. A "
        "Precision that the query has said need not be said "
        "again with each, though the page has it that it cannot be 0.",
    .applies = with_clocks,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: precision and clocks, while contexts of two nodes exist and after their packets
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- requery
- render: {context: 0}
- spin: {units: 20}
- render: {context: 1}
- spin: {units: 20}
- idle
- requery
)",
    .control = R"(
about: asked before there is a context
ops:
- requery
)",
    .fault = {.about = "CalibrateGpuClock is not implemented",
              .interposer = [] { return std::unique_ptr<Interposer>(new NoClock); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mcdm_024
