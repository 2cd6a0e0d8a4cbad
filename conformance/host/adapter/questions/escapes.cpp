#include "conformance/host/adapter/questions/escapes.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>

#include "conformance/host/adapter/objects/pool_at_rest.h"
#include "conformance/host/adapter/questions/info_question.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kUnknownBytes = 256;
// Shorter than headers that drivers have: what stands in them matters little.
constexpr std::uint32_t kShortEscapes[] = {1, 4, 8, 16, 32};
// Of one escape of the client: how many lengths it is cut to, and words altered. Of a longer one
// those are spread over all of it.
constexpr std::size_t kMostCuts = 32, kMostWords = 32;

std::size_t step_for(std::size_t count, std::size_t most) {
  return std::max<std::size_t>(1, (count + most - 1) / most);
}

using Word = std::uint32_t;

// What stands in ev::EscapeSent.
struct Sent {
  EscapeData data;
  std::uint32_t number = 0;  // of the client's
  std::uint32_t at = 0;
  Word word = 0;
};

std::uint32_t unlike(const Output& buffer, std::span<const std::uint8_t> data) {
  std::uint32_t bytes = 0;
  for (std::size_t i = 0; i < data.size(); ++i) bytes += buffer.data()[i] != data[i] ? 1 : 0;
  return bytes;
}

class Escapes {
 public:
  Escapes(const Adapter& adapter, const Objects& objects, HANDLE process)
      : adapter_(adapter), process_(process) {
    const DeviceObject& device = objects.device(kFirstDevice);
    if (!device.live) return;
    device_ = device.driver;
    const ContextObject& context = objects.context(ContextId{0});
    const bool has_contexts = context.made != 0;
    if (context.live && has_contexts && context.device == kFirstDevice) context_ = context.driver;
  }

  void send_unknown() const {
    send({EscapeData::None}, {});
    std::array<std::uint8_t, kUnknownBytes> bytes{};
    send({EscapeData::Zeros}, bytes);
    for (const std::uint32_t few : kShortEscapes) {
      send({EscapeData::Zeros}, std::span(bytes).first(few));
    }
    bytes.fill(0xff);
    send({EscapeData::Ones}, bytes);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
    send({EscapeData::Counting}, bytes);
  }

  // Escapes of the client, which tells of each how long it is.
  void send_known(const WddmClient& client, void* instance) const {
    std::array<std::uint8_t, WDDM_CLIENT_ESCAPE_ROOM> room{};
    for (std::uint32_t number = 0; number < WDDM_CLIENT_ESCAPES; ++number) {
      room.fill(0);
      const int bytes = client.escape_data(instance, number, room.data(), WDDM_CLIENT_ESCAPE_ROOM);
      if (bytes < 0 || static_cast<std::size_t>(bytes) > room.size()) return;
      const std::span<std::uint8_t> data(room.data(), static_cast<std::size_t>(bytes));
      send({EscapeData::Client, number}, data);
      send_cut(number, data);
      send_altered(number, data);
      send({EscapeData::Client, number}, data);  // what was refused has changed nothing
    }
  }

 private:
  void send_cut(std::uint32_t number, std::span<const std::uint8_t> data) const {
    const std::size_t step = step_for(data.size(), kMostCuts);
    for (std::size_t bytes = 0; bytes < data.size(); bytes += step) {
      send({EscapeData::Cut, number}, data.first(bytes));
    }
  }

  void send_altered(std::uint32_t number, std::span<std::uint8_t> data) const {
    const std::size_t words = data.size() / sizeof(Word), step = step_for(words, kMostWords);
    for (std::size_t i = 0; i < words; i += step) {
      std::uint8_t* const place = data.data() + i * sizeof(Word);
      Word before = 0;
      std::memcpy(&before, place, sizeof(Word));
      for (const Word word : {Word{0}, before - 1, before + 1, Word{0x7fffffff}, ~Word{0}}) {
        if (word == before) continue;
        std::memcpy(place, &word, sizeof(Word));
        send({EscapeData::Altered, number, static_cast<std::uint32_t>(i * sizeof(Word)), word},
             data);
      }
      std::memcpy(place, &before, sizeof(Word));
    }
  }

  void send(const Sent& sent, std::span<const std::uint8_t> data) const {
    const Output buffer(data.size(), 0);
    if (!data.empty()) std::memcpy(buffer.data(), data.data(), data.size());
    DXGKARG_ESCAPE escape{};
    escape.hDevice = device_;
    escape.hContext = context_;
    escape.Flags.HardwareAccess = TRUE;  // nobody else is in the driver
    escape.pPrivateDriverData = sent.data == EscapeData::None ? nullptr : buffer.data();
    escape.PrivateDriverDataSize = buffer.size();
    escape.hKmdProcessHandle = process_;
    session().tap(ev::EscapeSent{.data = static_cast<std::uint32_t>(sent.data),
                                 .bytes = escape.PrivateDriverDataSize,
                                 .number = sent.number,
                                 .at = sent.at,
                                 .word = sent.word});
    const nt::PoolUsage before = pool_at_rest();
    const NTSTATUS status = call_ddi<DdiId::Escape>(kNone, adapter_.miniport(), &escape);
    const nt::PoolUsage after = pool_at_rest();
    session().tap(
        ev::EscapeAnswered{.data = static_cast<std::uint32_t>(sent.data),
                           .status = static_cast<std::uint32_t>(status),
                           .bytes = escape.PrivateDriverDataSize,
                           .flags = escape.Flags.Value,
                           .damaged = buffer.behind(),
                           .left_blocks = static_cast<std::int32_t>(after.blocks - before.blocks),
                           .process = process_ != nullptr,
                           .changed = unlike(buffer, data)});
  }

  const Adapter& adapter_;
  HANDLE process_;
  HANDLE device_ = nullptr, context_ = nullptr;
};

}  // namespace

void send_escapes(const Adapter& adapter, const Objects& objects, HANDLE process) {
  const Escapes escapes(adapter, objects, process);
  escapes.send_unknown();
  const WddmClient* const client = objects.client();
  if (client == nullptr || client->escape_data == nullptr) return;
  escapes.send_known(*client, objects.client_instance());
}

}  // namespace wddm::host
