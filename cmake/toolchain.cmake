# Compiler cache, linker, sanitizers and warnings. Everything here is optional on a machine that lacks it.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the checkout are hashed relative to it, so two checkouts of the same sources share the cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
      ${CCACHE_PROGRAM})
endif()

# mold, else lld: linking dozens of test programs is a large part of the edit loop.
find_program(MOLD_PROGRAM mold)
find_program(LLD_PROGRAM ld.lld)
if(MOLD_PROGRAM AND (CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12.1))
  add_link_options(-fuse-ld=mold)
elseif(LLD_PROGRAM)
  add_link_options(-fuse-ld=lld)
endif()

add_compile_options(-fdiagnostics-color=auto)
add_link_options(-Wl,--as-needed)

if(MUSTER_SANITIZE)
  add_compile_options(-fsanitize=${MUSTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MUSTER_SANITIZE})
  if(MUSTER_SANITIZE MATCHES "undefined")
    # The check of the vptr needs the type information of libraries that are not instrumented. The checks of each access
    # for null, bounds of the object and alignment are a quarter of the time to compile: AddressSanitizer sees the first
    # two when they happen, and what is read from bytes here is copied.
    add_compile_options(-fno-sanitize=vptr,null,object-size,alignment)
  endif()
  if(MUSTER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # ThreadSanitizer does not see the fences in Boost.Asio. What it guards is ordered by mutexes as well.
    add_compile_options(-Wno-tsan)
  endif()
endif()

# Our own sources link this; generated code does not. What one file calls its own another may have, too, when they are
# compiled together: so no word on shadows then.
add_library(muster_warnings INTERFACE)
target_compile_options(muster_warnings INTERFACE
    -Wall -Wextra -Wpedantic $<$<NOT:$<BOOL:${MUSTER_UNITY}>>:-Wshadow> -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wextra-semi -Wcast-align -Wformat=2 -Wimplicit-fallthrough -Wundef
    -Wno-unused-parameter # Ice's dispatch hands an Ice::Current to everything
    $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # These follow the optimiser's guesses: GCC 12 raises them inside std::string and std::variant, and more so
  # in instrumented code.
  target_compile_options(muster_warnings INTERFACE
      -Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-dangling-pointer -Wno-free-nonheap-object)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # clang 14 does not see that a generic lambda calls a member through "this".
  target_compile_options(muster_warnings INTERFACE -Wno-unused-lambda-capture)
endif()
if(MUSTER_WERROR)
  target_compile_options(muster_warnings INTERFACE -Werror)
endif()
