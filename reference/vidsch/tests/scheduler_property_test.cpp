// The scheduler against a naive one, on random requests and an honest simulated driver.
//
// The naive scheduler keeps deques and finds what is legal by the words of the clauses. The driver
// finishes packets in order, reports late and cumulatively, and answers preemption at any time.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "reference/vidsch/tests/test_host.h"

namespace wddm::vidsch {
namespace {

constexpr std::uint32_t kNodes = 2;
constexpr std::uint32_t kContexts = 4;

struct Item {
  PacketId id;
  bool paging = false;
  std::uint32_t context = 0;
  bool first = true;
  bool back = false;  // came back from the hardware
  std::uint32_t fence = 0;
  std::uint64_t age = 0;
  bool ran = false;
};

struct NaiveEngine {
  std::deque<Item> paging;
  std::map<std::uint32_t, std::deque<Item>> contexts;
  std::deque<Item> hardware;  // the driver's queue too: a finished packet has `ran`
  std::uint32_t next_fence = 1;
  std::optional<std::uint32_t> request;
  std::uint32_t last_ran = 0;

  std::uint32_t draw() {
    const std::uint32_t fence = next_fence;
    next_fence = next_fence == UINT32_MAX ? 1 : next_fence + 1;
    return fence;
  }
};

struct Naive {
  bool preemption_aware = true;
  std::size_t cap = 0;
  std::map<std::uint32_t, int> priority;
  NaiveEngine engines[kNodes];
  std::map<PacketId, int> finished;

  [[nodiscard]] std::vector<PacketId> legal(const NaiveEngine& e) const {
    if (e.request || (cap != 0 && e.hardware.size() >= cap)) return {};
    if (!e.paging.empty() && e.paging.front().back) return {e.paging.front().id};
    std::vector<Item> heads;
    bool begun = false;
    for (const auto& [context, queue] : e.contexts) {
      if (queue.empty()) continue;
      heads.push_back(queue.front());
      begun = begun || !queue.front().first;
    }
    if (!preemption_aware && begun) std::erase_if(heads, [](const Item& i) { return i.first; });
    std::stable_sort(heads.begin(), heads.end(), [&](const Item& a, const Item& b) {
      const int pa = priority.at(a.context);
      const int pb = priority.at(b.context);
      return pa != pb ? pa > pb : a.age < b.age;
    });
    std::vector<PacketId> result;
    if (!e.paging.empty()) result.push_back(e.paging.front().id);
    for (const Item& head : heads) result.push_back(head.id);
    return result;
  }
  /// The driver reported `fence`: its packet and those before it are done.
  void done(NaiveEngine& e, std::uint32_t fence) {
    while (!e.hardware.empty()) {
      const Item item = e.hardware.front();
      RC_ASSERT(item.ran);
      e.hardware.pop_front();
      ++finished[item.id];
      if (item.fence == fence) return;
    }
  }
  void come_back(NaiveEngine& e) {
    while (!e.hardware.empty()) {
      Item item = e.hardware.back();
      e.hardware.pop_back();
      item.back = true;
      (item.paging ? e.paging : e.contexts[item.context]).push_front(item);
    }
  }
};

struct World {
  TestHost host;
  Naive naive;
  std::uint64_t age = 0;
  std::vector<PacketId> all;

  explicit World(const Config& config) : host(config) {
    naive.preemption_aware = config.preemption_aware;
    naive.cap = config.hardware_queue_cap;
    for (NaiveEngine& e : naive.engines) e.next_fence = config.first_fence;
  }

