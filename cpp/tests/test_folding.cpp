#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework.hpp"

// Release builds only. GCC 12 knows that the number of bytes between two doubles is a multiple of eight. It
// finds that the same function of floats is equal, calls the former for both, and still relies on what it
// knew.

namespace {

[[gnu::noinline]] std::size_t beyond_words(std::size_t num_bytes) { return num_bytes & 7; }

template <typename T>
[[gnu::noinline]] std::size_t beyond_words_of(const T* begin, const T* end) {
  const std::ptrdiff_t size = end - begin;
  return size != 0 ? beyond_words(sizeof(T) * static_cast<std::size_t>(size)) : 0;
}

template <typename T>
std::size_t beyond_words_of(std::size_t size) {
  const std::vector<T> values(size);
  return beyond_words_of(values.data(), values.data() + size);
}

}  // namespace

TEST_CASE("equal functions of different types") {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 1001U}) {
    CAPTURE(size);
    CHECK(beyond_words_of<double>(size) == 0);
    CHECK(beyond_words_of<std::uint64_t>(size) == 0);
    CHECK(beyond_words_of<float>(size) == size % 2 * 4);
    CHECK(beyond_words_of<std::uint32_t>(size) == size % 2 * 4);
  }
}
