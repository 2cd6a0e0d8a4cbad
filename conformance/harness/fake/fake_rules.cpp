// Rules about the events of fake_host.cpp, one for each thing a rule can come to.
#include <cstdlib>
#include <stdexcept>

#include "conformance/rules/rule.h"

namespace wddm {
namespace {

// Reached by every op; fires on a difference of memory.
void check_memory(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t op : trace.of<ev::OpStarted>()) judgement.reached(op);
  for (const std::uint32_t index : trace.of<ev::MemoryDiffers>()) {
    const auto differs = trace.at<ev::MemoryDiffers>(index);
    judgement.fail(index, "memory holds " + std::to_string(differs.expected),
                   "it holds " + std::to_string(differs.seen), {trace.of<ev::Running>().front()});
  }
}

void check_leak(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t op : trace.of<ev::OpStarted>()) judgement.reached(op);
  for (const std::uint32_t index : trace.of<ev::LeakJudged>()) {
    judgement.fail(index, "no row stays bound", "one stays bound");
  }
}

// Reached only with the setting PreemptionAware=0.
void check_preemption(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::GpuAdvanced>()) judgement.reached(index);
}

// A check with two defects, for traces that ask for them.
void check_with_defects(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t op : trace.of<ev::OpStarted>()) judgement.reached(op);
  for (const std::uint32_t index : trace.of<ev::GuardDamaged>()) {
    const auto damaged = trace.at<ev::GuardDamaged>(index);
    if (damaged.area == 99) std::abort();
    if (damaged.area == 98) throw std::runtime_error("not thought of");
  }
}

// Bound to the host: fires on a query of a fence.
void check_host(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t op : trace.of<ev::OpStarted>()) judgement.reached(op);
  for (const std::uint32_t index : trace.of<ev::FenceQueried>()) {
    judgement.fail(index, "no query", "a query");
  }
}

NotApplicable needs_log(const Platform& platform) {
  return platform.has_device_log ? nullptr : "no device log";
}

constexpr const char* kScenario = "name: quiet\nops:\n  - start\n  - idle\n";

const Rule split_001{
    .id = "SPLIT-001",
    .aliases = "OTHER-001",
    .title = "Memory is as predicted",
    .evidence = Evidence::Memory,
    .rule = "After every op, memory holds what was written.",
    .sources = "a made-up document, section 1",
    .applies = always,
    .check = check_memory,
    .scenario = kScenario,
    .control = "name: control\nops:\n  - start\n",
    .fault = {.about = "a word is altered",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SortPageInsBySize},
};
WDDM_RULE(split_001);

const Rule bind_001{
    .id = "BIND-001",
    .title = "No row stays bound",
    .rule = "Every row is unbound.",
    .sources = "a made-up document, section 2",
    .applies = rendering,
    .check = check_leak,
    .scenario = "name: bind\nops:\n  - start\n",
    .control = "name: bind-control\nops:\n  - start\n",
    .fault = {.about = "a row is forgotten", .seat = FaultSeat::Variant, .variant = 7},
};
WDDM_RULE(bind_001);

const Rule page_001{
    .id = "PAGE-001",
    .title = "Reached without preemption only",
    .evidence = Evidence::DeviceLog,
    .rule = "Something about units.",
    .sources = "a made-up document, section 3",
    .applies = always,
    .check = check_preemption,
    .scenario = "name: page\nops:\n  - start\n",
    .control = "name: page-control\nops:\n  - start\n",
    .fault = {.about = "nothing: it survives",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::InterleavePortions},
};
WDDM_RULE(page_001);

const Rule fence_001{
    .id = "FENCE-001",
    .title = "Needs a device log",
    .evidence = Evidence::DeviceLog,
    .rule = "Something about logs.",
    .sources = "a made-up document, section 4",
    .applies = needs_log,
    .check = check_memory,
    .scenario = "name: fence\nops:\n  - start\n",
    .control = "name: fence-control\nops:\n  - start\n",
    .fault = {.about = "nothing",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SubmitBeforePageIn},
};
WDDM_RULE(fence_001);

const Rule caps_001{
    .id = "CAPS-001",
    .title = "A check with defects",
    .rule = "Something about caps.",
    .sources = "a made-up document, section 5",
    .applies = always,
    .check = check_with_defects,
    .scenario = "name: caps\nops:\n  - start\n",
    .control = "name: caps-control\nops:\n  - start\n",
    .fault = {.about = "a word is altered, unannounced",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::SortPageInsBySize},
};
WDDM_RULE(caps_001);

const Rule life_001{
    .id = "LIFE-001",
    .title = "Our host asks for no fence",
    .binds = Binds::Os,
    .rule = "The host is right.",
    .sources = "a made-up document, section 6",
    .applies = always,
    .check = check_host,
    .scenario = "name: life\nops:\n  - start\n",
    .control = "name: life-control\nops:\n  - start\n",
    .fault = {.about = "the host asks",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::LeakCheckIgnoresCap},
};
WDDM_RULE(life_001);

}  // namespace
}  // namespace wddm
