// Questions by QueryAdapterInfo that nothing is made of, and their answers in traces.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {

/// What an output holds before, where zeros would hide that it was not written.
inline constexpr std::uint8_t kOtherBytes = 0xCC;
/// Bytes of an output that no driver is to find too short.
inline constexpr std::size_t kLargeOutput = 1024;

/// An output whose end lies against a page that nobody may touch.
class Output {
 public:
  Output(std::size_t bytes, std::uint8_t before)
      : before_(before), buffer_(bytes, false, memory::FrameOwner::Driver) {
    std::memset(buffer_.data(), before, buffer_.size());
  }
  [[nodiscard]] std::uint8_t* data() const { return buffer_.data(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(buffer_.size()); }
  [[nodiscard]] std::uint32_t behind() const {
    return static_cast<std::uint32_t>(buffer_.damaged(nullptr));
  }
  [[nodiscard]] std::uint32_t changed() const { return changed(0, size()); }
  [[nodiscard]] std::uint32_t changed(std::uint32_t first, std::uint32_t end) const {
    return end - first -
           static_cast<std::uint32_t>(std::count(data() + first, data() + end, before_));
  }
  [[nodiscard]] std::uint32_t first_word() const {
    std::uint32_t word = 0;
    std::memcpy(&word, data(), std::min<std::size_t>(sizeof(word), size()));
    return word;
  }

 private:
  std::uint8_t before_;
  memory::GuardedBuffer buffer_;
};

struct Question {
  UINT type;
  InfoQuestion how = InfoQuestion::Plain;
  const void* input = nullptr;
  UINT input_bytes = 0;
  HANDLE process = nullptr;        ///< hKmdProcessHandle
  std::uint32_t output_bytes = 0;  ///< that the driver is told of; 0: all of the output
};

NTSTATUS ask(const Adapter& adapter, const Question& question, const Output& output);
/// ev::InfoAnswered
void tell(const Question& question, NTSTATUS status, const Output& output,
          std::uint32_t unlike_first = 0);
/// Whether it succeeded.
bool ask_once(const Adapter& adapter, const Question& question, std::size_t bytes,
              std::uint8_t before);
/// Over zeros, and where that succeeded again over other bytes: what is not written is another
/// answer then.
void ask_twice(const Adapter& adapter, Question question, std::size_t bytes);

}  // namespace wddm::host
