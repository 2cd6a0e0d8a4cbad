// Every interleaving of small worlds: up to four packets on one node (a fifth kind puts the paging
// on a second node), preemption at any point, and a driver that finishes, reports and answers at
// any time. States that were seen before aren't explored again.
//
// Verifies, in every state: no packet is lost or finishes twice, order within a context, paging
// fences reused and first in line, render fences renewed, nothing but paging between portions in
// the Windows 7 model, dependencies and queue limits kept; and that no state is stuck. Doesn't
// verify dishonest drivers, resets and ends of contexts (`scheduler_test.cpp`).
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "reference/vidsch/scheduler.h"

namespace wddm::vidsch {
namespace {

constexpr std::uint32_t kNodes = 2;
constexpr std::uint32_t kFirstFence = 10;

// What a world enqueues, by letter:
//   P  paging on node 0             a, b  a packet of context A or B
//   A, B  a command in two portions
//   S  a command of A in two portions, with paging between them on node 0
//   X  the same with the paging on node 1
constexpr std::string_view kLetters = "PabABSX";
std::size_t packets_of(char letter) {
  switch (letter) {
    case 'A':
    case 'B':
      return 2;
    case 'S':
    case 'X':
      return 3;
    default:
      return 1;
  }
}

struct Shape {
  bool preemption_aware = true;
  std::uint32_t cap = 0;
  std::size_t packets = 4;
  int preemptions = 1;
};

// In words, because the bytes of a Shape include what lies between its members.
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << (shape.preemption_aware ? "Win8" : "Win7") << "Cap" << shape.cap << "Packets"
       << shape.packets << "Preemptions" << shape.preemptions;
}

struct Node {
  std::vector<std::uint8_t> queue;  // unfinished packets that the driver has, by number
  std::uint32_t last_finished = 0;
  std::uint32_t last_reported = 0;
  std::uint32_t request = 0;
  std::uint32_t next_fence = kFirstFence;
};

// A packet, by the order in which it was enqueued.
struct Job {
  PacketId id;
  bool paging = false;
  std::uint8_t node = 0;
  char context = 0;
  bool first = true;
  bool last = true;
  int after = -1;
  int before = -1;
  std::uint32_t fence = 0;
  bool on_hardware = false;
  bool finished = false;
  bool came_back = false;
};

class World {
 public:
  World(const Shape& shape, std::string letters)
      : shape_(shape), letters_(std::move(letters)), scheduler_(config(shape)) {
    preemptions_ = shape.preemptions;
    for (std::uint32_t c = 0; c < 2; ++c)
      step(CreateContext{ContextId{c}, DeviceId{c}, {NodeId{0}, 0}, 0});
  }

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Everything that decides the future, and all that later checks look at.
  [[nodiscard]] std::string key() const {
    std::string key;
    const auto put = [&key](std::uint64_t value) {
      key.append(reinterpret_cast<const char*>(&value), 4);
    };
    put(enqueued_);
    put(static_cast<std::uint64_t>(preemptions_));
    for (const Node& node : nodes_) {
      for (const std::uint8_t number : node.queue) key += static_cast<char>(number);
      key += '|';
      for (const std::uint32_t value :
           {node.last_finished, node.last_reported, node.request, node.next_fence})
        put(value);
    }
    for (const Job& job : jobs_) {
      put(job.fence);
      key += static_cast<char>(job.on_hardware | job.finished << 1 | job.came_back << 2);
    }
    return key;
  }

