// Loaded before everything else (LD_PRELOAD), it makes one allocation of C++ code fail: the native
// module, as it is built for users, has to turn that into MemoryError. The allocations of Python and
// of numpy do not pass through here.

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> num_left{-1};  // before one fails; negative: none does
std::atomic<long> num_seen{0};
std::atomic<bool> goes_on{false};  // whether all later ones fail as well

bool fails() {
  num_seen.fetch_add(1, std::memory_order_relaxed);
  if (num_left.load(std::memory_order_relaxed) < 0) return false;
  const long left = num_left.fetch_sub(1);
  if (left > 0) return false;
  if (left == 0 && goes_on) num_left = 0;
  return left == 0;
}

void* take(std::size_t size, std::size_t alignment) {
  if (fails()) return nullptr;
  if (size == 0) size = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* take_or_throw(std::size_t size, std::size_t alignment = 1) {
  if (void* memory = take(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Lets so many allocations succeed, then one fail, or all; -1: none fails. Returns how many there
// were since the last call.
extern "C" long fail_allocation(long after, int all) {
  goes_on = all != 0;
  num_left = after;
  return num_seen.exchange(0);
}

void* operator new(std::size_t size) { return take_or_throw(size); }
void* operator new[](std::size_t size) { return take_or_throw(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
