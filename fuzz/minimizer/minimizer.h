// The minimizer over any language of ops. Rounds of passes until a whole round changes nothing:
//   1. drop ops with what depends on them, large chunks first (chunk_sweep.h)
//   2. drop single ops, alone too, then pairs (things that were switched on and off again)
//   3. set values to their fallback in chunks, then lower those that mattered
//   4. give ids the lowest numbers
// Each accepted candidate has fewer ops, or as many with plainer values, or those with lower ids,
// so rounds end; and the last round is what another run would try, so a second run changes nothing.
//
// With k ops left of n, f values that matter and r rounds that changed something (two as a rule):
// about k * log2(n / k) + r * (3k + pairs + f * log2(range)) executions, pairs at most k + 128.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fuzz/minimizer/chunk_sweep.h"
#include "fuzz/minimizer/lower_value.h"
#include "fuzz/minimizer/minimize.h"
#include "fuzz/minimizer/value.h"

namespace wddm::fuzz {

template <class Language>
class Minimizer {
 public:
  using Op = typename Language::Op;
  using Ops = std::vector<Op>;
  using Test = std::function<bool(std::span<const Op>)>;

  Minimizer(Test same, const MinimizeOptions& options)
      : same_(std::move(same)), options_(options) {}

  [[nodiscard]] Minimized<Op> run(std::span<const Op> given) {
    result_.ops = Language::normalised(given);
    pass_ = "input";
    result_.reproduced = execute(result_.ops);
    if (!result_.reproduced) return std::move(result_);
    for (bool changed = true; changed && !stopped();) {
      const Ops before = result_.ops;
      drop_chunks();
      drop_singles();
      drop_pairs();
      reset_values();
      lower_values();
      lower_ids();
      changed = result_.ops != before;
    }
    result_.finished = !stopped();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kPairs = 128;

  // A value of an op.
  struct Place {
    std::size_t op;
    std::size_t value;
  };

  [[nodiscard]] bool stopped() const {
    return (options_.stop && options_.stop->load()) ||
           result_.executions >= options_.most_executions;
  }

  bool execute(const Ops& candidate) {
    const bool good = same_(candidate);
    ++result_.executions;
    if (good && candidate.size() < result_.ops.size()) {
      result_.executions_to_op_count = result_.executions;
    }
    if (good) result_.ops = candidate;
    if (options_.progress) options_.progress({result_.ops.size(), result_.executions, pass_});
    return good;
  }

  // Takes the candidate over if it still shows it. What failed once is not tried again.
  bool accept(const Ops& candidate) {
    if (candidate == result_.ops || stopped()) return false;
    const std::uint64_t hash = Language::hash(candidate);
    if (failed_.count(hash) != 0) return false;
    const bool good = execute(candidate);
    // An answer that a signal interrupted may be a wrong no; it is not remembered.
    if (!good && !stopped()) failed_.insert(hash);
    return good;
  }

  bool drop(std::size_t from, std::size_t to) {
    std::vector<bool> gone(result_.ops.size());
    for (std::size_t i = from; i < to; ++i) gone[i] = true;
    return accept(Language::without(result_.ops, std::move(gone)));
  }

  void drop_chunks() {
    pass_ = "chunks";
    sweep_backwards(result_.ops.size(),
                    [this](std::size_t from, std::size_t to) { return drop(from, to); });
  }

  void drop_singles() {
    pass_ = "single ops";
    for (std::size_t i = result_.ops.size(); i-- > 0;) {
      if (drop(i, i + 1)) continue;
      for (const Ops& way : Language::without_alone(result_.ops, i)) {
        if (accept(way)) break;
      }
    }
  }

  // Neighbours first, since what belongs together stands together in a short scenario.
  void drop_pairs() {
    pass_ = "pairs of ops";
    std::size_t tried = 0;
    for (std::size_t apart = 1; apart < result_.ops.size() && tried < kPairs; ++apart) {
      for (std::size_t i = result_.ops.size() - apart; i-- > 0 && !stopped(); ++tried) {
        std::vector<bool> gone(result_.ops.size());
        gone[i] = gone[i + apart] = true;
        if (accept(Language::without(result_.ops, std::move(gone)))) {
          i = std::min(i, result_.ops.size() - std::min(apart, result_.ops.size()));
        }
      }
    }
  }

  [[nodiscard]] std::vector<Place> unusual_values() const {
    std::vector<Place> places;
    for (std::size_t op = 0; op < result_.ops.size(); ++op) {
      const std::vector<Value> values = Language::values(result_.ops[op]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].now != values[i].fallback) places.push_back({op, i});
      }
    }
    return places;
  }
  [[nodiscard]] Value at(const Place& place) const {
    return Language::values(result_.ops[place.op])[place.value];
  }
  bool set_all(std::span<const Place> places, std::uint64_t value) {
    Ops candidate = result_.ops;
    for (const Place& place : places) {
      Language::set_value(candidate[place.op], place.value, value);
    }
    return accept(candidate);
  }

  void reset_values() {
    pass_ = "default values";
    const std::vector<Place> places = unusual_values();
    sweep_backwards(places.size(), [&](std::size_t from, std::size_t to) {
      Ops candidate = result_.ops;
      for (std::size_t i = from; i < to; ++i) {
        Language::set_value(candidate[places[i].op], places[i].value, at(places[i]).fallback);
      }
      return accept(candidate);
    });
  }

  void lower(std::span<const Place> places) {
    const Value value = at(places.front());
    lower_value(value.now, value.lowest,
                [&](std::uint64_t lower) { return set_all(places, lower); });
  }

  void lower_values() {
    pass_ = "lower values";
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Place>> alike;
    for (const Place& place : unusual_values()) {
      lower({&place, 1});
      const Value value = at(place);
      if (value.now != value.fallback) alike[{value.meaning, value.now}].push_back(place);
    }
    for (const auto& [key, places] : alike) {
      if (places.size() > 1 && !set_all(places, at(places.front()).fallback)) lower(places);
    }
  }

  void lower_ids() {
    pass_ = "ids";
    const std::vector<Id> ids = Language::ids(result_.ops);
    std::map<std::uint32_t, std::uint32_t> next;
    std::map<Id, std::uint32_t> all;
    for (const Id& id : ids) {
      const auto [number, fresh] = next.try_emplace(id.space, Language::lowest_id(id.space));
      all[id] = number->second++;
    }
    if (accept(Language::renamed(result_.ops, all)) || is_identity(all)) return;
    std::set<Id> taken(ids.begin(), ids.end());
    for (const Id& id : ids) {
      std::uint32_t free = Language::lowest_id(id.space);
      while (taken.count({id.space, free}) != 0) ++free;
      if (free >= id.number || !accept(Language::renamed(result_.ops, {{id, free}}))) continue;
      taken.erase(id);
      taken.insert({id.space, free});
    }
  }
  static bool is_identity(const std::map<Id, std::uint32_t>& names) {
    for (const auto& [id, number] : names) {
      if (id.number != number) return false;
    }
    return true;
  }

  Test same_;
  const MinimizeOptions& options_;
  Minimized<Op> result_;
  std::unordered_set<std::uint64_t> failed_;
  const char* pass_ = "";
};

}  // namespace wddm::fuzz
