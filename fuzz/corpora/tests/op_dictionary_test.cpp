#include "fuzz/corpora/op_dictionary.h"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>
#include <vector>

#include "reference/trace/op.h"

namespace wddm::fuzz {
namespace {

struct Word {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

// NAME="\xNN..." a line.
std::vector<Word> words_of(const std::string& text) {
  std::vector<Word> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Word& word = words.emplace_back();
    word.name = line.substr(0, line.find('='));
    for (std::size_t at = line.find("\\x"); at != std::string::npos;
         at = line.find("\\x", at + 4)) {
      word.bytes.push_back(
          static_cast<std::uint8_t>(std::stoul(line.substr(at + 2, 2), nullptr, 16)));
    }
  }
  return words;
}

TEST(OpDictionary, HoldsEveryKindOfOpAsOneOp) {
  const std::vector<Word> words = words_of(op_dictionary());

  ASSERT_EQ(words.size(), op_catalogue().size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::vector<Op> ops = decode(words[i].bytes);
    ASSERT_EQ(ops.size(), 1u) << words[i].name;
    EXPECT_EQ(ops[0].kind, op_catalogue()[i].kind) << words[i].name;
    EXPECT_EQ(words[i].name, op_catalogue()[i].name);
  }
}

TEST(OpDictionary, GivesFieldsTheirDefaults) {
  const std::vector<Word> words = words_of(op_dictionary());

  for (const Word& word : words) {
    const std::vector<Op> ops = decode(word.bytes);
    ASSERT_FALSE(ops.empty());
    // The text form leaves out what has its default.
    EXPECT_EQ(print_op(ops[0]), word.name);
  }
}

TEST(OpDictionary, HasNamesThatEnginesTake) {
  for (const Word& word : words_of(op_dictionary())) {
    for (const char c : word.name) EXPECT_TRUE(std::isalnum(c) != 0 || c == '_') << word.name;
  }
}

}  // namespace
}  // namespace wddm::fuzz
