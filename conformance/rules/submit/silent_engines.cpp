#include "conformance/rules/submit/silent_engines.h"

#include <algorithm>

#include "conformance/rules/scratch.h"

namespace wddm::submit {
namespace {

// Bytes that no allocation has: something was written astray, and so it has run.
bool is_astray(const ev::MemoryDiffers& differs) {
  return differs.where != static_cast<std::uint32_t>(MemoryPlace::Allocation);
}

}  // namespace

SilentEngines::SilentEngines(const Trace& trace) {
  ScratchMap<std::uint32_t, EngineId> packets;
  ScratchSet<std::uint32_t> completed;
  for (const std::uint32_t index :
       trace.of_any<ev::Submitted, ev::PacketEnded, ev::MarkerRead, ev::DeviceLogged,
                    ev::AccessFaulted, ev::WalkAstray, ev::PageFaultReported, ev::IommuFaulted,
                    ev::MemoryDiffers>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      packets[submitted.packet] = engine_of(submitted);
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = trace.at<ev::PacketEnded>(index);
      if (ended.fate == static_cast<std::uint32_t>(PacketFate::Completed)) {
        completed.insert(ended.packet);
      }
    } else if (event.kind == EventKind::MarkerRead) {
      const auto mark = trace.at<ev::MarkerRead>(index);
      const bool covered = mark.reason == static_cast<std::uint32_t>(MarkerReason::AtCompleted) ||
                           (mark.reason == static_cast<std::uint32_t>(MarkerReason::AtEnd) &&
                            completed.contains(mark.packet));
      if (mark.runs != 0) runs(engine_of(mark), index);
      if (mark.runs == 0 && mark.expected != 0 && covered) misses(engine_of(mark), index);
    } else if (event.kind == EventKind::DeviceLogged) {
      runs(engine_of(trace.at<ev::DeviceLogged>(index)), index);
    } else if (event.kind == EventKind::AccessFaulted) {
      runs(engine_of(trace.at<ev::AccessFaulted>(index)), index);
    } else if (event.kind == EventKind::WalkAstray) {
      runs(engine_of(trace.at<ev::WalkAstray>(index)), index);
    } else if (event.kind == EventKind::PageFaultReported) {
      runs(engine_of(trace.at<ev::PageFaultReported>(index)), index);
    } else if (event.kind == EventKind::IommuFaulted) {
      runs(engine_of(trace.at<ev::IommuFaulted>(index)), index);
    } else {
      const auto differs = trace.at<ev::MemoryDiffers>(index);
      const auto packet = packets.find(differs.cause_object);
      if (packet != packets.end() && is_astray(differs)) runs(packet->second, index);
    }
  }
  const bool any_silent = std::any_of(engines_.begin(), engines_.end(),
                                      [](const Engine& engine) { return engine.was_silent(); });
  if (any_silent) packets_.assign(packets.begin(), packets.end());
}

SilentEngines::Engine& SilentEngines::at(EngineId id) {
  for (Engine& engine : engines_) {
    if (engine.id == id) return engine;
  }
  return engines_.emplace_back(Engine{.id = id});
}

void SilentEngines::runs(EngineId id, std::uint32_t event) {
  Engine& engine = at(id);
  engine.sign = std::min(engine.sign, event);
}

void SilentEngines::misses(EngineId id, std::uint32_t event) {
  Engine& engine = at(id);
  engine.miss = std::min(engine.miss, event);
}

bool SilentEngines::has_run(EngineId id, std::uint32_t event) const {
  return std::any_of(engines_.begin(), engines_.end(),
                     [&](const Engine& engine) { return engine.id == id && engine.sign <= event; });
}

std::string SilentEngines::words_of(EngineId id) const {
  const bool ran = std::any_of(engines_.begin(), engines_.end(), [id](const Engine& engine) {
    return engine.id == id && engine.sign != kNone;
  });
  return ran ? "" : "; nothing was ever seen to run on node " + std::to_string(id.node.value);
}

bool SilentEngines::is_of_silent(std::uint32_t packet, std::uint32_t event) const {
  const EngineId* const id = engine_of_packet(packet);
  if (id == nullptr) return false;
  return std::any_of(engines_.begin(), engines_.end(), [&](const Engine& engine) {
    return engine.id == *id && engine.was_silent() && event < engine.sign;
  });
}

const EngineId* SilentEngines::engine_of_packet(std::uint32_t packet) const {
  const auto at =
      std::lower_bound(packets_.begin(), packets_.end(), packet,
                       [](const auto& one, std::uint32_t wanted) { return one.first < wanted; });
  return at == packets_.end() || at->first != packet ? nullptr : &at->second;
}

}  // namespace wddm::submit
