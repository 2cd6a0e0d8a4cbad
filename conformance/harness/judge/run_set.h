// A set of runs, by their position among the records.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace wddm::harness {

class RunSet {
 public:
  void insert(std::size_t run) {
    if (words_.size() <= run / kBits) words_.resize(run / kBits + 1);
    words_[run / kBits] |= std::uint64_t{1} << (run % kBits);
  }
  RunSet& operator|=(const RunSet& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  friend RunSet operator|(RunSet one, const RunSet& other) { return one |= other; }
  [[nodiscard]] std::size_t size() const {
    std::size_t count = 0;
    for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::vector<std::uint64_t> words_;
};

}  // namespace wddm::harness
