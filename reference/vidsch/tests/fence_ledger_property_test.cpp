// The fence ledger against two others: a naive one that keeps a list of everything, and a simulated
// engine whose honest reports must always be accepted.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "reference/vidsch/fence_ledger.h"
#include "reference/vidsch/fence_sequence.h"

namespace wddm::vidsch {
namespace {

// Judges from the full history each time; no positions, no chains, no counters.
struct NaiveLedger {
  enum class Kind { Render, Paging, Request };
  enum class Is { Out, Refused, Done, Back, Dropped, Killed, Waiting, Answered, Cancelled };
  struct Item {
    std::uint32_t fence;
    Kind kind;
    Is is;
    bool named = false;
    bool before_reset = false;
  };
  std::vector<Item> items;
  std::optional<std::uint32_t> lcf;
  std::size_t behind_lcf = 0;  // index of the first item that is later than LCF
  std::optional<std::uint32_t> last_named;
  std::optional<std::uint32_t> lsf;

  Item* find(std::uint32_t fence) {
    for (auto i = items.rbegin(); i != items.rend(); ++i)
      if (i->fence == fence) return &*i;
    return nullptr;
  }
  Item* waiting() {
    for (Item& i : items)
      if (i.is == Is::Waiting) return &i;
    return nullptr;
  }
  static bool live(const Item& i) { return i.is == Is::Out || i.is == Is::Refused; }
  static bool is_request(const Item& i) { return i.kind == Kind::Request; }

