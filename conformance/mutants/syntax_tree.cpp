#include "conformance/mutants/syntax_tree.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace wddm::mutants {
namespace {

struct Range {
  std::size_t begin = 0, end = 0;
};

std::size_t offset_of(CXSourceLocation location, CXFile* file) {
  unsigned offset = 0;
  clang_getFileLocation(location, file, nullptr, nullptr, &offset);
  return offset;
}

// An empty range if it does not lie in the file, or not in one piece.
Range range_of(CXCursor cursor, CXFile file) {
  const CXSourceRange extent = clang_getCursorExtent(cursor);
  CXFile begins = nullptr, ends = nullptr;
  const std::size_t begin = offset_of(clang_getRangeStart(extent), &begins);
  const std::size_t end = offset_of(clang_getRangeEnd(extent), &ends);
  if (begins == nullptr || ends == nullptr || clang_File_isEqual(begins, file) == 0 ||
      clang_File_isEqual(ends, file) == 0 || end < begin) {
    return {};
  }
  return {begin, end};
}

void visit(CXCursor cursor, const std::function<CXChildVisitResult(CXCursor)>& visitor) {
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        return (*static_cast<const std::function<CXChildVisitResult(CXCursor)>*>(data))(child);
      },
      const_cast<void*>(static_cast<const void*>(&visitor)));
}

bool is_function(CXCursorKind kind) {
  switch (static_cast<int>(kind)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate:
      return true;
    default:
      return false;
  }
}

std::string name_of(CXCursor function) {
  std::string name = text_of(clang_getCursorSpelling(function));
  for (CXCursor above = clang_getCursorSemanticParent(function);
       clang_getCursorKind(above) != CXCursor_TranslationUnit && clang_Cursor_isNull(above) == 0;
       above = clang_getCursorSemanticParent(above)) {
    const CXCursorKind kind = clang_getCursorKind(above);
    if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec) continue;
    name = text_of(clang_getCursorSpelling(above)) + "::" + name;
  }
  return name;
}

bool is_body(const std::unique_ptr<Node>& node) {
  return node->kind == CXCursor_CompoundStmt;
}
// What is defaulted has a body too, but nobody wrote it; handlers of exceptions are macros whose
// statements libclang does not take apart.
bool is_written(const Function& function, const std::string& text) {
  const auto& children = function.tree.children;
  const auto body = std::find_if(children.begin(), children.end(), is_body);
  if (body == children.end() || text[(*body)->begin] != '{') return false;
  return text.substr(function.tree.begin, function.tree.end - function.tree.begin).find("__try") ==
         std::string::npos;
}

class Builder {
 public:
  Builder(CXFile file, const std::vector<Range>& macros) : file_(file), macros_(macros) {}

  void fill(Node& node) const {
    if (node.is_macro) return;
    visit(node.cursor, [&](CXCursor cursor) {
      const Range range = range_of(cursor, file_);
      if (range.begin == range.end) return CXChildVisit_Continue;
      auto child = std::make_unique<Node>();
      child->cursor = cursor;
      child->kind = clang_getCursorKind(cursor);
      child->begin = range.begin;
      child->end = range.end;
      child->parent = &node;
      // Of what stands in a macro's use nothing is looked at.
      const auto found = std::find_if(macros_.begin(), macros_.end(), [&range](const Range& macro) {
        return macro.begin <= range.begin && range.end <= macro.end;
      });
      child->is_macro = found != macros_.end();
      if (child->is_macro && (found->begin != range.begin || found->end != range.end))
        return CXChildVisit_Continue;
      fill(*child);
      node.children.push_back(std::move(child));
      return CXChildVisit_Continue;
    });
  }

 private:
  CXFile file_;
  const std::vector<Range>& macros_;
};

