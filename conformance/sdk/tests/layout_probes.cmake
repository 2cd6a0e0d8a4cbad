# Turns layout.tsv into probes: one macro call per row, in the order of the rows.
#
#   cmake -DTABLE=layout.tsv -DOUTPUT=layout_probes.inc -P layout_probes.cmake
#
# A type or member that the headers lack is then a compile error which names it.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${TABLE}" rows)
set(text "")
foreach(row IN LISTS rows)
  if(row MATCHES "^#" OR row STREQUAL "")
    continue()
  endif()
  if(NOT row MATCHES "^([A-Za-z0-9_]+)\t([a-z]+)\t([^\t]+)\t([-0-9:]+)$")
    message(FATAL_ERROR "${TABLE}: not a row: ${row}")
  endif()
  set(type ${CMAKE_MATCH_1})
  set(kind ${CMAKE_MATCH_2})
  set(member ${CMAKE_MATCH_3})
  if(kind STREQUAL "size" AND member STREQUAL "-")
    string(APPEND text "PROBE_TYPE_SIZE(${type})\n")
  elseif(kind STREQUAL "size")
    string(APPEND text "PROBE_MEMBER_SIZE(${type}, ${member})\n")
  elseif(kind STREQUAL "offset")
    string(APPEND text "PROBE_OFFSET(${type}, ${member})\n")
  elseif(kind STREQUAL "bits")
    string(APPEND text "PROBE_BITS(${type}, ${member})\n")
  elseif(kind STREQUAL "enum")
    string(APPEND text "PROBE_ENUM(${type}, ${member})\n")
  else()
    message(FATAL_ERROR "${TABLE}: unknown kind: ${row}")
  endif()
endforeach()
file(WRITE "${OUTPUT}" "${text}")