  [[nodiscard]] std::size_t index(const Item* item) const {
    return static_cast<std::size_t>(item - items.data());
  }
  void finish(const Item* last) {
    for (Item& i : items) {
      if (live(i)) i.is = Is::Done;
      if (&i == last) break;
    }
    lcf = last->fence;
    behind_lcf = index(last) + 1;
  }
  void absorb_refused() {
    for (Item& i : items) {
      if (i.is == Is::Out) return;
      if (i.is == Is::Refused) {
        i.is = Is::Done;
        lcf = i.fence;
        behind_lcf = index(&i) + 1;
      }
    }
  }
  void back(const Item* end) {
    for (Item& i : items) {
      if (&i == end) break;
      if (i.is == Is::Out) i.is = Is::Back;
      if (i.is == Is::Refused) i.is = Is::Dropped;
    }
  }
  bool completed(std::uint32_t fence) {
    Item* item = find(fence);
    if (!item || is_request(*item) || item->before_reset) return false;
    if (live(*item)) {
      item->named = true;
      last_named = fence;
      finish(item);
      absorb_refused();
      return true;
    }
    if (item->is != Is::Done || (fence != lcf && fence != last_named)) return false;
    last_named = fence;
    return true;
  }
  bool preempted(std::uint32_t id, std::uint32_t last) {
    Item* request = waiting();
    if (!request || request->fence != id) return false;
    if (last != lcf) {
      Item* item = find(last);
      if (!item && lcf) return false;
      if (item) {
        if (!live(*item) || item > request) return false;
        for (Item* next = item + 1; next < request && next->is != Is::Out; ++next)
          if (next->is == Is::Refused) return false;
        finish(item);
      }
    } else if (Item* item = find(last); item && live(*item) && item < request) {
      finish(item);
    }
    back(request);
    request->is = Is::Answered;
    absorb_refused();
    return true;
  }
  void floor() {
    for (Item& i : items) i.before_reset = true;
    if (Item* request = waiting()) request->is = Is::Cancelled;
  }
  void adapter_reset() {
    for (Item& i : items)
      if (live(i)) i.is = Is::Killed;
    if (lsf) {
      lcf = lsf;
      behind_lcf = items.size();
    }
    floor();
  }
  bool engine_reset(std::uint32_t aborted) {
    Item* item = find(aborted);
    if (aborted != lcf) {
      if (!item && lcf) return false;
      if (item && (is_request(*item) || index(item) < behind_lcf)) return false;
    }
    if (item && index(item) >= behind_lcf) {
      const bool was_out = item->is == Is::Out;
      const bool was_back = item->is == Is::Back || item->is == Is::Dropped;
      const Is before = item->is;
      finish(item);
      if (was_out) item->is = Is::Killed;
      if (was_back) item->is = before;
    }
    back(nullptr);
    floor();
    return true;
  }
};

std::vector<std::uint32_t> outstanding_of(const FenceLedger& ledger) {
  std::vector<FenceId> fences(64);
  fences.resize(ledger.outstanding(fences));
  std::vector<std::uint32_t> result;
  for (const FenceId fence : fences) result.push_back(fence.value);
  return result;
}

RC_GTEST_PROP(FenceLedgerProperty, AgreesWithTheNaiveLedger, ()) {
  FenceLedger ledger(256);
  NaiveLedger naive;
  FenceSequence sequence(*rc::gen::element<std::uint32_t>(1, 0xFFFFFFF8u));
  const int steps = *rc::gen::inRange(1, 60);
  std::vector<std::uint32_t> seen{0, 1000};
  const auto any_seen = [&] {
    return *rc::gen::element(seen.back(), seen[*rc::gen::inRange<std::size_t>(0, seen.size())]);
  };
  for (int step = 0; step < steps; ++step) {
    switch (*rc::gen::weightedElement<int>(
        {{6, 0}, {3, 1}, {2, 2}, {5, 3}, {3, 4}, {1, 5}, {1, 6}, {1, 7}})) {
      case 0: {
        const bool paging = *rc::gen::arbitrary<bool>();
        const FenceId fence = sequence.next();
        RC_ASSERT(ledger.submitted(fence, paging ? PacketKind::Paging : PacketKind::Render) ==
                  SubmitOutcome::Accepted);
        naive.items.push_back({fence.value,
                               paging ? NaiveLedger::Kind::Paging : NaiveLedger::Kind::Render,
                               NaiveLedger::Is::Out});
        naive.lsf = fence.value;
        seen.push_back(fence.value);
        break;
      }
      case 1: {  // try to use a fence again
        const std::uint32_t fence = any_seen();
        const auto* item = naive.find(fence);
        const bool paging = *rc::gen::arbitrary<bool>();
        const bool legal = !item || (paging && item->kind == NaiveLedger::Kind::Paging &&
                                     item->is == NaiveLedger::Is::Back);
        RC_ASSERT(
            (ledger.submitted(FenceId{fence}, paging ? PacketKind::Paging : PacketKind::Render) ==
             SubmitOutcome::Accepted) == legal);
        if (!legal) break;
        naive.items.push_back({fence,
                               paging ? NaiveLedger::Kind::Paging : NaiveLedger::Kind::Render,
                               NaiveLedger::Is::Out});
        naive.lsf = fence;
        break;
      }
      case 2: {
        const FenceId fence = sequence.next();
        const bool legal = naive.waiting() == nullptr;
        RC_ASSERT((ledger.preempt_requested(fence) == SubmitOutcome::Accepted) == legal);
        if (legal)
          naive.items.push_back(
              {fence.value, NaiveLedger::Kind::Request, NaiveLedger::Is::Waiting});
        seen.push_back(fence.value);
        break;
      }
      case 3: {
        const std::uint32_t fence = any_seen();
        RC_ASSERT(is_legal(ledger.completed(FenceId{fence})) == naive.completed(fence));
        break;
      }
      case 4: {
        const auto* request = naive.waiting();
        const std::uint32_t id =
            request && *rc::gen::inRange(0, 4) != 0 ? request->fence : any_seen();
        const std::uint32_t last = any_seen();
        RC_ASSERT(is_legal(ledger.preempted(FenceId{id}, FenceId{last})) ==
                  naive.preempted(id, last));
        break;
      }
      case 5: {
        const auto fences = outstanding_of(ledger);
        if (fences.empty()) break;
        const std::uint32_t fence = fences[*rc::gen::inRange<std::size_t>(0, fences.size())];
        ledger.rejected(FenceId{fence});
        naive.find(fence)->is = NaiveLedger::Is::Refused;
        naive.absorb_refused();
        break;
      }
      case 6: {
        const std::uint32_t aborted = any_seen();
        RC_ASSERT(is_legal(ledger.engine_reset(FenceId{aborted})) == naive.engine_reset(aborted));
        break;
      }
      default:
        ledger.adapter_reset();
        naive.adapter_reset();
    }
    ledger.validate();
    std::vector<std::uint32_t> expected;
    for (const auto& item : naive.items)
      if (item.is == NaiveLedger::Is::Out) expected.push_back(item.fence);
    RC_ASSERT(outstanding_of(ledger) == expected);
    RC_ASSERT(ledger.outstanding_count() == expected.size());
    const auto lcf = ledger.last_completed();
    RC_ASSERT((lcf ? std::optional(lcf->value) : std::nullopt) == naive.lcf);
  }
}

// An engine that runs packets in order, reports when it likes, and tells the truth.
RC_GTEST_PROP(FenceLedgerProperty, AcceptsEveryHonestEngine, ()) {
  FenceLedger ledger(512);
  FenceSequence sequence(*rc::gen::arbitrary<std::uint32_t>());
  struct Job {
    FenceId fence;
    PacketKind kind;
  };
  std::vector<Job> queue;
  std::vector<Job> paging_back;
  std::optional<FenceId> done;
  std::optional<FenceId> request;
  std::size_t finished = 0;
  const int steps = *rc::gen::inRange(1, 100);
  for (int step = 0; step < steps; ++step) {
    switch (*rc::gen::inRange(0, 6)) {
      case 0: {
        if (request) break;
        Job job{{}, *rc::gen::element(PacketKind::Render, PacketKind::Paging)};
        if (!paging_back.empty()) {
          job = paging_back.front();
          paging_back.erase(paging_back.begin());
        } else {
          job.fence = sequence.next();
        }
        RC_ASSERT(ledger.submitted(job.fence, job.kind) == SubmitOutcome::Accepted);
        queue.push_back(job);
        break;
      }
      case 1:
      case 2:
        if (queue.empty()) break;
        done = queue.front().fence;
        queue.erase(queue.begin());
        ++finished;
        break;
      case 3:
        if (done) RC_ASSERT(is_legal(ledger.completed(*done)));
        break;
      case 4:
        if (request) break;
        request = sequence.next();
        RC_ASSERT(ledger.preempt_requested(*request) == SubmitOutcome::Accepted);
        break;
      default:
        if (!request) break;
        RC_ASSERT(ledger.preempted(*request, done.value_or(FenceId{0})) == ReportOutcome::Accepted);
        RC_ASSERT(ledger.outstanding_count() == 0u);
        for (const Job& job : queue)
          if (job.kind == PacketKind::Paging) paging_back.push_back(job);
        queue.clear();
        request.reset();
    }
    ledger.validate();
    RC_ASSERT(ledger.outstanding_count() >= queue.size());
  }
  if (done && !request) {
    RC_ASSERT(is_legal(ledger.completed(*done)));
    RC_ASSERT(ledger.last_completed() == done);
    RC_ASSERT(ledger.outstanding_count() == queue.size());
  }
}

}  // namespace
}  // namespace wddm::vidsch
