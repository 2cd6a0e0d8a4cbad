// A host for scheduler tests: short words for inputs, decisions sorted by kind, `validate` after
// each step. Not a driver: tests say themselves what the driver reports.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <variant>
#include <vector>

#include "reference/vidsch/scheduler.h"

namespace wddm::vidsch {

struct TestHost {
  explicit TestHost(const Config& config = {}) : scheduler(config) {}

  std::vector<Decision> step(const Input& input) {
    const auto decisions = scheduler.step(input);
    std::vector<Decision> result(decisions.begin(), decisions.end());
    scheduler.validate();
    return result;
  }
  template <class T>
  static std::vector<T> only(const std::vector<Decision>& decisions) {
    std::vector<T> result;
    for (const Decision& decision : decisions)
      if (const T* match = std::get_if<T>(&decision)) result.push_back(*match);
    return result;
  }

  static EngineId engine(std::uint32_t node) { return {NodeId{node}, 0}; }

  void context(std::uint32_t id, int priority = 0, std::uint32_t device = 0,
               std::uint32_t node = 0) {
    static_cast<void>(step(CreateContext{ContextId{id}, DeviceId{device}, engine(node), priority}));
  }
  /// One packet id per portion; portions are 256 bytes long.
  std::vector<PacketId> render(std::uint32_t id, std::size_t portions = 1) {
    std::vector<std::uint32_t> ends;
    for (std::size_t i = 0; i < portions; ++i)
      ends.push_back(static_cast<std::uint32_t>(256 * (i + 1)));
    std::vector<PacketId> result;
    for (const Enqueued& each : only<Enqueued>(step(EnqueueRender{ContextId{id}, 7, 0, ends})))
      result.push_back(each.packet);
    return result;
  }
  PacketId paging(std::uint32_t node = 0, PacketId after = {}, PacketId before = {}) {
    return only<Enqueued>(step(EnqueuePaging{engine(node), 8, after, before})).at(0).packet;
  }
  SubmitPacket submit(PacketId packet) { return only<SubmitPacket>(step(Submit{packet})).at(0); }
  /// Submits the default choice `count` times; returns the fences.
  std::vector<std::uint32_t> submit_next(std::size_t count, std::uint32_t node = 0) {
    std::vector<std::uint32_t> fences;
    for (std::size_t i = 0; i < count; ++i)
      fences.push_back(submit(scheduler.legal_next(engine(node))[0]).fence.value);
    return fences;
  }
  FenceId preempt(std::uint32_t node = 0) {
    return only<Preempt>(step(RequestPreempt{engine(node)})).at(0).fence;
  }
  std::vector<Decision> completed(std::uint32_t fence, std::uint32_t node = 0) {
    return step(ReportCompleted{engine(node), FenceId{fence}});
  }
  std::vector<Decision> preempted(FenceId id, std::uint32_t last, std::uint32_t node = 0) {
    return step(ReportPreempted{engine(node), id, FenceId{last}});
  }
  std::vector<PacketId> next(std::uint32_t node = 0) const {
    const Choices choices = scheduler.legal_next(engine(node));
    return {choices.packets().begin(), choices.packets().end()};
  }

  Scheduler scheduler;
};

inline ReportOutcome outcome_of(const std::vector<Decision>& decisions) {
  return TestHost::only<Judged>(decisions).at(0).outcome;
}

}  // namespace wddm::vidsch
