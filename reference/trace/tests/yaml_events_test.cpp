// What the YAML library is made to say: each test has a text and its events, or where it ends.
#include "reference/trace/yaml_events.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wddm::yaml {
namespace {

// "1:Scalar a, 2:Nothing": line, kind, and of a scalar its text, in quotes unless it is plain.
std::string events_of(std::string_view text) {
  std::string out;
  try {
    Reader reader(text);
    while (const Event* const event = reader.next()) {
      constexpr const char* kKinds[] = {"Document", "Nothing", "Scalar", "Alias",
                                        "List",     "ListEnd", "Map",    "MapEnd"};
      if (!out.empty()) out += ", ";
      out += fmt::format("{}:{}", event->line, kKinds[static_cast<int>(event->kind)]);
      if (event->anchor) out += " &";
      if (!event->tag.empty()) out += fmt::format(" <{}>", event->tag);
      if (event->kind == Event::Kind::Scalar)
        out += event->plain ? fmt::format(" {}", event->text) : fmt::format(" '{}'", event->text);
    }
  } catch (const Problem& problem) {
    return fmt::format("{}: {}; {}", problem.line, problem.found, problem.expected);
  }
  return out;
}

std::string events_of_list(std::string_view elements) {
  const std::string all = events_of(elements);
  const std::string before = "1:Document, 1:List, ";
  EXPECT_EQ(all.substr(0, before.size()), before);
  return all.substr(before.size(), all.rfind(", ") - before.size());
}

TEST(YamlEvents, TextWithoutContentHasNone) {
  EXPECT_EQ(events_of(""), "");
  EXPECT_EQ(events_of("\xEF\xBB\xBF# a comment\n"), "");
}

TEST(YamlEvents, ListsAndMapsBeginAndEnd) {
  EXPECT_EQ(events_of("- a\n- {b: c}\n"),
            "1:Document, 1:List, 1:Scalar a, 2:Map, 2:Scalar b, 2:Scalar c, 2:MapEnd, 3:ListEnd");
}

TEST(YamlEvents, EachDocumentBegins) {
  EXPECT_EQ(events_of("a\n---\nb\n"), "1:Document, 1:Scalar a, 2:Document, 3:Scalar b");
}

TEST(YamlEvents, NothingHasFiveSpellings) {
  EXPECT_EQ(events_of_list("-\n- ~\n- null\n- Null\n- NULL\n"),
            "1:Nothing, 2:Nothing, 3:Nothing, 4:Nothing, 5:Nothing");
  EXPECT_EQ(events_of_list("- nULL\n- ''\n- '~'\n- \"null\"\n"),
            "1:Scalar nULL, 2:Scalar '', 3:Scalar '~', 4:Scalar 'null'");
}

TEST(YamlEvents, TagsAreSeen) {
  EXPECT_EQ(events_of_list("- !a b\n- !!int 1\n- !c [d]\n"),
            "1:Scalar <!a> b, 2:Scalar <tag:yaml.org,2002:int> 1, 3:List <!c>, 3:Scalar d, "
            "3:ListEnd");
}

TEST(YamlEvents, TagWithoutANameIsSeenToo) {
  EXPECT_EQ(events_of_list("- ! 5\n- ! 'a'\n- !\n- !\n  \xC3\xA9\n- ! ~\n- ! {}\n"),
            "1:Scalar <!> 5, 2:Scalar <!> 'a', 3:Scalar <!> , 4:Scalar <!> \xC3\xA9, "
            "6:Scalar <!> ~, 7:Map <!>, 7:MapEnd");
  EXPECT_EQ(events_of_list("- \xC3\xA9  # x\n- a\n   b\n- c   d\n- '!'\n- [e  , f]\n"),
            "1:Scalar \xC3\xA9, 2:Scalar a b, 4:Scalar c   d, 5:Scalar '!', 6:List, 6:Scalar e, "
            "6:Scalar f, 6:ListEnd");
}

TEST(YamlEvents, AnchorsAndAliasesAreSeen) {
  EXPECT_EQ(events_of_list("- &x [y]\n- *x\n- *z\n"),
            "1:List &, 1:Scalar y, 1:ListEnd, 2:Alias, 3:Alias");
}

TEST(YamlEvents, BrokenTextHasItsLine) {
  EXPECT_EQ(events_of("a: 1\nb: [2\n"),
            "3: broken YAML, \"while parsing a flow sequence, did not find expected ',' or ']'\"; "
            "well-formed YAML");
  EXPECT_EQ(events_of("a: \"\\q\"\n"),
            "1: broken YAML, \"while parsing a quoted scalar, found unknown escape character\"; "
            "well-formed YAML");
}

TEST(YamlEvents, OpenQuoteIsTold) {
  EXPECT_EQ(events_of("a: 'b\n\n"), "3: a quoted text without its end; its closing quote");
  EXPECT_EQ(events_of("a: \"b\n...\n"), "2: a quoted text without its end; its closing quote");
}

// Of these the library knows the place in the text only.
TEST(YamlEvents, BytesThatAreNoTextHaveTheirLine) {
  EXPECT_EQ(events_of("a: b\n\nc: \x01\n"),
            "3: broken YAML, \"control characters are not allowed\"; well-formed YAML");
  EXPECT_EQ(events_of("a: b\nc: \xff\n"),
            "2: broken YAML, \"invalid leading UTF-8 octet\"; well-formed YAML");
}

TEST(YamlEvents, LineSeparatorsOfUnicodeAreRefused) {
  EXPECT_EQ(events_of("a: b\n# c\xC2\x85\n"),
            "2: the line separator U+0085; \\u0085 in double quotes");
  EXPECT_EQ(events_of("a\xE2\x80\xA8"), "1: the line separator U+2028; \\u2028 in double quotes");
  EXPECT_EQ(events_of("a\xE2\x80\xA9"), "1: the line separator U+2029; \\u2029 in double quotes");
}

TEST(YamlEvents, PieceBeyondTheLimitEndsTheReading) {
  const std::string text = "- a\n# " + std::string(9000, 'c') + "\n- b\n";
  const auto read_all = [&text](std::size_t longest_piece) {
    Reader reader(text, longest_piece);
    while (reader.next() != nullptr) {
    }
  };
  EXPECT_NO_THROW(read_all(12000));
  EXPECT_THROW(read_all(6000), Problem);
}

// Whoever takes the events may stop at any of them.
TEST(YamlEvents, ReadingMayEndAtAnyEvent) {
  const std::string text = "- {a: !b 'c', d: &e [f]}\n- *e\n- g\n";
  for (int most = 0; most < 12; ++most) {
    Reader reader(text);
    for (int i = 0; i < most; ++i) ASSERT_NE(reader.next(), nullptr);
  }
}

}  // namespace
}  // namespace wddm::yaml
