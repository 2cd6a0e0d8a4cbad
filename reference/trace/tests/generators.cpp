// See generators.h.
#include "reference/trace/tests/generators.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace wddm::test {
namespace {

rc::Gen<std::uint64_t> value_of(const FieldInfo& field) {
  const auto inside = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [field](std::uint64_t raw) {
    const std::uint64_t values = field.highest - field.lowest + 1;  // 0: all of 64 bits
    return values == 0 ? raw : field.lowest + raw % values;
  });
  return rc::gen::weightedOneOf<std::uint64_t>(
      {{4, inside},
       {2, rc::gen::just(field.fallback)},
       {1, rc::gen::elementOf(std::vector<std::uint64_t>{field.lowest, field.highest})}});
}

Op op_of(const OpInfo& info) {
  Op op;
  op.kind = info.kind;
  for (const FieldInfo& field : info.fields) set_field(op, field.member, *value_of(field));
  return op;
}

rc::Gen<std::string> text_of(std::vector<std::string> pieces) {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::move(pieces))),
      [](const std::vector<std::string>& chosen) {
        std::string text;
        for (const std::string& piece : chosen) text += piece;
        return text;
      });
}

// Every sign of YAML, words with a meaning, and characters of one to four bytes: the first and last
// of each length, line separators, a byte order mark and the last two of a plane among them.
std::vector<std::string> pieces() {
  std::vector<std::string> result = {"null",
                                     "~",
                                     "true",
                                     "0x10",
                                     "---",
                                     "...",
                                     "!!int",
                                     "SPLIT-1",
                                     "a",
                                     "Z",
                                     " ",
                                     "  ",
                                     ": ",
                                     " #",
                                     "\xC2\x80",
                                     "\xC2\x85",
                                     "\xC2\xA0",
                                     "\xC3\xA9",
                                     "\xDF\xBF",
                                     "\xE0\xA0\x80",
                                     "\xE2\x80\xA8",
                                     "\xE2\x80\xA9",
                                     "\xED\x9F\xBF",
                                     "\xEE\x80\x80",
                                     "\xEF\xBB\xBF",
                                     "\xEF\xBF\xBD",
                                     "\xEF\xBF\xBE",
                                     "\xEF\xBF\xBF",
                                     "\xF0\x90\x80\x80",
                                     "\xF0\x9F\xBF\xBE",
                                     "\xF0\x9F\x98\x80",
                                     "\xF4\x8F\xBF\xBF"};
  for (char c = '!'; c <= '~'; ++c) result.emplace_back(1, c);
  return result;
}

}  // namespace

rc::Gen<Op> any_op() {
  return rc::gen::exec([] {
    Op op;
    op.kind = static_cast<OpKind>(*rc::gen::arbitrary<std::uint8_t>());
    op.a = *rc::gen::arbitrary<std::uint8_t>();
    op.b = *rc::gen::arbitrary<std::uint8_t>();
    op.c = *rc::gen::arbitrary<std::uint8_t>();
    op.x = *rc::gen::arbitrary<std::uint32_t>();
    op.y = *rc::gen::arbitrary<std::uint32_t>();
    op.z = *rc::gen::arbitrary<std::uint32_t>();
    return op;
  });
}

rc::Gen<Op> canonical_op() {
  return rc::gen::exec([] {
    const std::span<const OpInfo> catalogue = op_catalogue();
    const auto index = *rc::gen::inRange<std::size_t>(0, catalogue.size() + 1);
    return index == catalogue.size() ? Op{} : op_of(catalogue[index]);
  });
}

rc::Gen<std::vector<Op>> canonical_ops() {
  return rc::gen::container<std::vector<Op>>(canonical_op());
}

rc::Gen<std::string> line_of_text() {
  return text_of(pieces());
}

rc::Gen<std::string> block_of_text() {
  std::vector<std::string> with_breaks = pieces();
  for (int i = 0; i < 30; ++i) with_breaks.emplace_back("\n");
  for (int i = 0; i < 30; ++i) with_breaks.emplace_back("word");
  with_breaks.insert(with_breaks.end(), {"\t", "\n\n", "\n  ", " \n"});
  return text_of(std::move(with_breaks));
}

rc::Gen<Scenario> canonical_scenario() {
  return rc::gen::exec([] {
    Scenario scenario;
    scenario.name = *line_of_text();
    scenario.about = *block_of_text();
    scenario.ops = *canonical_ops();
    return scenario;
  });
}

rc::Gen<std::vector<std::uint8_t>> any_bytes() {
  return rc::gen::arbitrary<std::vector<std::uint8_t>>();
}

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(WDDM_TRACE_FOLDER "/") + path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace wddm::test