  /// Calls `visit` with each world one action further; returns how many there were.
  template <class Visit>
  int each_next(Visit&& visit) const {
    int count = 0;
    const auto take = [&](const std::string& name, auto&& action) {
      World next = *this;
      next.path_ += name + ' ';
      action(next);
      next.scheduler_.validate();
      ++count;
      visit(std::move(next));
    };
    if (enqueued_ < letters_.size())
      take(std::string("enqueue-") + letters_[enqueued_], [](World& w) { w.enqueue(); });
    for (std::uint8_t n = 0; n < kNodes; ++n) {
      const std::string at = std::to_string(n);
      const Choices choices = scheduler_.legal_next({NodeId{n}, 0});
      for (const PacketId id : choices.packets())
        take("submit" + at + '-' + std::to_string(number_of(id)), [&](World& w) { w.submit(id); });
      if (!nodes_[n].queue.empty()) take("finish" + at, [&](World& w) { w.finish(n); });
      if (nodes_[n].last_finished != nodes_[n].last_reported)
        take("report" + at, [&](World& w) { w.report(n); });
      if (nodes_[n].request != 0) take("answer" + at, [&](World& w) { w.answer(n); });
    }
    if (preemptions_ > 0 && nodes_[0].request == 0) take("preempt", [](World& w) { w.preempt(); });
    return count;
  }

  void check_end() {
    expect(enqueued_ == letters_.size(), "not everything was enqueued");
    for (const Job& job : jobs_) expect(job.finished, "a packet was lost");
    expect(scheduler_.idle(), "the scheduler still has packets");
  }

 private:
  static Config config(const Shape& shape) {
    Config config;
    config.nodes = kNodes;
    config.preemption_aware = shape.preemption_aware;
    config.hardware_queue_cap = shape.cap;
    config.first_fence = kFirstFence;
    config.contexts = 2;
    config.packets = 4;
    return config;
  }

  void expect(bool holds, const char* what) {
    if (!holds && error_.empty()) error_ = what;
  }
  [[nodiscard]] int number_of(PacketId id) const {
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      if (jobs_[i].id == id) return static_cast<int>(i);
    return -1;
  }
  std::vector<Decision> step(const Input& input) {
    const auto decisions = scheduler_.step(input);
    return {decisions.begin(), decisions.end()};
  }

  void enqueue() {
    const char letter = letters_[enqueued_++];
    if (letter == 'P') {
      add_paging(0, -1, -1);
      return;
    }
    const bool of_b = letter == 'b' || letter == 'B';
    const bool two = packets_of(letter) > 1;
    const std::array<std::uint32_t, 2> ends{100, 200};
    const auto decisions =
        step(EnqueueRender{ContextId{of_b}, 1, 0, std::span(ends).first(two ? 2 : 1)});
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      Job job;
      job.id = std::get<Enqueued>(decisions[i]).packet;
      job.context = of_b ? 'b' : 'a';
      job.first = i == 0;
      job.last = i + 1 == decisions.size();
      jobs_.push_back(job);
    }
    const int end = static_cast<int>(jobs_.size());
    if (letter == 'S') add_paging(0, end - 2, end - 1);
    if (letter == 'X') add_paging(1, end - 2, end - 1);
  }
  void add_paging(std::uint8_t node, int after, int before) {
    const auto id = [this](int n) { return n < 0 ? PacketId{} : jobs_[std::size_t(n)].id; };
    Job job;
    job.id = std::get<Enqueued>(step(EnqueuePaging{{NodeId{node}, 0}, 2, id(after), id(before)})[0])
                 .packet;
    job.paging = true;
    job.node = node;
    job.after = after;
    job.before = before;
    jobs_.push_back(job);
  }

  void submit(PacketId id) {
    const int number = number_of(id);
    check_submit(number);
    Job& job = jobs_[std::size_t(number)];
    Node& node = nodes_[job.node];
    const auto decisions = step(Submit{id});
    const auto* submitted = std::get_if<SubmitPacket>(&decisions[0]);
    expect(decisions.size() == 1 && submitted && submitted->packet == id, "no submission");
    const std::uint32_t fence = submitted->fence.value;
    if (job.paging && job.came_back)
      expect(fence == job.fence, "PREEMPT-018: paging fence not reused");
    else
      expect(fence == node.next_fence++, "PREEMPT-020: fence not the next new one");
    expect(submitted->resubmission == job.came_back, "PREEMPT-016: wrong resubmission flag");
    job.fence = fence;
    job.on_hardware = true;
    node.queue.push_back(static_cast<std::uint8_t>(number));
  }

