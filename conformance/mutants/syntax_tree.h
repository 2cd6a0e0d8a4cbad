// A source file as libclang sees it: a tree of cursors with their places in the text.
//
// Left out: what macros expand to. A use of a macro is one node, whose text is the use.
#pragma once

#include <clang-c/Index.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace wddm::mutants {

struct Node {
  CXCursor cursor{};
  CXCursorKind kind{};
  std::size_t begin = 0, end = 0;  ///< in the text; equal: nowhere
  bool is_macro = false;           ///< the whole of a macro's use
  Node* parent = nullptr;
  std::vector<std::unique_ptr<Node>> children;
};

/// A definition of a function with a body, in one file.
struct Function {
  std::string name;  ///< "Node::enqueue"
  Node tree;         ///< of the definition
  std::string result;
};

/// A translation unit, parsed.
class SyntaxTree {
 public:
  /// `text` stands in for the file's own unless it is null. Null with one line in `error` if it
  /// does not compile.
  [[nodiscard]] static std::unique_ptr<SyntaxTree> parse(const std::string& file,
                                                         const std::string* text,
                                                         const std::vector<std::string>& flags,
                                                         std::string& error);
  SyntaxTree(const SyntaxTree&) = delete;
  SyntaxTree& operator=(const SyntaxTree&) = delete;
  ~SyntaxTree();

  /// Files of the unit, the main one and all that it includes.
  [[nodiscard]] std::vector<std::string> files() const;
  /// Functions whose definitions stand in the file, in its order; not those that are constant
  /// expressions.
  [[nodiscard]] std::vector<std::unique_ptr<Function>> functions_of(const std::string& file,
                                                                    const std::string& text) const;

 private:
  SyntaxTree() = default;
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
};

/// Text of libclang, taken over.
[[nodiscard]] std::string text_of(CXString text);

}  // namespace wddm::mutants
