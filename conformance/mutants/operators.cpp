#include "conformance/mutants/operators.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "conformance/mutants/node_facts.h"

namespace wddm::mutants {
namespace {

constexpr long long kPage = 4096;
// Macros whose uses say something to tools, and nothing to a GPU.
constexpr std::array<std::string_view, 4> kSilent = {"PAGED_CODE", "NT_ASSERT", "ASSERT",
                                                     "UNREFERENCED_PARAMETER"};

bool contains(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

class Finder {
 public:
  Finder(const Function& function, const std::string& text, std::vector<Mutation>& out)
      : function_(function), text_(text), out_(out) {}

  void all() {
    early_return();
    for (const auto& child : function_.tree.children) walk(*child);
  }

 private:
  void walk(const Node& node) {
    if (is_fixed(node, text_)) return;
    if (is_condition(node, text_)) negate(node);
    if (is_statement(node)) statement(node);
    if (is_expression(node)) expression(node);
    for (const auto& child : node.children) walk(*child);
  }

  // Wrappers have the text of what they wrap: each place is mutated once in a way.
  Mutation* add(const Node& node, const char* kind, std::string about) {
    if (!seen_.insert({node.begin, node.end, std::string(kind) + about}).second) return nullptr;
    // What a loop over a range does by itself has its colon for a text.
    if (node.end == node.begin + 1 && text_[node.begin] == ':') return nullptr;
    Mutation& mutation = out_.emplace_back();
    mutation.begin = node.begin;
    mutation.end = node.end;
    mutation.function = function_.name;
    mutation.kind = kind;
    mutation.about = std::move(about);
    return &mutation;
  }

  void instead(const Node& node, const char* kind, const std::string& mutated,
               const std::string& about) {
    if (Mutation* const one = add(node, kind, about)) {
      one->before = "(WDDM_MUTANT(#) ? (" + mutated + ") : (";
      one->after = "))";
    }
  }

  void leave_out(const Node& node, const char* kind) {
    if (Mutation* const one = add(node, kind, code(node) + " left out")) {
      one->before = "(WDDM_MUTANT(#) ? (void)0 : (void)(";
      one->after = "))";
    }
  }

  void wrap(const Node& node, const char* kind, const std::string& by) {
    if (Mutation* const one = add(node, kind, code(node) + ' ' + by)) {
      one->before = "::wddm_mutants::off(#, (";
      one->after = "), " + by + ")";
    }
  }

  // Between two operands: a function that evaluates each once.
  void operands(const Node& node, const Sign& sign, const char* kind, const char* function,
                const char* mutated) {
    const std::string about = code(*node.children[0]) + ' ' + sign.text + " -> " + mutated + ' ' +
                              code(*node.children[1]);
    if (Mutation* const one = add(node, kind, about)) {
      one->before = std::string("::wddm_mutants::") + function + "(#, (";
      one->sign_begin = sign.begin;
      one->sign_end = sign.end;
      one->sign = "), (";
      one->after = "))";
    }
  }

  void negate(const Node& node) {
    if (Mutation* const one = add(node, "negate", "!(" + code(node) + ")")) {
      one->before = "(WDDM_MUTANT(#) ? !(" + code(node) + ") : static_cast<bool>(";
      one->after = "))";
      negated_.insert({bare(node).begin, bare(node).end});
    }
  }

  void statement(const Node& node) {
    if (node.kind == CXCursor_BreakStmt && node.parent->kind != CXCursor_IfStmt) {
      if (Mutation* const one = add(node, "drop", "break left out"))
        one->before = "if (!WDDM_MUTANT(#)) ";
      return;
    }
    if (!is_expression(node)) return;
    const Node& inner = bare(node);
    if (node.is_macro) {
      const std::string use = code(node);
      const bool silent = std::any_of(kSilent.begin(), kSilent.end(), [&use](auto name) {
        return use.compare(0, name.size(), name) == 0;
      });
      if (!silent && inner.kind == CXCursor_CallExpr) leave_out(node, "drop");
      return;
    }
    switch (static_cast<int>(inner.kind)) {
      case CXCursor_CallExpr:
        if (is_assignment(inner)) {
          leave_out(node, "keep");
        } else if (!is_lock(inner)) {
          leave_out(node, "drop");
        }
        break;
      case CXCursor_CXXDeleteExpr:
      case CXCursor_UnaryOperator:
        leave_out(node, "drop");
        break;
      case CXCursor_BinaryOperator:
        if (const auto sign = sign_of(inner, text_); sign && sign->text == "=")
          leave_out(node, is_bit(*inner.children[0]) ? "flag" : "keep");
        break;
      case CXCursor_CompoundAssignOperator:
        if (const auto sign = sign_of(inner, text_))
          leave_out(node, sign->text == "|=" || sign->text == "&=" ? "flag" : "drop");
        break;
      default:
        break;
    }
  }

  void expression(const Node& node) {
    if (node.kind == CXCursor_CXXBoolLiteralExpr) {
      instead(node, "constant", "!" + code(node), "!" + code(node));
      return;
    }
    if (node.kind == CXCursor_BinaryOperator) binary(node);
    if (node.kind == CXCursor_CompoundAssignOperator) compound(node);
    if (node.kind == CXCursor_CallExpr && !node.is_macro) {
      swap_arguments(node);
      unlock(node);
    }
    if (!is_condition(node, text_)) number(node);
  }

  void binary(const Node& node) {
    const auto sign = sign_of(node, text_);
    if (!sign) return;
    const TypeFacts left = type_of(*node.children[0]), right = type_of(*node.children[1]);
    const bool pointers = left.pointer || right.pointer;
    if (sign->text == "<") operands(node, *sign, "border", "less", "<=");
    if (sign->text == "<=") operands(node, *sign, "border", "less_equal", "<");
    if (sign->text == ">") operands(node, *sign, "border", "greater", ">=");
    if (sign->text == ">=") operands(node, *sign, "border", "greater_equal", ">");
    if ((sign->text == "==" || sign->text == "!=") && negated_.count({node.begin, node.end}) == 0)
      instead(node, "border", "!(" + code(node) + ")", "!(" + code(node) + ")");
    if (pointers || !left.integer || !right.integer || constant_of(node)) return;
    if (sign->text == "+") operands(node, *sign, "arith", "plus", "-");
    if (sign->text == "-") operands(node, *sign, "arith", "minus", "+");
    // A flag that is put to others.
    if (sign->text == "|" && constant_of(*node.children[1]))
      instead(node, "flag", code(*node.children[0]), code(node) + " without the latter");
  }

  void compound(const Node& node) {
    const auto sign = sign_of(node, text_);
    if (!sign || type_of(*node.children[0]).pointer) return;
    const std::string left = code(*node.children[0]), right = code(*node.children[1]);
    if (sign->text == "+=") instead(node, "arith", left + " -= " + right, left + " -= " + right);
    if (sign->text == "-=") instead(node, "arith", left + " += " + right, left + " += " + right);
  }

  // Numbers that are given to somebody: arguments, operands, results, what is assigned.
  void number(const Node& node) {
    const TypeFacts type = type_of(node);
    if (!type.integer || type.boolean || node.parent == nullptr) return;
    const Node& inner = bare(node);
    const bool literal = inner.kind == CXCursor_IntegerLiteral;
    const bool name = node.is_macro || inner.kind == CXCursor_DeclRefExpr;
    const auto value = constant_of(inner);
    if (value && (literal || name)) {
      if (node.kind == CXCursor_ParenExpr || is_null(node) || is_truth(node)) return;
      // One way for each: more are of one kind with it.
      if (*value >= kPage && *value % kPage == 0) {
        wrap(node, "unit", "+4096");
      } else if (name && *value >= 4 && *value % 4 == 0) {
        wrap(node, "unit", "+4");
      } else {
        wrap(node, "constant", literal && *value > 0 ? "-1" : "+1");
      }
      return;
    }
    if (value || !is_given(node)) return;
    const std::string said = code(node);
    if (type.bits == 64) {
      wrap(node, "unit", "+4096");
    } else if (contains(said, "ffset") || contains(said, "ndex") || contains(said, "slot")) {
      wrap(node, "unit", "+1");
    }
  }

  // The whole of an argument, an initializer, a result, or the right side of an assignment.
  [[nodiscard]] bool is_given(const Node& node) const {
    if (node.kind == CXCursor_ParenExpr || node.is_macro) return false;
    const Node& parent = *node.parent;
    switch (static_cast<int>(parent.kind)) {
      case CXCursor_CallExpr:
        // What is not read at once is given by reference, and may be written.
        return parent.children.front().get() != &node && !is_assignment(parent) &&
               node.kind != CXCursor_DeclRefExpr && node.kind != CXCursor_MemberRefExpr;
      case CXCursor_InitListExpr:
      case CXCursor_ReturnStmt:
        return true;
      case CXCursor_VarDecl:
        return parent.children.back().get() == &node;
      case CXCursor_BinaryOperator: {
        const auto sign = sign_of(parent, text_);
        return sign && sign->text == "=" && parent.children[1].get() == &node;
      }
      default:
        return false;
    }
  }

  // 1 or 0 for a bit of a structure: another number is the same, or the other one.
  [[nodiscard]] bool is_truth(const Node& node) const {
    const Node* at = &node;
    while (at->parent != nullptr && at->parent->kind == CXCursor_UnexposedExpr) at = at->parent;
    if (at->parent == nullptr || at->parent->kind != CXCursor_BinaryOperator) return false;
    const auto sign = sign_of(*at->parent, text_);
    return sign && sign->text == "=" && is_bit(*at->parent->children[0]);
  }

  [[nodiscard]] static bool is_bit(const Node& left) {
    return clang_getFieldDeclBitWidth(clang_getCursorReferenced(bare(left).cursor)) == 1;
  }

  static bool is_assignment(const Node& call) { return text_of_name(call) == "operator="; }
  static bool is_lock(const Node& call) { return text_of_name(call) == "synchronize"; }
  static std::string text_of_name(const Node& call) {
    return mutants::text_of(clang_getCursorSpelling(call.cursor));
  }

  // Arguments with a text of their own.
  [[nodiscard]] static std::vector<const Node*> arguments_of(const Node& call) {
    std::vector<const Node*> arguments;
    const CXCursor callee = clang_getCursorReferenced(call.cursor);
    const int count = clang_Cursor_getNumArguments(call.cursor);
    if (clang_getCursorKind(callee) == CXCursor_Constructor || count <= 0) return {};
    if (text_of_name(call).compare(0, 8, "operator") == 0) return {};
    const std::size_t first =
        call.children.size() -
        std::min<std::size_t>(static_cast<std::size_t>(count), call.children.size());
    if (first == 0) return {};
    for (std::size_t i = first; i < call.children.size(); ++i)
      arguments.push_back(call.children[i].get());
    return arguments;
  }

  void swap_arguments(const Node& call) {
    const auto arguments = arguments_of(call);
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      const Node &one = *arguments[i - 1], &other = *arguments[i];
      if (type_of(one).name != type_of(other).name || type_of(one).name.empty()) continue;
      if (code(one) == code(other) || one.end > other.begin) continue;
      const std::string mutated =
          on_one_line(text_.substr(call.begin, one.begin - call.begin)) + code(other) +
          on_one_line(text_.substr(one.end, other.begin - one.end)) + code(one) +
          on_one_line(text_.substr(other.end, call.end - other.end));
      instead(call, "swap", mutated, mutated);
    }
  }

  void unlock(const Node& call) {
    const auto arguments = arguments_of(call);
    if (!is_lock(call) || arguments.size() != 1) return;
    const std::string routine = code(*arguments[0]);
    instead(call, "lock", routine + "(), true", routine + " without the lock");
  }

  void early_return() {
    if (function_.tree.kind == CXCursor_Constructor) return;
    const auto& children = function_.tree.children;
    const auto body = std::find_if(children.begin(), children.end(), [](const auto& child) {
      return child->kind == CXCursor_CompoundStmt;
    });
    // Of a body that is empty nothing is left out.
    if ((*body)->children.empty() || (*body)->is_macro) return;
    std::vector<std::string> results;
    if (function_.result == "void") results = {""};
    if (function_.result == "bool") results = {"false", "true"};
    if (function_.result == "BOOLEAN") results = {"0", "1"};
    if (function_.result == "NTSTATUS") results = {"0"};
    for (const std::string& result : results) {
      Node start;
      start.begin = start.end = (*body)->begin + 1;
      if (Mutation* const one = add(start, "return", "return " + result + " at once"))
        one->before = " if (WDDM_MUTANT(#)) return " + result + "; ";
    }
  }

  [[nodiscard]] std::string code(const Node& node) const {
    return on_one_line(mutants::text_of(node, text_));
  }

  const Function& function_;
  const std::string& text_;
  std::vector<Mutation>& out_;
  std::set<std::tuple<std::size_t, std::size_t, std::string>> seen_;
  std::set<std::pair<std::size_t, std::size_t>> negated_;
};

}  // namespace

void find_mutations(const Function& function, const std::string& text,
                    std::vector<Mutation>& mutations) {
  Finder(function, text, mutations).all();
}

}  // namespace wddm::mutants
