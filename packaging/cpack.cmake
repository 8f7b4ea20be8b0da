# Read by cpack before it makes packages. Without dpkg-shlibdeps it would make one that depends on nothing, and say nothing.
if(CPACK_GENERATOR STREQUAL "DEB")
  find_program(SHLIBDEPS_EXECUTABLE dpkg-shlibdeps)
  find_program(FILE_EXECUTABLE file)
  if(NOT SHLIBDEPS_EXECUTABLE OR NOT FILE_EXECUTABLE)
    message(FATAL_ERROR "dpkg-shlibdeps or file, which find what the package depends on, are missing: apt-get install dpkg-dev file")
  endif()
endif()
