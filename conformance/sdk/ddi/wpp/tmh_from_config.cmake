# Writes `<File>.tmh` for every source of a driver, from the WPP configuration in its comments.
#
#   cmake -DSOURCES="a.cpp;b.c" -DCONFIGS="Trace.h" -DOUTPUT_DIR=dir -P tmh_from_config.cmake
#
# SOURCES  the driver's source files; one .tmh each. They may hold configuration themselves.
# CONFIGS  further files with `begin_wpp config` ... `end_wpp` comments (may be empty).
# Every `FUNC NAME{LEVEL=..., FLAGS=...}(ARGS, MSG, ...)` becomes a variadic macro that evaluates no
# argument. If the driver defines the POST macro that WPP would call for it, the macro expands to it,
# because drivers hang their assertions there.
#
# Left out: USEPREFIX, USESUFFIX, CUSTOM_TYPE and DEFINE_* (they shape text that nobody reads).
cmake_minimum_required(VERSION 3.25)

foreach(required SOURCES OUTPUT_DIR)
  if(NOT DEFINED ${required})
    message(FATAL_ERROR "tmh_from_config.cmake: ${required} is not set")
  endif()
endforeach()

# One function of a configuration, as C text, in `macro_text`.
function(macro_of_function name braces arguments)
  set(signature "")
  set(values "")
  set(parameters "")
  # The braces bind condition arguments to values; WPP's macro names list them first.
  string(REPLACE "," ";" bindings "${braces}")
  foreach(binding IN LISTS bindings)
    if(binding MATCHES "^[ \t]*([A-Za-z0-9_]+)[ \t]*=[ \t]*([^ \t]+)[ \t]*$")
      list(APPEND signature "${CMAKE_MATCH_1}")
      list(APPEND values "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  string(REPLACE "," ";" formal "${arguments}")
  set(variadic FALSE)
  foreach(argument IN LISTS formal)
    string(STRIP "${argument}" argument)
    if(argument STREQUAL "..." OR argument STREQUAL "MSG" OR argument STREQUAL "")
      set(variadic TRUE)
    elseif(argument MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
      list(APPEND signature "${argument}")
      list(APPEND values "${argument}")
      list(APPEND parameters "${argument}")
    endif()
  endforeach()
  if(variadic OR NOT parameters)
    list(APPEND parameters "...")
  endif()
  list(JOIN signature "_" post)
  list(JOIN values ", " values)
  list(JOIN parameters ", " parameters)
  set(macro_text "#undef ${name}
#ifdef WPP_${post}_POST
#define ${name}(${parameters}) ((void)0 WPP_${post}_POST(${values}))
#else
#define ${name}(${parameters}) ((void)0)
#endif
" PARENT_SCOPE)
endfunction()

# All functions of one file's configuration blocks, as C text, in `config_text`.
function(macros_of_file file)
  set(config_text "")
  file(STRINGS "${file}" lines REGEX "begin_wpp|end_wpp|FUNC[ \t]")
  set(inside FALSE)
  foreach(line IN LISTS lines)
    if(line MATCHES "begin_wpp[ \t]+config")
      set(inside TRUE)
    elseif(line MATCHES "end_wpp")
      set(inside FALSE)
    elseif(inside AND
           line MATCHES "FUNC[ \t]+([A-Za-z_][A-Za-z0-9_]*)[ \t]*({([^}]*)})?[ \t]*\\(([^)]*)\\)")
      macro_of_function("${CMAKE_MATCH_1}" "${CMAKE_MATCH_3}" "${CMAKE_MATCH_4}")
      string(APPEND config_text "${macro_text}")
    endif()
  endforeach()
  set(config_text "${config_text}" PARENT_SCOPE)
endfunction()

set(body "")
foreach(file IN LISTS CONFIGS SOURCES)
  macros_of_file("${file}")
  string(APPEND body "${config_text}")
endforeach()

file(MAKE_DIRECTORY "${OUTPUT_DIR}")
foreach(source IN LISTS SOURCES)
  get_filename_component(stem "${source}" NAME_WLE)
  set(text "// Trace functions of ${stem}, made by tmh_from_config.cmake: messages are dropped.
#include <wpp/wpp_stub.h>
#if defined(WPP_CONTROL_GUIDS) && !defined(WDDM_WPP_CONTROL_BITS)
#define WDDM_WPP_CONTROL_BITS
WPP_CONTROL_GUIDS
#endif
${body}")
  # Rewriting an unchanged file would rebuild the driver.
  set(old "")
  if(EXISTS "${OUTPUT_DIR}/${stem}.tmh")
    file(READ "${OUTPUT_DIR}/${stem}.tmh" old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT_DIR}/${stem}.tmh" "${text}")
  endif()
endforeach()
