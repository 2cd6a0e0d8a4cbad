# Includes as Windows finds them: without regard to case, and with backslashes.
#
# wddm_driver_includes(out name sources folders ddi) follows the #include lines of the sources from
# file to file. For each spelling that no file has here, but that one has on Windows, it writes a
# file of that spelling which includes the right one, and sets `out` to the folder to search; empty
# if there is none. Works with every compiler. Looked at when CMake runs.
# Left out: includes by macro; two files that one spelling means in different places (a warning).

# ".." in a spelling leaves so many folders of ours.
set(_WDDM_INCLUDES_DEPTH "up/up/up/up")

# The file `path` below `folder` without regard to case; empty if there is none.
function(_wddm_find_any_case folder path out)
  set(${out} "" PARENT_SCOPE)
  string(REPLACE "/" ";" parts "${path}")
  set(at "${folder}")
  foreach(part IN LISTS parts)
    if(part STREQUAL "." OR part STREQUAL "")
      continue()
    endif()
    if(part STREQUAL ".." OR EXISTS "${at}/${part}")
      string(APPEND at "/${part}")
      continue()
    endif()
    get_property(listed GLOBAL PROPERTY "_wddm_folder_${at}" SET)
    if(NOT listed)
      file(GLOB names RELATIVE "${at}" "${at}/*")
      set_property(GLOBAL PROPERTY "_wddm_folder_${at}" "${names}")
    endif()
    get_property(names GLOBAL PROPERTY "_wddm_folder_${at}")
    string(TOLOWER "${part}" wanted)
    set(found "")
    foreach(name IN LISTS names)
      string(TOLOWER "${name}" lower)
      if(lower STREQUAL wanted)
        set(found "${name}")
        break()
      endif()
    endforeach()
    if(found STREQUAL "")
      return()
    endif()
    string(APPEND at "/${found}")
  endforeach()
  if(EXISTS "${at}" AND NOT IS_DIRECTORY "${at}")
    file(REAL_PATH "${at}" at)
    set(${out} "${at}" PARENT_SCOPE)
  endif()
endfunction()

# A file of that spelling below `base`. A backslash is a letter of its name, which CMake's own
# commands would take for a slash.
function(_wddm_write_spelling base spelled found)
  execute_process(
    COMMAND sh -c [[mkdir -p "$(dirname "$1")" && printf '#include "%s"\n' "$2" > "$1"]] sh
            "${base}/${spelled}" "${found}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# `made` comes in the place of `root`, unless all is as it was: then nothing is compiled anew.
function(_wddm_take_spellings made root)
  execute_process(
    COMMAND sh -c [[
      if [ ! -d "$1" ]; then rm -rf "$2"
      elif diff -r "$1" "$2" > /dev/null 2>&1; then rm -rf "$1"
      else rm -rf "$2" && mv "$1" "$2"; fi]] sh "${made}" "${root}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(wddm_driver_includes out name sources folders ddi)
  set(root "${CMAKE_CURRENT_BINARY_DIR}/${name}_includes")
  set(made "${root}.made")
  file(REMOVE_RECURSE "${made}")
  set(base "${made}/${_WDDM_INCLUDES_DEPTH}")
  set(${out} "" PARENT_SCOPE)
  set(open "${sources}")
  set(seen "")
  while(open)
    list(POP_FRONT open file)
    if("${file}" IN_LIST seen OR NOT EXISTS "${file}")
      continue()
    endif()
    list(APPEND seen "${file}")
    get_filename_component(own "${file}" DIRECTORY)
    file(STRINGS "${file}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
      if(NOT line MATCHES "^[ \t]*#[ \t]*include[ \t]*(<([^>]+)>|\"([^\"]+)\")")
        continue()
      endif()
      set(spelled "${CMAKE_MATCH_2}${CMAKE_MATCH_3}")
      string(REPLACE "\\" "/" path "${spelled}")
      set(exact FALSE)
      set(found "")
      foreach(folder IN LISTS own folders ddi)
        # CMake takes a backslash for a slash; compilers do not.
        if(path STREQUAL spelled AND EXISTS "${folder}/${spelled}")
          set(exact TRUE)
          file(REAL_PATH "${folder}/${spelled}" found)
          break()
        endif()
      endforeach()
      if(NOT exact)
        foreach(folder IN LISTS own folders ddi)
          _wddm_find_any_case("${folder}" "${path}" found)
          if(found)
            break()
          endif()
        endforeach()
      endif()
      if(NOT found)
        continue()
      endif()
      if(NOT exact)
        string(MD5 key "${spelled}")
        if(NOT DEFINED meant_${key})
          set(meant_${key} "${found}")
          _wddm_write_spelling("${base}" "${spelled}" "${found}")
          # clang reads a backslash as a slash.
          if(NOT path STREQUAL spelled)
            _wddm_write_spelling("${base}" "${path}" "${found}")
          endif()
          set(${out} "${root}/${_WDDM_INCLUDES_DEPTH}" PARENT_SCOPE)
        elseif(NOT meant_${key} STREQUAL found)
          message(WARNING "wddm_add_driver(${name}): \"${spelled}\" means several files; "
                          "${file} gets the first")
        endif()
      endif()
      string(FIND "${found}" "${ddi}/" of_wdk)
      if(NOT of_wdk EQUAL 0)
        list(APPEND open "${found}")
      endif()
    endforeach()
  endwhile()
  _wddm_take_spellings("${made}" "${root}")
endfunction()
