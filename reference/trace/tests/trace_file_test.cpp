// Traces in files: what goes in comes out, and no file harms its reader.
#include "reference/trace/trace_file.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>

#include "reference/trace/tests/trace_buffer.h"

namespace wddm {
namespace {

using test::TraceBuffer;

void fill(TraceBuffer& buffer) {
  buffer.add(ev::PlugInsLoaded{1, 1, 1, 1, 1}).add(ev::DebugPrint{}, "text of odd length!");
  buffer.writer().op = 0;
  buffer.add(ev::OpStarted{.kind = 1}).add(ev::Rendered{.render = 3}, "blob");
  buffer.writer().op = 1;
  buffer.add(ev::Notified{.fence = 7}).add(ev::DebugPrint{}, "again");
  buffer.writer().op = kNoOp;
  buffer.add(ev::Ended{.ops = 2});
}

std::string text_of(const Trace& trace) {
  std::string text = std::to_string(trace.events().size()) + " events\n";
  for (std::uint32_t i = 0; i < trace.events().size(); ++i) text += print_event(trace, i) + '\n';
  return text;
}

std::string text_of(const std::string& file, const TraceView& view = {}) {
  StoredTrace stored;
  std::string error;
  EXPECT_TRUE(stored.read(file, error)) << error;
  return print_trace(stored, view);
}

std::string complaint_of(std::string_view file) {
  StoredTrace stored;
  std::string error;
  EXPECT_FALSE(stored.read(file, error));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  return error;
}

class TraceFile : public testing::Test {
 protected:
  void SetUp() override {
    fill(buffer_);
    file_ = trace_file(buffer_.read(), {}, kWholeTrace);
  }
  void set_word(std::size_t at, std::uint32_t word) {
    std::memcpy(file_.data() + at, &word, sizeof(word));
  }
  TraceBuffer buffer_;
  std::string file_;
};

TEST_F(TraceFile, HoldsTheWholeTrace) {
  const Trace trace = buffer_.read();
  StoredTrace stored;
  std::string error;

  ASSERT_TRUE(stored.read(file_, error)) << error;

  EXPECT_EQ(print_trace(stored), text_of(trace));
  for (std::size_t i = 0; i < trace.events().size(); ++i) {
    EXPECT_EQ(stored.trace().blob_text(stored.trace().events()[i]),
              trace.blob_text(trace.events()[i]));
  }
  EXPECT_FALSE(stored.trace().truncated());
  EXPECT_EQ(trace_file(stored.trace(), {}, kWholeTrace), file_);
}

TEST_F(TraceFile, OfATraceWithoutEventsIsOne) {
  EXPECT_EQ(text_of(trace_file(TraceBuffer(0, 0).read(), {})), "0 events\n");
}

TEST_F(TraceFile, SaysThatTheRunHadMore) {
  TraceBuffer small(1, 0);
  small.add(ev::Running{}).add(ev::Ended{});
  StoredTrace stored;
  std::string error;

  ASSERT_TRUE(stored.read(trace_file(small.read(), {}), error)) << error;

  EXPECT_TRUE(stored.trace().truncated());
}

TEST_F(TraceFile, IsTheSameWhateverStandsInPadding) {
  TraceBuffer other;
  fill(other);
  std::memset(other.event(2)->payload + sizeof(ev::OpStarted), 0x55, 8);

  EXPECT_EQ(trace_file(other.read(), {}, kWholeTrace), file_);
}

TEST_F(TraceFile, KeepsWhatIsNamedAndTheLastThatFit) {
  const std::uint32_t named[] = {1};
  const std::string file = trace_file(buffer_.read(), named, {.events = 3, .blob_bytes = 1000});

  const std::string text = text_of(file);

  EXPECT_EQ(text.find("7 events, 3 of them\n#1 op=- "), 0u) << text;
  EXPECT_NE(text.find("\n#5 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n#6 "), std::string::npos) << text;
  StoredTrace stored;
  std::string error;
  ASSERT_TRUE(stored.read(file, error)) << error;
  EXPECT_EQ(stored.line(1), print_event(buffer_.read(), 1));
  EXPECT_EQ(stored.line(2), std::nullopt);
  EXPECT_EQ(stored.line(7), std::nullopt);
}

TEST_F(TraceFile, HoldsAsManyBlobsAsItMay) {
  const std::string text =
      text_of(trace_file(buffer_.read(), {}, {.events = 100, .blob_bytes = 8}));

  EXPECT_EQ(text.find("7 events, the last 3 of them\n#4 "), 0u) << text;
}

TEST_F(TraceFile, CanBeLookedAtInPart) {
  EXPECT_EQ(text_of(file_, {.last = 1}).find("7 events, the last 1 of them\n#6 "), 0u);
  const std::string of_op = text_of(file_, {.op = 1});
  EXPECT_EQ(of_op.find("7 events, 2 of them\n#4 op=1 "), 0u) << of_op;
  EXPECT_EQ(text_of(file_, {.around = 1000}), "7 events, 0 of them\n");
  EXPECT_EQ(text_of(file_, {.around = 0xffffffff}), "7 events, 0 of them\n");

  TraceBuffer many(100, 0);
  for (int i = 0; i < 100; ++i) many.add(ev::Running{});
  const std::string around = text_of(trace_file(many.read(), {}), {.around = 50});
  EXPECT_EQ(around.find("100 events, 41 of them\n#30 "), 0u) << around;
  EXPECT_NE(around.find("\n#70 "), std::string::npos) << around;
}

TEST_F(TraceFile, OtherFilesAreRefused) {
  EXPECT_EQ(complaint_of(""), "no trace of wddmcheck");
  EXPECT_EQ(complaint_of("ops: []\n"), "no trace of wddmcheck");
  EXPECT_EQ(complaint_of(std::string(1 << 20, '\0')), "no trace of wddmcheck");
  set_word(8, kTraceFileVersion + 1);
  EXPECT_EQ(complaint_of(file_), "a trace in form 2; this program reads form 1");
}

TEST_F(TraceFile, EveryCutIsNoticed) {
  for (std::size_t length = 0; length < file_.size(); ++length)
    EXPECT_NE(complaint_of(file_.substr(0, length)), "") << length;
  EXPECT_NE(complaint_of(file_ + '\0'), "");
}

TEST_F(TraceFile, CountsBeyondTheFileAreRefused) {
  for (const std::size_t count : {16, 20}) {
    for (const std::uint32_t word : {0u, 1u, 8u, 0x7fffffffu, 0xffffffffu}) {
      const std::string before = file_;
      set_word(count, word);
      EXPECT_NE(complaint_of(file_).find("cut or damaged"), std::string::npos) << count;
      file_ = before;
    }
  }
}

TEST_F(TraceFile, NumbersInNoOrderAreRefused) {
  const std::string before = file_;
  set_word(12, 6);  // a run of 6 events has none of number 6
  EXPECT_NE(complaint_of(file_).find("no order"), std::string::npos);
  file_ = before;
  set_word(32, 1);  // 1, 1, 2, ...
  EXPECT_NE(complaint_of(file_).find("no order"), std::string::npos);
}

RC_GTEST_PROP(HostileTraceFile, AnyWordMayBeOverwritten, ()) {
  TraceBuffer buffer;
  fill(buffer);
  std::string file = trace_file(buffer.read(), {}, kWholeTrace);
  for (int i = *rc::gen::inRange(1, 6); i > 0; --i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, file.size() / 4) * 4;
    const auto word =
        *rc::gen::element<std::uint32_t>(0, 1, 8, 9, 0x7fffffff, 0xffffffff, 0xfffffff8);
    std::memcpy(file.data() + at, &word, sizeof(word));
  }
  // Exactly as long as it is, so that a step beyond is seen.
  const std::vector<char> exact(file.begin(), file.end());
  StoredTrace stored;
  std::string error;
  if (stored.read({exact.data(), exact.size()}, error)) {
    RC_ASSERT(print_trace(stored).size() > 0u);
  } else {
    RC_ASSERT(!error.empty());
  }
}

}  // namespace
}  // namespace wddm
