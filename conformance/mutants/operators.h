// What may be wrong with a line of code: the mutations of a function.
//
//   negate    a condition, or a side of && and ||, is the opposite
//   border    a relation takes or leaves its border; == is != where no whole condition is
//   constant  a number is one more or one less, a truth value the other one
//   unit      an address or a size is a page more; an offset or a named constant an element
//   arith     + is - and - is +
//   drop      a call, an increment, or a break is left out
//   keep      an assignment is left out: state is kept
//   flag      a bit is not set or not cleared
//   lock      what is done under a lock is done without
//   swap      two arguments of the same type change places
//   return    a function does nothing and says that all is well (or says the other thing)
//
// Left out: constant expressions, labels of cases, bounds of arrays, operands of sizeof, static
// variables, arguments of templates, and what stands inside of a macro's use.
#pragma once

#include <string>
#include <vector>

#include "conformance/mutants/mutation.h"
#include "conformance/mutants/syntax_tree.h"

namespace wddm::mutants {

/// Appends those of the function; `text` is its file's.
void find_mutations(const Function& function, const std::string& text,
                    std::vector<Mutation>& mutations);

}  // namespace wddm::mutants
