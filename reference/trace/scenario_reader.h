// The grammar of a scenario file as a state machine over YAML events.
//
// It never builds a tree: each event either fits the one place where the reader stands or ends the
// reading, so nesting, aliases and repeated keys cannot cost anything. Internal to op_yaml.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/trace/op.h"
#include "reference/trace/yaml_events.h"

namespace wddm {

class ScenarioReader {
 public:
  explicit ScenarioReader(Scenario& out) : out_(out) {}

  /// Throws a Problem unless it fits.
  void read(const yaml::Event& event);
  /// Throws unless one whole document was read.
  void finish() const;

 private:
  /// What the next event must be.
  enum class Place {
    Document,  ///< the root map
    RootKey,   ///< name, about, ops or the end of the root map
    Name,
    About,
    OpList,   ///< the list behind ops
    Element,  ///< an op or the end of the list
    OpName,
    OpFields,  ///< the map of fields, or nothing
    OpEnd,     ///< the end of an op's one-key map
    FieldName,
    FieldValue,
    Finished,
  };
  [[nodiscard]] static std::string describe(const yaml::Event& piece);
  [[noreturn]] void fail(std::string found, std::string expected) const;
  void start_document();
  void refuse_decoration(const yaml::Event& event) const;
  void end_map();
  void take(const yaml::Event& piece);
  void take_root_key(const yaml::Event& piece);
  [[nodiscard]] std::string read_text(const yaml::Event& piece, bool one_line,
                                      std::size_t longest) const;
  void start_op(const yaml::Event& piece);
  void start_field(const yaml::Event& piece);
  void take_field_value(const yaml::Event& piece);
  [[nodiscard]] std::span<const FieldInfo> fields() const;

  Scenario& out_;
  Place place_ = Place::Document;
  std::size_t line_ = 1;  ///< of the latest event that was no end
  int documents_ = 0;
  bool has_name_ = false;
  bool has_about_ = false;
  bool has_ops_ = false;
  const char* op_name_ = "";
  const OpInfo* op_ = nullptr;  ///< null for the op "none"
  const FieldInfo* field_ = nullptr;
  std::uint32_t fields_seen_ = 0;  ///< bit i: the i-th field of op_
};

}  // namespace wddm
