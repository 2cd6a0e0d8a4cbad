#include "fuzz/bench/minimizer_peers.h"

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace wddm::fuzz {
namespace {

using toy::Op;
using Ops = std::vector<Op>;

// Counts, and keeps the best.
class Trial {
 public:
  Trial(Ops ops, const ToyTest& same) : best(std::move(ops)), same_(same) {}

  bool accept(const Ops& candidate) {
    ++effort_.executions;
    if (!same_(candidate)) return false;
    if (candidate.size() < best.size()) effort_.executions_to_op_count = effort_.executions;
    best = candidate;
    return true;
  }
  Effort effort() {
    effort_.ops = best.size();
    return effort_;
  }
  std::size_t executions() const { return effort_.executions; }

  Ops best;

 private:
  const ToyTest& same_;
  Effort effort_;
};

Ops without(const Ops& ops, std::size_t from, std::size_t to) {
  Ops rest(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(from));
  rest.insert(rest.end(), ops.begin() + static_cast<std::ptrdiff_t>(to), ops.end());
  return rest;
}

// One of `parts` equal parts, or all but it.
bool reduce(Trial& trial, std::size_t parts, bool complement) {
  const std::size_t size = trial.best.size();
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t from = size * i / parts, to = size * (i + 1) / parts;
    const Ops part(trial.best.begin() + static_cast<std::ptrdiff_t>(from),
                   trial.best.begin() + static_cast<std::ptrdiff_t>(to));
    if (trial.accept(complement ? without(trial.best, from, to) : part)) return true;
  }
  return false;
}

rc::Seq<Op> shrink_op(const Op& op) {
  const auto member = [&op](std::uint8_t Op::*field) {
    return rc::seq::map(rc::shrink::integral<std::uint8_t>(op.*field), [op, field](std::uint8_t v) {
      Op smaller = op;
      smaller.*field = v;
      return smaller;
    });
  };
  return rc::seq::concat(member(&Op::kind), member(&Op::a), member(&Op::b), member(&Op::v));
}

std::uint64_t count_in(const std::filesystem::path& file) {
  std::uint64_t count = 0;
  std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&count), sizeof(count));
  return count;
}

}  // namespace

Effort by_ddmin(std::vector<Op> ops, const ToyTest& same) {
  Trial trial(std::move(ops), same);
  for (std::size_t parts = 2; trial.best.size() > 1;) {
    if (reduce(trial, parts, false)) {
      parts = 2;
    } else if (parts > 2 && reduce(trial, parts, true)) {
      --parts;
    } else if (parts < trial.best.size()) {
      parts = std::min(trial.best.size(), parts * 2);
    } else {
      break;
    }
    parts = std::min(parts, trial.best.size());
  }
  return trial.effort();
}

Effort by_rapidcheck(std::vector<Op> ops, const ToyTest& same, std::size_t most) {
  Trial trial(std::move(ops), same);
  for (bool shrunk = true; shrunk && trial.executions() < most;) {
    shrunk = false;
    auto candidates = rc::seq::concat(rc::shrink::removeChunks(trial.best),
                                      rc::shrink::eachElement(trial.best, shrink_op));
    for (auto candidate = candidates.next(); candidate && !shrunk && trial.executions() < most;
         candidate = candidates.next()) {
      shrunk = trial.accept(*candidate);
    }
  }
  return trial.effort();
}

Effort by_program(const std::string& command, std::span<const Op> ops, toy::Handles handles) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "wddm_minimizer_bench";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::ofstream(folder / "in", std::ios::binary)
      .write(reinterpret_cast<const char*>(ops.data()),
             static_cast<std::streamsize>(ops.size_bytes()));
  std::ofstream(folder / "count", std::ios::binary).write("\0\0\0\0\0\0\0\0", 8);
  const std::string environment =
      "cd " + folder.string() + " && IN=" + (folder / "in").string() +
      " OUT=" + (folder / "out").string() + " TOY_COUNT=" + (folder / "count").string() +
      (handles == toy::Handles::Ordinal ? " TOY_HANDLES=ordinal" : "") + " sh -c '" + command +
      "' >" + (folder / "log").string() + " 2>&1";
  // Some end only when they are stopped; what they wrote until then counts.
  static_cast<void>(!std::system(environment.c_str()));
  std::error_code none;
  const std::uintmax_t bytes = fs::file_size(folder / "out", none);
  Effort effort;
  effort.ops = none ? 0 : (bytes + sizeof(Op) - 1) / sizeof(Op);
  effort.executions = count_in(folder / "count");
  return effort;
}

}  // namespace wddm::fuzz