// libclang 14 does not say it, but the text before the body does.
bool is_constant(const Function& function, const std::string& text) {
  const auto body =
      std::find_if(function.tree.children.begin(), function.tree.children.end(), is_body);
  const std::string head = text.substr(function.tree.begin, (*body)->begin - function.tree.begin);
  return head.find("constexpr") != std::string::npos || head.find("consteval") != std::string::npos;
}

}  // namespace

std::string text_of(CXString text) {
  const char* const characters = clang_getCString(text);
  std::string result = characters != nullptr ? characters : "";
  clang_disposeString(text);
  return result;
}

std::unique_ptr<SyntaxTree> SyntaxTree::parse(const std::string& file, const std::string* text,
                                              const std::vector<std::string>& flags,
                                              std::string& error) {
  std::unique_ptr<SyntaxTree> tree(new SyntaxTree);
  tree->index_ = clang_createIndex(0, 0);
  std::vector<const char*> arguments;
  for (const std::string& flag : flags) arguments.push_back(flag.c_str());
  CXUnsavedFile instead{file.c_str(), text != nullptr ? text->c_str() : nullptr,
                        text != nullptr ? text->size() : 0};
  clang_parseTranslationUnit2(tree->index_, file.c_str(), arguments.data(),
                              static_cast<int>(arguments.size()), &instead, text != nullptr ? 1 : 0,
                              CXTranslationUnit_DetailedPreprocessingRecord, &tree->unit_);
  if (tree->unit_ == nullptr) {
    error = file + ": libclang cannot read it";
    return nullptr;
  }
  for (unsigned i = 0; i < clang_getNumDiagnostics(tree->unit_); ++i) {
    const CXDiagnostic diagnostic = clang_getDiagnostic(tree->unit_, i);
    const bool bad = clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
    if (bad && error.empty())
      error = text_of(clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation));
    clang_disposeDiagnostic(diagnostic);
  }
  if (!error.empty()) return nullptr;
  return tree;
}

SyntaxTree::~SyntaxTree() {
  if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
  if (index_ != nullptr) clang_disposeIndex(index_);
}

std::vector<std::string> SyntaxTree::files() const {
  std::vector<std::string> files;
  clang_getInclusions(
      unit_,
      [](CXFile file, CXSourceLocation*, unsigned, CXClientData data) {
        static_cast<std::vector<std::string>*>(data)->push_back(text_of(clang_getFileName(file)));
      },
      &files);
  return files;
}

std::vector<std::unique_ptr<Function>> SyntaxTree::functions_of(const std::string& file,
                                                                const std::string& text) const {
  const CXFile here = clang_getFile(unit_, file.c_str());
  std::vector<Range> macros;
  std::vector<std::unique_ptr<Function>> functions;
  const CXCursor all = clang_getTranslationUnitCursor(unit_);
  visit(all, [&](CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_MacroExpansion) {
      const Range range = range_of(cursor, here);
      if (range.begin != range.end) macros.push_back(range);
    }
    return CXChildVisit_Continue;
  });
  // Uses in arguments of others lie within those.
  std::sort(macros.begin(), macros.end(),
            [](const Range& a, const Range& b) { return a.end - a.begin > b.end - b.begin; });
  visit(all, [&](CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (clang_isDeclaration(kind) == 0) return CXChildVisit_Continue;
    if (!is_function(kind)) return CXChildVisit_Recurse;
    const Range range = range_of(cursor, here);
    if (range.begin == range.end || clang_isCursorDefinition(cursor) == 0)
      return CXChildVisit_Continue;
    auto function = std::make_unique<Function>();
    function->name = name_of(cursor);
    function->result = text_of(clang_getTypeSpelling(clang_getCursorResultType(cursor)));
    function->tree.cursor = cursor;
    function->tree.kind = kind;
    function->tree.begin = range.begin;
    function->tree.end = range.end;
    Builder(here, macros).fill(function->tree);
    if (is_written(*function, text) && !is_constant(*function, text))
      functions.push_back(std::move(function));
    return CXChildVisit_Continue;
  });
  return functions;
}

}  // namespace wddm::mutants
