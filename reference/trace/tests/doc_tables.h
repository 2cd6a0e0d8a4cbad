// The tables of scenario.md, events.md and ddis.md as the .def files would have them.
#pragma once

#include <string>
#include <vector>

namespace wddm::test {

/// Rows of the table of ops: one for each op, then one for each of its fields.
[[nodiscard]] std::vector<std::string> op_rows();
/// Rows of the table of events.
[[nodiscard]] std::vector<std::string> event_rows();
/// Rows of the tables of entry points and of callbacks.
[[nodiscard]] std::vector<std::string> ddi_rows();
[[nodiscard]] std::vector<std::string> callback_rows();

/// Rows of the table between `<!-- NAME -->` and `<!-- end NAME -->`, heading left out.
[[nodiscard]] std::vector<std::string> rows_in(const std::string& page, const std::string& name);
/// The page with that table's rows replaced.
[[nodiscard]] std::string with_rows(const std::string& page, const std::string& name,
                                    const std::vector<std::string>& rows);

}  // namespace wddm::test
