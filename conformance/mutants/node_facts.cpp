#include "conformance/mutants/node_facts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace wddm::mutants {
namespace {

bool is_blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// The child that an if or a loop asks.
const Node* condition_of(const Node& node, const std::string& text) {
  const auto& children = node.children;
  if (children.empty()) return nullptr;
  switch (static_cast<int>(node.kind)) {
    case CXCursor_IfStmt:
      for (const auto& child : children) {
        if (child->kind == CXCursor_DeclStmt || child->kind == CXCursor_VarDecl) continue;
        // What a condition declares is asked for by its name, where it is declared.
        const bool declared = child->begin < children.front()->end && child != children.front();
        return is_expression(*child) && !declared ? child.get() : nullptr;
      }
      return nullptr;
    case CXCursor_WhileStmt:
      return is_expression(*children.front()) ? children.front().get() : nullptr;
    case CXCursor_ConditionalOperator:
      return children.front().get();
    case CXCursor_DoStmt:
      return children.back().get();
    case CXCursor_ForStmt: {
      // Each part may be missing, so the condition is what stands between the semicolons.
      std::size_t first = text.find(';', node.begin);
      if (!children.empty() && children.front()->kind == CXCursor_DeclStmt)
        first = children.front()->end - 1;
      const std::size_t second = text.find(';', first + 1);
      for (const auto& child : children) {
        if (child->begin > first && child->end <= second) return child.get();
      }
      return nullptr;
    }
    default:
      return nullptr;
  }
}

bool is_wrapper(const Node& node) {
  return node.kind == CXCursor_UnexposedExpr || node.kind == CXCursor_ParenExpr;
}

}  // namespace

std::string text_of(const Node& node, const std::string& text) {
  return text.substr(node.begin, node.end - node.begin);
}

const Node& bare(const Node& node) {
  const Node* at = &node;
  while (is_wrapper(*at) && at->children.size() == 1) at = at->children.front().get();
  return *at;
}

bool is_expression(const Node& node) {
  return clang_isExpression(node.kind) != 0;
}

bool is_condition(const Node& node, const std::string& text) {
  if (node.parent == nullptr || !is_expression(node)) return false;
  const Node& parent = *node.parent;
  if (parent.kind == CXCursor_BinaryOperator) {
    const auto sign = sign_of(parent, text);
    return sign && (sign->text == "&&" || sign->text == "||");
  }
  return condition_of(parent, text) == &node;
}

bool is_statement(const Node& node) {
  if (node.parent == nullptr) return false;
  const Node& parent = *node.parent;
  const auto& children = parent.children;
  const bool last = !children.empty() && children.back().get() == &node;
  switch (static_cast<int>(parent.kind)) {
    case CXCursor_CompoundStmt:
      return true;
    case CXCursor_IfStmt:
      return std::any_of(children.begin(), children.end(),
                         [&node](const auto& child) { return child->end < node.begin; });
    case CXCursor_WhileStmt:
    case CXCursor_ForStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
      return last;
    default:
      return false;
  }
}

bool is_fixed(const Node& node, const std::string& text) {
  switch (static_cast<int>(node.kind)) {
    case CXCursor_ParmDecl:
    case CXCursor_StaticAssert:
    case CXCursor_UnaryExpr:  // sizeof, alignof
    case CXCursor_TypeRef:
    case CXCursor_TemplateRef:
    case CXCursor_NamespaceRef:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_EnumDecl:
      return true;
    case CXCursor_VarDecl:
      break;
    default: {
      if (node.parent == nullptr) return false;
      if (node.parent->kind == CXCursor_CaseStmt)
        return node.parent->children.front().get() == &node;
      // The bound of an array, an argument of a template.
      std::size_t before = node.begin;
      while (before > 0 && is_blank(text[before - 1])) --before;
      const bool bracket = before > 0 && text[before - 1] == '[';
      const bool angle = before > 1 && text[before - 1] == '<' && !is_blank(text[before - 2]);
      if (angle && node.parent->kind != CXCursor_BinaryOperator) return true;
      if (node.parent->kind != CXCursor_VarDecl) return false;
      unsigned name = 0;  // what stands before it is the type
      clang_getFileLocation(clang_getCursorLocation(node.parent->cursor), nullptr, nullptr, nullptr,
                            &name);
      return bracket || node.begin < name;
    }
  }
  if (clang_Cursor_getStorageClass(node.cursor) == CX_SC_Static) return true;
  const std::string code = text_of(node, text);
  if (node.parent != nullptr) {
    const std::string whole = text_of(*node.parent, text);
    if (whole.compare(0, 9, "constexpr") == 0 || whole.compare(0, 6, "static") == 0) return true;
  }
  return code.compare(0, 9, "constexpr") == 0;
}

std::optional<Sign> sign_of(const Node& binary, const std::string& text) {
  if (binary.children.size() != 2 || binary.is_macro) return std::nullopt;
  std::size_t begin = binary.children[0]->end, end = binary.children[1]->begin;
  if (end <= begin) return std::nullopt;
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  const std::string sign = text.substr(begin, end - begin);
  constexpr std::string_view kLetters = "+-*/%<>=!&|^";
  if (sign.empty() || sign.size() > 3 || sign.find_first_not_of(kLetters) != std::string::npos)
    return std::nullopt;
  return Sign{begin, end, sign};
}

TypeFacts type_of(const Node& node) {
  if (!is_expression(node)) return {};
  CXType type = clang_getCanonicalType(clang_getCursorType(node.cursor));
  if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
    type = clang_getCanonicalType(clang_getPointeeType(type));
  TypeFacts facts;
  facts.name = text_of(clang_getTypeSpelling(type));
  for (const std::string_view word : {"const ", "volatile "}) {
    const bool pointee = type.kind == CXType_Pointer;
    if (!pointee && facts.name.compare(0, word.size(), word) == 0) facts.name.erase(0, word.size());
  }
  facts.boolean = type.kind == CXType_Bool;
  facts.pointer = type.kind == CXType_Pointer || type.kind == CXType_NullPtr;
  facts.integer = type.kind >= CXType_Char_U && type.kind <= CXType_Int128;
  // libclang cannot tell the size of what is no type of a value.
  const long long size = facts.integer ? clang_Type_getSizeOf(type) : 0;
  facts.bits = size > 0 ? static_cast<unsigned>(size) * 8 : 0;
  return facts;
}

std::optional<long long> constant_of(const Node& node) {
  if (!is_expression(node)) return std::nullopt;
  const CXEvalResult result = clang_Cursor_Evaluate(node.cursor);
  if (result == nullptr) return std::nullopt;
  std::optional<long long> value;
  if (clang_EvalResult_getKind(result) == CXEval_Int)
    value = clang_EvalResult_getAsLongLong(result);
  clang_EvalResult_dispose(result);
  return value;
}

bool is_null(const Node& node) {
  for (const Node* at = &node; at != nullptr; at = at->parent) {
    if (type_of(*at).pointer) return true;
    if (at->parent == nullptr || !is_wrapper(*at->parent)) return false;
  }
  return false;
}

}  // namespace wddm::mutants
