// The part of a structure that a driver is to write, with a pattern in it that no driver writes.
//
// Documents say of these members that they are out, and nowhere what they hold before. What is left
// as it was is told, and then counts as zero, as where nothing was prefilled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "conformance/host/boundary/session.h"

namespace wddm::host {

class PrefilledAnswer {
 public:
  static constexpr std::uint8_t kPattern = 0xa5;

  /// `on`: whether anything is to be done. Members are whole words of 32 bits.
  PrefilledAnswer(std::span<std::uint8_t> answer, bool on) : answer_(answer), on_(on) {
    if (on_) std::memset(answer_.data(), kPattern, answer_.size());
  }

  /// The driver has answered. `offset`: of the answer in its structure.
  void read(DdiId ddi, std::uint32_t object, std::uint32_t offset) {
    if (!on_) return;
    std::size_t unwritten = 0;  // bytes of words before `at`
    for (std::size_t at = 0; at <= answer_.size(); at += kWord) {
      if (at < answer_.size() && is_unwritten(at)) {
        std::memset(&answer_[at], 0, kWord);
        unwritten += kWord;
      } else if (unwritten != 0) {
        session().tap(
            ev::AnswerUnwritten{.ddi = static_cast<std::uint32_t>(ddi),
                                .object = object,
                                .member = static_cast<std::uint32_t>(offset + at - unwritten),
                                .bytes = static_cast<std::uint32_t>(unwritten)});
        unwritten = 0;
      }
    }
  }
  /// What the driver says of how it went: of a call that failed there is no answer, and nothing is
  /// told.
  void read_if(bool succeeded, DdiId ddi, std::uint32_t object, std::uint32_t offset) {
    if (succeeded) return read(ddi, object, offset);
    for (std::size_t at = 0; on_ && at < answer_.size(); at += kWord) {
      if (is_unwritten(at)) std::memset(&answer_[at], 0, kWord);
    }
  }

 private:
  static constexpr std::size_t kWord = 4;
  [[nodiscard]] bool is_unwritten(std::size_t at) const {
    for (std::size_t i = at; i < at + kWord; ++i) {
      if (answer_[i] != kPattern) return false;
    }
    return true;
  }

  std::span<std::uint8_t> answer_;
  bool on_;
};

/// From one member of a structure up to the end of another.
#define WDDM_ANSWER(structure, object, first, last)                            \
  std::span<std::uint8_t>(                                                     \
      reinterpret_cast<std::uint8_t*>(&(object)) + offsetof(structure, first), \
      offsetof(structure, last) + sizeof((object).last) - offsetof(structure, first))

}  // namespace wddm::host
