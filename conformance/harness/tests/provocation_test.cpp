// What of a run no honest user mode and no Windows does, said of what the kernel found behind it.
#include "conformance/harness/judge/provocation.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/trace/trace.h"

namespace wddm::harness {
namespace {

constexpr std::uint32_t kEvents = 16, kBlobs = 256;

class Provocation : public testing::Test {
 protected:
  void op(OpKind kind) {
    ++writer_.op;
    writer_.add(ev::OpStarted{.kind = static_cast<std::uint32_t>(kind)}, 0, 0, 0);
  }
  void render(const ev::RenderCalled& called) { writer_.add(called, 0, 0, 0); }
  // Of a finding after all of it.
  std::string said() {
    std::vector<Failure> failures{{.id = "NT-Assertion", .event = 0},
                                  {.id = "NT-Assertion", .event = kEvents}};
    note_provocation(Trace(storage_.data()), failures);
    EXPECT_EQ(failures[0].provoked, "") << "what came before was not provoked";
    return failures[1].provoked;
  }

  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> storage_ =
      std::vector<Line>(trace_storage_bytes(kEvents, kBlobs) / sizeof(Line) + 1);
  TraceWriter writer_ = TraceWriter::create(storage_.data(), kEvents, kBlobs);
};

TEST_F(Provocation, HonestRunsHaveNone) {
  op(OpKind::Start);
  writer_.add(ev::ContextCreated{.context = 1, .dma_bytes = 4096, .patches = 8}, 0, 0, 0);
  op(OpKind::Render);
  render({.render = 1, .context = 1, .dma_given = 4096, .patches_given = 8});

  EXPECT_EQ(said(), "");
}

TEST_F(Provocation, AHostileOpIsNamed) {
  op(OpKind::Start);
  op(OpKind::HostileData);

  EXPECT_EQ(said(), "op 1 (hostile_data): hostile user mode");
}

TEST_F(Provocation, SoIsInputThatAContextLeavesOut) {
  op(OpKind::Start);
  op(OpKind::Render);
  render({.render = 1, .context = 1, .hostile = 1});

  EXPECT_EQ(said(), "op 1: hostile user mode");
}

TEST_F(Provocation, LessRoomThanTheContextAskedFor) {
  op(OpKind::Start);
  writer_.add(ev::ContextCreated{.context = 1, .dma_bytes = 4096, .patches = 8}, 0, 0, 0);
  op(OpKind::Render);
  render({.render = 1, .context = 1, .dma_given = 4096, .patches_given = 7});

  EXPECT_EQ(said(), "op 1: less room than DXGK_CONTEXTINFO asks for");
}

// What a driver asserts of data that it does not know, in the call itself and nowhere else.
class ProvokingEscape : public Provocation {
 protected:
  std::string said_within(EscapeData data) {
    op(OpKind::Requery);
    writer_.add(ev::EscapeSent{.data = static_cast<std::uint32_t>(data)}, 0, 0, 0);
    writer_.add(ev::Finding{}, 0, 0, 0);
    writer_.add(ev::EscapeAnswered{}, 0, 0, 0);
    constexpr std::uint32_t kFinding = 2, kBehind = 4;
    std::vector<Failure> failures{{.id = "NT-Assertion", .event = kFinding, .op = 1},
                                  {.id = "NT-Assertion", .event = kBehind, .op = 1}};
    note_provocation(Trace(storage_.data()), failures);
    EXPECT_EQ(failures[1].provoked, "");
    return failures[0].provoked;
  }
};

TEST_F(ProvokingEscape, OfDataThatNobodyKnows) {
  EXPECT_EQ(said_within(EscapeData::Zeros), "op 1: an escape, whose data any process sends");
}

TEST_F(ProvokingEscape, ThatDidNotReturn) {
  op(OpKind::Requery);
  writer_.add(ev::EscapeSent{.data = static_cast<std::uint32_t>(EscapeData::Ones)}, 0, 0, 0);
  EXPECT_EQ(said(), "op 0: an escape, whose data any process sends");
}

TEST_F(ProvokingEscape, ThatDidNotReturnAsTheClientSendsIt) {
  op(OpKind::Requery);
  writer_.add(ev::EscapeSent{.data = static_cast<std::uint32_t>(EscapeData::Client)}, 0, 0, 0);
  EXPECT_EQ(said(), "");
}

TEST_F(ProvokingEscape, IsNoneAsTheClientSendsIt) {
  EXPECT_EQ(said_within(EscapeData::Client), "");
}

}  // namespace
}  // namespace wddm::harness