  void check_submit(int number) {
    const Job& job = jobs_[std::size_t(number)];
    expect(!job.finished, "SCHED-008: a finished packet is submitted again");
    expect(!job.on_hardware, "a packet is submitted twice");
    expect(nodes_[job.node].request == 0, "submission behind a preemption request");
    std::size_t outstanding = 0;
    for (int i = 0; i < static_cast<int>(jobs_.size()); ++i) {
      const Job& other = jobs_[std::size_t(i)];
      if (other.node == job.node && unreported(other)) ++outstanding;
      if (i == number) continue;
      const bool gone = other.on_hardware || other.finished;
      if (other.paging && other.came_back && !gone && other.node == job.node)
        expect(job.paging && job.came_back && other.fence > job.fence,
               "PREEMPT-019: something before preempted paging");
      if (!job.paging && !other.paging && other.context == job.context)
        expect(gone == (i < number), "SCHED-008: order within the context");
      if (!shape_.preemption_aware && !job.paging && !other.paging && gone && !other.last) {
        const int next = next_portion(i);
        const Job& rest = jobs_[std::size_t(next)];
        expect(next == number || rest.on_hardware || rest.finished,
               "SCHED-001: another context between two portions");
      }
      if (other.paging && other.before == number)
        expect(other.finished ? reported(other) || other.node == job.node
                              : other.on_hardware && other.node == job.node,
               "SPLIT-016: portion before its paging");
    }
    expect(shape_.cap == 0 || outstanding < shape_.cap, "SCHED-009: hardware queue too full");
    if (job.after >= 0) {
      const Job& after = jobs_[std::size_t(job.after)];
      expect(after.finished || after.came_back || (after.on_hardware && after.node == job.node),
             "SPLIT-016: paging before the portion it follows");
    }
  }
  [[nodiscard]] int next_portion(int number) const {
    for (int i = number + 1;; ++i)
      if (!jobs_[std::size_t(i)].paging) return i;
  }
  /// The OS knows that the packet finished.
  [[nodiscard]] bool reported(const Job& job) const { return job.finished && !unreported(job); }
  [[nodiscard]] bool unreported(const Job& job) const {
    if (job.on_hardware) return true;
    const Packet* packet = scheduler_.packet(job.id);
    return packet && packet->state == PacketState::Submitted;
  }

  void finish(std::uint8_t n) {
    Node& node = nodes_[n];
    Job& job = jobs_[node.queue.front()];
    expect(!job.finished, "a packet finished twice");
    if (!job.paging)
      for (const Job& other : jobs_) {
        if (&other == &job) break;
        expect(other.paging || other.context != job.context || other.finished,
               "packets of a context finished out of order");
      }
    for (const Job& other : jobs_)
      if (other.before >= 0 && &jobs_[std::size_t(other.before)] == &job)
        expect(other.finished, "SPLIT-016: a portion ran before its paging");
    job.finished = true;
    job.on_hardware = false;
    node.last_finished = job.fence;
    node.queue.erase(node.queue.begin());
  }
  void report(std::uint8_t n) {
    Node& node = nodes_[n];
    const auto decisions = step(ReportCompleted{{NodeId{n}, 0}, FenceId{node.last_finished}});
    expect(is_legal(std::get<Judged>(decisions[0]).outcome), "an honest report is refused");
    node.last_reported = node.last_finished;
  }
  void preempt() {
    --preemptions_;
    const auto decisions = step(RequestPreempt{{NodeId{0}, 0}});
    nodes_[0].request = std::get<Preempt>(decisions[0]).fence.value;
    expect(nodes_[0].request == nodes_[0].next_fence++, "PREEMPT-008: not of the same sequence");
  }
  void answer(std::uint8_t n) {
    Node& node = nodes_[n];
    const auto decisions =
        step(ReportPreempted{{NodeId{n}, 0}, FenceId{node.request}, FenceId{node.last_finished}});
    expect(is_legal(std::get<Judged>(decisions[0]).outcome), "an honest answer is refused");
    std::size_t returned = 0;
    for (const Decision& decision : decisions) {
      const auto* back = std::get_if<Requeued>(&decision);
      if (!back) continue;
      expect(returned < node.queue.size() && jobs_[node.queue[returned]].id == back->packet,
             "SCHED-008: a packet too much came back");
      ++returned;
    }
    expect(returned == node.queue.size(), "SCHED-008: a packet didn't come back");
    for (const std::uint8_t number : node.queue) {
      jobs_[number].on_hardware = false;
      jobs_[number].came_back = true;
    }
    node.queue.clear();
    node.request = 0;
    node.last_reported = node.last_finished;
  }

