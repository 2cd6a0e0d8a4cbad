# Compiles every header of this folder, without running anything. Driver modes take each header
# alone: it may not depend on what was included before. Nothing may warn.
#
#   cmake -DMODE=driver_c|driver_cxx|host -DCOMPILERS="gcc;clang-19" -DFOLDER=... -DWORK=... -P ...
#
# driver_c, driver_cxx: as drivers are compiled, C11 and C++17, no C library. host: C++20 after the
# standard library, with the warnings of the project.
cmake_minimum_required(VERSION 3.25)

# The packing headers are halves of a pair. Host code includes only what lies at the top.
if(MODE STREQUAL "host")
  file(GLOB headers RELATIVE "${FOLDER}" "${FOLDER}/*.h")
else()
  file(GLOB headers RELATIVE "${FOLDER}" "${FOLDER}/*.h" "${FOLDER}/*/*.h")
endif()
list(FILTER headers EXCLUDE REGEX "^(layout_|pshpack|poppack)")
list(LENGTH headers count)
if(count LESS 30)
  message(FATAL_ERROR "only ${count} headers found in ${FOLDER}")
endif()

set(driver -fms-extensions -fshort-wchar -mms-bitfields -nostdinc -ffreestanding
           -DWDDM_DRIVER_BUILD=1 -DDBG=1 -I${FOLDER} -I${FOLDER}/freestanding)
if(MODE STREQUAL "driver_c")
  set(suffix c)
  set(flags -std=c11 ${driver})
elseif(MODE STREQUAL "driver_cxx")
  set(suffix cpp)
  set(flags -std=c++17 -fno-exceptions -fno-rtti ${driver})
elseif(MODE STREQUAL "host")
  set(suffix cpp)
  set(flags -std=c++20 -I${FOLDER})
else()
  message(FATAL_ERROR "unknown MODE '${MODE}'")
endif()

set(sources "")
file(REMOVE_RECURSE "${WORK}")
if(MODE STREQUAL "host")
  # That each header stands alone is what the driver modes show; here one file is enough.
  list(TRANSFORM headers REPLACE "(.+)" "#include <\\1>\n")
  list(JOIN headers "" includes)
  file(WRITE "${WORK}/all.cpp" "#include <cstdint>\n#include <string>\n#include <vector>\n${includes}")
  set(sources "${WORK}/all.cpp")
else()
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER "${header}" name)
    file(WRITE "${WORK}/${name}.${suffix}" "#include <${header}>\n")
    list(APPEND sources "${WORK}/${name}.${suffix}")
  endforeach()
endif()

set(failed FALSE)
foreach(compiler IN LISTS COMPILERS)
  execute_process(COMMAND ${compiler} -fsyntax-only -Wall -Wextra -Wshadow -Werror ${flags} ${sources}
                  RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(STATUS "${compiler}, ${MODE}:\n${errors}")
    set(failed TRUE)
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "not every header compiles alone as ${MODE}")
endif()
