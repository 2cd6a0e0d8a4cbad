#!/bin/sh
# Runs a compiler, and says behind errors that drivers from Windows often meet here what they mean.
errors=$(mktemp) || exec "$@"
"$@" 2>"$errors"
status=$?
cat "$errors" >&2

hint() {
  if grep -Eq "$1" "$errors"; then echo "wddm_add_driver: hint: $2" >&2; fi
}
if [ $status -ne 0 ]; then
  hint "No such file or directory|file not found" \
    "no header has this name in any case, neither in the folders of INCLUDES nor in conformance/sdk/ddi; where the #include is new, run CMake again"
  hint "(was not declared|undeclared identifier|unknown type name|does not name a type|has not been declared)" \
    "what the WDK declares and conformance/sdk/ddi does not can stand in a header of your own, which an earlier #include brings in, or behind wddm_add_driver target_compile_options(DRIVER PRIVATE -include FILE); what the Microsoft compiler predefines comes with the option MSVC"
  hint "(static assertion failed|static_assert failed|size of array .* is negative|loses (precision|information)|array is too large)" \
    "\`long\` has 8 bytes here and 4 on Windows: LONG, ULONG or LONG32 have 4 in both"
  hint "(incompatible (pointer )?type|cannot convert|invalid conversion|no known conversion).*(long|LONG|unsigned)" \
    "\`unsigned long\` is no ULONG here: it has 8 bytes"
  hint "need .typename. before|explicit (specialization|qualification)|extra qualification" \
    "the Microsoft compiler takes templates as this one is written, and so does clang here: build with CMAKE_CXX_COMPILER=clang++"
  hint "(__asm|asm operand|expected '\\(' (before|after) .*asm)" \
    "inline assembly of the Microsoft compiler is not compiled; for x64 it has none either"
  hint "(__m128|__cpuid|_mm_|intrin\\.h)" \
    "intrinsics of the Microsoft compiler: include the compiler's own headers in a file that is no driver source"
fi
rm -f "$errors"
exit $status