  void enqueue_render(std::uint32_t context, std::size_t portions) {
    bool first = true;
    ++age;
    for (const PacketId id : host.render(context, portions)) {
      naive.engines[context % kNodes].contexts[context].push_back(
          {id, false, context, first, false, 0, age, false});
      first = false;
      all.push_back(id);
    }
  }
  void enqueue_paging(std::uint32_t node) {
    const PacketId id = host.paging(node);
    naive.engines[node].paging.push_back({id, true, 0, true, false, 0, ++age, false});
    all.push_back(id);
  }
  void submit(std::uint32_t node, PacketId id) {
    NaiveEngine& e = naive.engines[node];
    const Packet packet = *host.scheduler.packet(id);
    auto& queue = packet.kind == PacketKind::Paging ? e.paging : e.contexts[packet.context.value];
    RC_ASSERT(queue.front().id == id);
    Item item = queue.front();
    queue.pop_front();
    const SubmitPacket decision = host.submit(id);
    if (!(item.paging && item.back)) item.fence = e.draw();
    RC_ASSERT(decision.fence.value == item.fence);
    RC_ASSERT(decision.resubmission == item.back);
    e.hardware.push_back(item);
  }
  void answer(std::uint32_t node) {
    NaiveEngine& e = naive.engines[node];
    const auto decisions = host.preempted(FenceId{*e.request}, e.last_ran, node);
    RC_ASSERT(outcome_of(decisions) == ReportOutcome::Accepted);
    if (!e.hardware.empty() && e.hardware.front().ran) naive.done(e, e.last_ran);
    std::vector<std::uint32_t> back;
    for (const Item& item : e.hardware) back.push_back(item.fence);
    const auto requeued = TestHost::only<Requeued>(decisions);
    RC_ASSERT(requeued.size() == back.size());
    for (std::size_t i = 0; i < back.size(); ++i) RC_ASSERT(requeued[i].fence.value == back[i]);
    naive.come_back(e);
    e.request.reset();
  }
  void run_one(std::uint32_t node) {
    NaiveEngine& e = naive.engines[node];
    const auto next =
        std::find_if(e.hardware.begin(), e.hardware.end(), [](const Item& i) { return !i.ran; });
    if (next == e.hardware.end()) return;
    next->ran = true;
    e.last_ran = next->fence;
  }
  void report(std::uint32_t node) {
    NaiveEngine& e = naive.engines[node];
    if (e.last_ran == 0) return;
    const bool news = !e.hardware.empty() && e.hardware.front().ran;
    const auto outcome = outcome_of(host.completed(e.last_ran, node));
    RC_ASSERT(outcome == (news ? ReportOutcome::Accepted : ReportOutcome::Repeated));
    if (news) naive.done(e, e.last_ran);
  }
  void check() {
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      const NaiveEngine& e = naive.engines[node];
      const std::vector<PacketId> expected = naive.legal(e);
      RC_ASSERT(host.next(node) == expected);
      for (const PacketId id : all) {
        const Packet* packet = host.scheduler.packet(id);
        if (packet && packet->engine.node.value == node)
          RC_ASSERT(host.scheduler.may_submit(id) ==
                    (std::count(expected.begin(), expected.end(), id) != 0));
      }
      std::vector<FenceId> out(64);
      out.resize(host.scheduler.ledger(TestHost::engine(node)).outstanding(out));
      RC_ASSERT(out.size() == e.hardware.size());
      for (std::size_t i = 0; i < out.size(); ++i) RC_ASSERT(out[i].value == e.hardware[i].fence);
    }
  }
};

RC_GTEST_PROP(SchedulerProperty, AgreesWithTheNaiveScheduler, ()) {
  Config config;
  config.nodes = kNodes;
  config.preemption_aware = *rc::gen::arbitrary<bool>();
  config.hardware_queue_cap = *rc::gen::element<std::uint32_t>(0, 0, 1, 2, 3);
  config.first_fence = *rc::gen::element<std::uint32_t>(1, 0xFFFFFFF0u);
  config.contexts = kContexts;
  config.packets = 48;
  World world(config);
  for (std::uint32_t c = 0; c < kContexts; ++c) {
    const int priority = *rc::gen::inRange(-1, 2);
    world.naive.priority[c] = priority;
    world.host.context(c, priority, 0, c % kNodes);
  }
  const int steps = *rc::gen::inRange(1, 120);
  for (int step = 0; step < steps; ++step) {
    const std::uint32_t node = *rc::gen::inRange<std::uint32_t>(0, kNodes);
    NaiveEngine& e = world.naive.engines[node];
    switch (
        *rc::gen::weightedElement<int>({{3, 0}, {2, 1}, {6, 2}, {4, 3}, {3, 4}, {1, 5}, {2, 6}})) {
      case 0:
        if (world.host.scheduler.room() >= 3)
          world.enqueue_render(*rc::gen::inRange<std::uint32_t>(0, kContexts),
                               *rc::gen::inRange<std::size_t>(1, 4));
        break;
      case 1:
        if (world.host.scheduler.room() >= 1) world.enqueue_paging(node);
        break;
      case 2: {
        const auto next = world.host.next(node);
        if (!next.empty()) world.submit(node, next[*rc::gen::inRange<std::size_t>(0, next.size())]);
        break;
      }
      case 3:
        world.run_one(node);
        break;
      case 4:
        world.report(node);
        break;
      case 5:
        if (!e.request) {
          e.request = world.host.preempt(node).value;
          RC_ASSERT(*e.request == e.draw());
        }
        break;
      default:
        if (e.request) world.answer(node);
    }
    world.check();
  }
  // Left alone, everything completes exactly once.
  for (int turn = 0; turn < 500 && !world.host.scheduler.idle(); ++turn) {
    const std::uint32_t node = static_cast<std::uint32_t>(turn) % kNodes;
    if (world.naive.engines[node].request) world.answer(node);
    const auto next = world.host.next(node);
    if (!next.empty()) world.submit(node, next[0]);
    world.run_one(node);
    world.report(node);
  }
  RC_ASSERT(world.host.scheduler.idle());
  RC_ASSERT(world.naive.finished.size() == world.all.size());
  for (const auto& [id, times] : world.naive.finished) RC_ASSERT(times == 1);
}

}  // namespace
}  // namespace wddm::vidsch
