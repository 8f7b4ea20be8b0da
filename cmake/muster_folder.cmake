# muster_compile_together(<target> [file...])
#
# With MUSTER_UNITY, compiles the sources of a target some at a time, so that what they include is read once for all of
# them; the files named, which do not suit others, stay alone. Most of the time of a build goes into headers.
function(muster_compile_together target)
  if(MUSTER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
    if(ARGN)
      set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# muster_folder(<name> [DEPENDS folder...] [LIBRARIES lib...] [TEST_LIBRARIES lib...] [PCH header...]
#               [TOGETHER] [ALONE file...])
#
# Makes the static library muster_<name> (alias muster::<name>) of every *.cpp in the calling folder, and the
# test program <name>_test of every *.test.cpp. DEPENDS names the folders that this one may include: the arrows
# of docs/architecture.md, which tools/tidy checks in the sources. A folder without sources is an interface
# library, so it can be named by others before it has any. TOGETHER: its sources suit each other in one translation
# unit, but for those ALONE.
function(muster_folder name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TOGETHER" "" "DEPENDS;LIBRARIES;TEST_LIBRARIES;PCH;ALONE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "muster_folder(${name}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target muster_${name})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  file(GLOB tests CONFIGURE_DEPENDS *.test.cpp)
  if(tests)
    list(REMOVE_ITEM sources ${tests})
  endif()

  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:muster_warnings>)
    if(arg_PCH AND MUSTER_PCH)
      target_precompile_headers(${target} PRIVATE ${arg_PCH})
    endif()
    if(arg_TOGETHER)
      muster_compile_together(${target} ${arg_ALONE})
    endif()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(muster::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(${target} ${scope}
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} ${scope} cxx_std_20)
  foreach(folder IN LISTS arg_DEPENDS)
    target_link_libraries(${target} ${scope} muster_${folder})
  endforeach()
  target_link_libraries(${target} ${scope} ${arg_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY MUSTER_LIBRARIES ${target})

  if(tests AND MUSTER_TESTS)
    muster_test(${name}_test LABEL ${name} SOURCES ${tests} LIBRARIES ${target} ${arg_TEST_LIBRARIES})
    if(arg_TOGETHER)
      muster_compile_together(${name}_test ${arg_ALONE})
    endif()
  endif()
endfunction()

# muster_golden(<target>): the test program compares with files of tests/golden; nothing where no tests are made.
function(muster_golden target)
  if(TARGET ${target})
    target_compile_definitions(${target} PRIVATE MUSTER_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
  endif()
endfunction()
