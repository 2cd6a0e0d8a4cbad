// Escapes whose data the client knows: whole, cut short, and with each word altered.
#include <algorithm>
#include <cstring>
#include <set>

#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kKnown[] = {7, 100};

int escape_data(void*, std::uint32_t number, void* buffer, std::uint32_t capacity) {
  if (number > 0 || capacity < sizeof(kKnown)) return -1;
  std::memcpy(buffer, kKnown, sizeof(kKnown));
  return sizeof(kKnown);
}

class Escapes : public PlayTest {
 protected:
  Escapes() {
    known.size = sizeof(known);
    known.version = WDDM_CLIENT_VERSION;
    known.create = []() -> void* { return nullptr; };
    known.destroy = [](void*) {};
    known.allocation_data = [](void*, const WddmAllocationRequest*, void*, std::uint32_t) {
      return -1;
    };
    known.build = [](void*, const WddmBuildRequest*, WddmBuildResult*) { return -1; };
    known.escape_data = escape_data;
    client = &known;
  }
  void ask() { play({op(OpKind::Start), op(OpKind::Requery)}); }
  /// Those of one kind.
  std::vector<ev::EscapeSent> sent(EscapeData data) const {
    std::vector<ev::EscapeSent> all = seen<ev::EscapeSent>();
    std::erase_if(all, [data](const ev::EscapeSent& one) {
      return one.data != static_cast<std::uint32_t>(data);
    });
    return all;
  }
  WddmClient known{};
};

TEST_F(Escapes, OfTheClientAreSentAsTheyAreBeforeAndAfterTheOthers) {
  ask();
  ASSERT_EQ(sent(EscapeData::Client).size(), 2u);
  std::vector<ev::EscapeSent> of_client = seen<ev::EscapeSent>();
  std::erase_if(of_client, [](const ev::EscapeSent& one) {
    return one.data < static_cast<std::uint32_t>(EscapeData::Client);
  });
  for (const ev::EscapeSent& one : {of_client.front(), of_client.back()}) {
    EXPECT_EQ(one.data, static_cast<std::uint32_t>(EscapeData::Client));
    EXPECT_EQ(one.bytes, sizeof(kKnown));
  }
}

TEST_F(Escapes, AreCutToEachLength) {
  ask();
  std::vector<std::uint32_t> lengths;
  for (const auto& cut : sent(EscapeData::Cut)) lengths.push_back(cut.bytes);
  EXPECT_EQ(lengths, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(Escapes, HaveEachWordAlteredToWhatBordersOnIt) {
  ask();
  std::set<std::pair<std::uint32_t, std::uint32_t>> altered;
  for (const auto& one : sent(EscapeData::Altered)) altered.insert({one.at, one.word});
  EXPECT_EQ(altered, (std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 0},
                                                                        {0, 6},
                                                                        {0, 8},
                                                                        {0, 0x7fffffff},
                                                                        {0, ~0u},
                                                                        {4, 0},
                                                                        {4, 99},
                                                                        {4, 101},
                                                                        {4, 0x7fffffff},
                                                                        {4, ~0u}}));
}

TEST_F(Escapes, WithoutAClientAreDataThatNoDriverKnows) {
  client = nullptr;
  ask();
  EXPECT_TRUE(sent(EscapeData::Client).empty());
  EXPECT_EQ(sent(EscapeData::Ones).size(), 1u);
}

}  // namespace
}  // namespace wddm::host
