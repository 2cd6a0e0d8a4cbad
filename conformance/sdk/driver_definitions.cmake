# A name of DEFINITIONS that a file of the driver defines anew is lost behind that file, and GCC, which
# is asked for no warnings, does not say so. This does: the names are looked up when CMake runs.

# wddm_warn_of_redefined(<driver> "<name>[=<value>];..." "<file>;...")
# Of files with one name the first is what the others include.
function(wddm_warn_of_redefined driver definitions files)
  set(met "")
  foreach(file IN LISTS files)
    get_filename_component(header ${file} NAME)
    string(TOLOWER ${header} header)
    if(NOT EXISTS ${file} OR header IN_LIST met)
      continue()
    endif()
    list(APPEND met ${header})
    foreach(definition IN LISTS definitions)
      if(NOT definition MATCHES "^(-D)?([A-Za-z_][A-Za-z0-9_]*)(=|$)")
        continue()
      endif()
      set(name ${CMAKE_MATCH_2})
      set(directive "^[ \t]*#[ \t]*")
      file(STRINGS ${file} anew REGEX "${directive}define[ \t]+${name}([ \t(]|$)" LIMIT_COUNT 1)
      # Where it is asked for first, what was given counts.
      file(STRINGS ${file} asked LIMIT_COUNT 1
           REGEX "${directive}(if|ifndef|ifdef|elif|undef)[^A-Za-z0-9_].*${name}([^A-Za-z0-9_]|$)")
      if(anew AND NOT asked)
        message(WARNING "wddm_add_driver(${driver}): behind '${anew}' of ${file}, '${definition}' of "
                        "DEFINITIONS does not count. Put a header of that name, with the value that "
                        "you want, into a folder before it in INCLUDES.")
      endif()
    endforeach()
  endforeach()
endfunction()