  Shape shape_;
  std::string letters_;
  Scheduler scheduler_;
  std::array<Node, kNodes> nodes_;
  std::vector<Job> jobs_;
  std::size_t enqueued_ = 0;
  int preemptions_ = 0;
  std::string error_;
  std::string path_;
};

struct Count {
  std::size_t worlds = 0;
  std::size_t states = 0;
  std::size_t ends = 0;
};

void explore(const Shape& shape, const std::string& letters, Count& count) {
  ++count.worlds;
  std::unordered_set<std::string> seen;
  std::vector<World> open{World(shape, letters)};
  seen.insert(open.back().key());
  while (!open.empty()) {
    World world = std::move(open.back());
    open.pop_back();
    ++count.states;
    const int actions = world.each_next([&](World next) {
      ASSERT_EQ(next.error(), "") << letters << ": " << next.path();
      if (seen.insert(next.key()).second) open.push_back(std::move(next));
    });
    if (::testing::Test::HasFatalFailure()) return;
    if (actions != 0) continue;
    ++count.ends;
    world.check_end();
    ASSERT_EQ(world.error(), "") << letters << ": " << world.path();
  }
}

// All words of exactly `shape.packets` packets in which context A comes first: with equal
// priorities the other half is the same. Shorter words are among the beginnings of these.
void explore_all(const Shape& shape, const std::string& letters, std::size_t packets,
                 Count& count) {
  if (::testing::Test::HasFatalFailure()) return;
  if (packets == shape.packets) explore(shape, letters, count);
  const bool a_seen = letters.find_first_of("aASX") != std::string::npos;
  for (const char letter : kLetters) {
    if (packets + packets_of(letter) > shape.packets) continue;
    if (!a_seen && (letter == 'b' || letter == 'B')) continue;
    explore_all(shape, letters + letter, packets + packets_of(letter), count);
  }
}

class SmallWorld : public ::testing::TestWithParam<Shape> {};

TEST_P(SmallWorld, HoldsInEveryInterleaving) {
  Count count;
  explore_all(GetParam(), "", 0, count);
  // So many words of four and of three packets; each ends, and there is much between.
  EXPECT_EQ(count.worlds, GetParam().packets == 4 ? 80u : 22u);
  EXPECT_GE(count.ends, count.worlds);
  EXPECT_GT(count.states, 100 * count.worlds);
  RecordProperty("states", static_cast<int>(count.states));
}

INSTANTIATE_TEST_SUITE_P(Models, SmallWorld,
                         ::testing::Values(Shape{true, 0, 4, 1}, Shape{false, 0, 4, 1},
                                           Shape{true, 2, 4, 1}, Shape{false, 2, 4, 1},
                                           Shape{true, 1, 4, 1}, Shape{false, 1, 4, 1},
                                           Shape{true, 0, 3, 2}, Shape{false, 0, 3, 2}),
                         [](const auto& shape) {
                           std::ostringstream name;
                           PrintTo(shape.param, &name);
                           return name.str();
                         });

}  // namespace
}  // namespace wddm::vidsch
