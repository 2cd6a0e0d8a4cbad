// `wddmcheck convert`: a scenario as YAML, as bytes for fuzzers, or as a GoogleTest case.
#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/commands.h"

namespace wddm::runner {
namespace {

// Letters and digits only. Kinds of ops are called in C++ what this makes of their name.
std::string camel_case(const std::string& text) {
  std::string name;
  bool capital = true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && std::isalnum(byte) != 0;
    if (plain) name += static_cast<char>(capital ? std::toupper(byte) : c);
    capital = !plain;
  }
  return name;
}

// A name that C++ takes and GoogleTest has no other use for.
std::string test_name(const std::string& text) {
  const std::string name = camel_case(text);
  const bool starts_well = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0;
  return starts_well ? name : "Case" + name;
}

// The members that are not 0, so that it reads as written by hand.
std::string initializer(const Op& op) {
  const OpInfo* const info = op_info(op.kind);
  std::string text =
      fmt::format("{{.kind = wddm::OpKind::{}", info ? camel_case(info->name) : "None");
  for (const Member member :
       {Member::a, Member::b, Member::c, Member::x, Member::y, Member::z}) {
    const std::uint64_t value = field_of(op, member);
    if (value != 0) {
      fmt::format_to(std::back_inserter(text), ", .{} = {}", member_name(member), value);
    }
  }
  return text + "}";
}

std::string gtest_case(const Scenario& scenario, const std::string& file) {
  const std::string stem = std::filesystem::path(file).filename().string();
  std::string text = fmt::format(
      "// Made by `wddmcheck convert --to gtest`. Link it with wddm_runner, the host and the "
      "rules;\n"
      "// the driver is named by WDDM_DRIVER, WDDM_DEVICE and WDDM_CLIENT, or is the built-in "
      "one.\n"
      "#include <gtest/gtest.h>\n\n"
      "#include <vector>\n\n"
      "#include \"conformance/runner/scenario_case.h\"\n\n"
      "TEST(Scenario, {}) {{\n"
      "  const std::vector<wddm::Op> ops = {{\n",
      test_name(scenario.name.empty() ? stem.substr(0, stem.find('.')) : scenario.name));
  for (const Op& op : scenario.ops) {
    fmt::format_to(std::back_inserter(text), "      // {}\n      {},\n", print_op(op),
                   initializer(canonical(op)));
  }
  return text + "  };\n\n  EXPECT_EQ(wddm::runner::what_fails(ops), \"\");\n}\n";
}

}  // namespace

int convert_command(const Options& options) {
  std::string error;
  harness::Reproducer reproducer;
  if (!harness::read_reproducer(options.file, reproducer, error)) return complain(error);
  const bool from_bytes = reproducer.form == harness::ScenarioForm::Bytes;
  const std::string form = !options.form.empty() ? options.form : from_bytes ? "yaml" : "bytes";

  std::string text;
  if (form == "yaml") {
    text = print_scenario(reproducer.scenario);
    // What was found on a driver stays known of it.
    if (reproducer.record) text = print_record(*reproducer.record) + text;
  } else if (form == "gtest") {
    text = gtest_case(reproducer.scenario, options.file);
  } else {
    const std::vector<std::uint8_t> bytes = encode(reproducer.scenario.ops);
    text.assign(bytes.begin(), bytes.end());
  }
  if (!options.result.empty()) {
    return harness::write_text_file(options.result, text, error) ? kExitGood : complain(error);
  }
  std::cout << text << std::flush;
  return kExitGood;
}

}  // namespace wddm::runner
