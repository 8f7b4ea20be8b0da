find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
include(GoogleTest)

# Test names say which sanitizer looked on, since ./dev test runs several builds as one.
set(MUSTER_TEST_PREFIX "")
if(MUSTER_SANITIZE MATCHES "address")
  set(MUSTER_TEST_PREFIX "asan:")
elseif(MUSTER_SANITIZE MATCHES "thread")
  set(MUSTER_TEST_PREFIX "tsan:")
endif()

# What a test says itself runs once, so it is optimised less than what it tests: a fifth of the time to compile it.
set(MUSTER_TEST_OPTIONS $<$<CONFIG:Release>:-O1>)

# The headers of the two test libraries, compiled once for all test programs.
if(MUSTER_PCH)
  file(WRITE ${PROJECT_BINARY_DIR}/test_pch.cpp.new "")
  file(COPY_FILE ${PROJECT_BINARY_DIR}/test_pch.cpp.new ${PROJECT_BINARY_DIR}/test_pch.cpp ONLY_IF_DIFFERENT)
  add_library(muster_test_pch OBJECT ${PROJECT_BINARY_DIR}/test_pch.cpp)
  target_link_libraries(muster_test_pch PRIVATE GTest::gtest rapidcheck_gtest muster_warnings)
  target_compile_options(muster_test_pch PRIVATE ${MUSTER_TEST_OPTIONS})
  target_precompile_headers(muster_test_pch PRIVATE
      <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h> <chrono> <map> <optional> <string> <vector>)
endif()

# How often a test of RapidCheck tries its property, 100 times where nothing is said: a sanitizer finds what it finds in
# the first of them, and takes ten times as long for each.
set(MUSTER_TEST_ENVIRONMENT "")
if(MUSTER_SANITIZE)
  set(MUSTER_TEST_ENVIRONMENT ENVIRONMENT "RC_PARAMS=max_success=30")
endif()

# muster_test(<target> LABEL label SOURCES file... [LIBRARIES lib...] [PROPERTIES name value...])
#
# A GoogleTest program whose tests ctest knows one by one, under "label" (ctest -L label).
function(muster_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LIBRARIES;PROPERTIES")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE
      muster_warnings ${arg_LIBRARIES} GTest::gtest_main GTest::gtest GTest::gmock rapidcheck_gtest)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE ${MUSTER_TEST_OPTIONS})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(MUSTER_PCH)
    target_precompile_headers(${target} REUSE_FROM muster_test_pch)
  endif()
  gtest_discover_tests(${target}
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      TEST_PREFIX "${MUSTER_TEST_PREFIX}${arg_LABEL}."
      PROPERTIES LABELS ${arg_LABEL} TIMEOUT 300 ${MUSTER_TEST_ENVIRONMENT} ${arg_PROPERTIES})
endfunction()

# muster_golden(<target>): the test program compares with files of tests/golden.
function(muster_golden target)
  if(TARGET ${target})
    target_compile_definitions(${target} PRIVATE MUSTER_GOLDEN="${PROJECT_SOURCE_DIR}/tests/golden")
  endif()
endfunction()
