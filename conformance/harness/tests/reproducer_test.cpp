// Files of reproducers: told apart by what they hold, and read back as they were written.
#include "conformance/harness/suite/reproducer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

namespace wddm::harness {
namespace {

Platform platform(std::uint32_t nodes) {
  Platform platform;
  platform.wddm_version = 2700;
  platform.nodes = nodes;
  platform.segments = {{.base = 0x10000, .size = 1 << 20, .commit_limit = 0, .flags = {4}}};
  return platform;
}

Reproducer read(const std::string& contents) {
  const std::string path = testing::TempDir() + "/reproducer";
  std::ofstream(path, std::ios::binary) << contents;
  Reproducer reproducer;
  std::string error;
  EXPECT_TRUE(read_reproducer(path, reproducer, error)) << error;
  return reproducer;
}

TEST(ScenarioForm, TextWithOpsIsYaml) {
  for (const char* text :
       {"ops:\n- idle\n", "name: x\nops : []\n", "{\"ops\": [idle]}",
        "# x\nops:", "ops:\n- nosuchop\n", "{name: x,ops: []}", "\xef\xbb\xbfops: []"}) {
    EXPECT_EQ(form_of(text), ScenarioForm::Yaml) << text;
  }
}

TEST(ScenarioForm, AllElseIsBytes) {
  using namespace std::string_view_literals;
  for (const std::string_view bytes : {""sv, "name: x\n"sv, "ops:\0\0"sv, "ops:\xff"sv, "oops: 1"sv,
                                       "ops"sv, "aaaaaaaaaaaaaaaa"sv}) {
    EXPECT_EQ(form_of(bytes), ScenarioForm::Bytes) << bytes;
  }
}

TEST(Reproducer, BytesAreDecoded) {
  const std::vector<Op> ops = {{.kind = OpKind::Preempt, .a = 1}, {.kind = OpKind::Idle}};
  const std::vector<std::uint8_t> bytes = encode(ops);

  const Reproducer reproducer = read({bytes.begin(), bytes.end()});

  EXPECT_EQ(reproducer.scenario.ops, ops);
  EXPECT_EQ(reproducer.form, ScenarioForm::Bytes);
  EXPECT_EQ(reproducer.record, std::nullopt);
}

TEST(Reproducer, AByteOrderMarkIsNoPartOfTheText) {
  const Reproducer reproducer = read("\xef\xbb\xbfops:\n- idle\n");

  EXPECT_EQ(reproducer.form, ScenarioForm::Yaml);
  EXPECT_EQ(reproducer.scenario.ops, std::vector<Op>{{.kind = OpKind::Idle}});
}

TEST(Reproducer, AnEmptyFileIsAnEmptyScenario) {
  EXPECT_TRUE(read("").scenario.ops.empty());
}

TEST(Reproducer, IsReadAsItWasWritten) {
  Scenario scenario;
  scenario.name = "a name";
  scenario.ops = {{.kind = OpKind::Preempt, .a = 1}};
  const CapabilityRecord record = record_of(platform(2), "/some/where/my driver.so");

  const Reproducer reproducer =
      read(print_reproducer(scenario, "X-001 does not hold\n  seen  \x1b[31m\n", record));

  EXPECT_EQ(reproducer.scenario.ops, scenario.ops);
  EXPECT_EQ(reproducer.scenario.name, scenario.name);
  ASSERT_TRUE(reproducer.record.has_value());
  EXPECT_EQ(reproducer.record->driver, "my driver.so");
  EXPECT_EQ(difference(*reproducer.record, record), "");
}

TEST(Reproducer, AVerdictCannotBreakTheFile) {
  const std::string verdict = "a\n\n\nops: [\n" + std::string(100'000, 'x') + "\r\xc3";

  const std::string text = print_reproducer({}, verdict, record_of(platform(1), "d.so"));

  EXPECT_TRUE(read(text).scenario.ops.empty());
  EXPECT_EQ(text.rfind("# a\n#\n#\n# ops: [\n# xx", 0), 0u);
}

TEST(Record, HasAFixedForm) {
  const std::string text = print_record(record_of(platform(2), "d.so"));

  EXPECT_EQ(text.rfind("# driver: d.so, record ", 0), 0u) << text;
  EXPECT_NE(text.find("\n#   nodes                  2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n#   segment 1              1024 KiB at 0x10000"), std::string::npos);
}

TEST(Record, TellsAnotherDriverInOneLine) {
  const CapabilityRecord two = record_of(platform(2), "a.so");
  const CapabilityRecord three = record_of(platform(3), "b.so");

  EXPECT_EQ(difference(two, three), "Found on a.so (record " + two.digest +
                                        "); this is b.so (record " + three.digest +
                                        "), which differs first in: nodes 2, here nodes 3");
  EXPECT_EQ(difference(two, record_of(platform(2), "b.so")),
            "Found on a.so (record " + two.digest + "); this is b.so (record " + two.digest +
                "), with the same capabilities");
}

// Of a platform that has everything no field can change unseen, but for how far bring-up came, and
// for what a device leaves out: that changes what is judged, and not what the driver does.
TEST(Record, ShowsEveryField) {
  Platform whole = platform(2);
  whole.started = whole.has_caps = true;
  whole.has_device = whole.has_device_log = whole.has_scramble = true;
  whole.has_client = whole.has_decoder = whole.has_entry_decoder = whole.has_escapes = true;
  whole.gpu_mmu = true;
  whole.gpu_mmu_caps.value = 0x4c;
  whole.page_table_levels = whole.update_mode = 2;
  whole.leaf_64kb_bytes = 4096;
  whole.patch_list_model = whole.virtual_addressing = whole.compute_only = true;
  whole.map_aperture2 = whole.io_mmu = true;
  whole.has_package = whole.runtime_power = whole.removable = true;
  whole.removable_in_hibernation = whole.secure_mode = true;
  whole.linked_adapters = 2;
  whole.sources = 1;
  whole.interface_version = whole.slots = 9;
  whole.device_lacks = 1;
  whole.scheduling.value = 0x1d;
  whole.graphics_preemption = whole.compute_preemption = 100;
  whole.absent_ddis.value.set();
  const std::set<std::string> unseen{"started", "has_caps", "absent_ddis", "device_lacks"};
#define WDDM_PLATFORM_FIELDS
#define FIELD(type, name, about)                                                                   \
  {                                                                                                \
    Platform less = whole;                                                                         \
    less.name = type{};                                                                            \
    EXPECT_FALSE(less == whole) << #name " is not set here";                                       \
    EXPECT_EQ(capability_lines(less) == capability_lines(whole), unseen.contains(#name)) << #name; \
  }
#include "reference/platform.def"
#undef FIELD
#undef WDDM_PLATFORM_FIELDS
}

// As they stand in files that were written when digests were FNV-1a.
TEST(Record, OfAnEarlierVersionIsKnownByItsLines) {
  CapabilityRecord earlier = record_of(platform(2), "a.so");
  earlier.digest = "5e1f9c04";

  EXPECT_EQ(difference(earlier, record_of(platform(2), "a.so")), "");
}

TEST(Record, HostileCommentsAreHarmless) {
  EXPECT_EQ(read_record("# driver: , record"), std::nullopt);
  EXPECT_EQ(read_record("# driver:, record 1"), std::nullopt);
  const auto record = read_record("# driver: x, record \x1b[31m\n#   \x07\n# more\n");
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->digest, "\\x1b[31m");
  EXPECT_EQ(record->lines, std::vector<std::string>{"\\x07"});
}

}  // namespace
}  // namespace wddm::harness
