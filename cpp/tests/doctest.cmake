# The target doctest::doctest: the installed one, or else a pinned release.
find_package(doctest 2.4.9 QUIET)
if(doctest_FOUND)
  return()
endif()

set(release doctest-2.4.11)
set(archive "${CMAKE_BINARY_DIR}/${release}.tar.gz")
set(folder "${CMAKE_BINARY_DIR}/_deps")
set(hash 632ed2c05a7f53fa961381497bf8069093f0d6628c5f26286161fbd32a560186)
if(NOT EXISTS "${folder}/${release}/doctest/doctest.h")
  message(STATUS "doctest is not installed; downloading it")
  file(DOWNLOAD https://github.com/doctest/doctest/archive/refs/tags/v2.4.11.tar.gz "${archive}"
       TIMEOUT 120 STATUS status)
  list(GET status 0 failed)
  if(NOT failed)
    file(SHA256 "${archive}" found)
  endif()
  if(failed OR NOT found STREQUAL hash)
    message(FATAL_ERROR
      "The C++ tests need doctest, which is not installed and could not be downloaded (${status}). "
      "Install it: `apt-get install doctest-dev` on Debian and Ubuntu, `brew install doctest` on "
      "macOS, `conda install -c conda-forge doctest` anywhere.")
  endif()
  file(ARCHIVE_EXTRACT INPUT "${archive}" DESTINATION "${folder}")
endif()
add_library(doctest::doctest INTERFACE IMPORTED)
target_include_directories(doctest::doctest INTERFACE "${folder}/${release}")
