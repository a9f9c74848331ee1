#include "failing_allocations.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> is_active = false;
std::atomic<int> num_left = 0;
std::atomic<int> num_failures = 0;
thread_local bool is_exempt = false;

}  // namespace

FailingAllocations::FailingAllocations(int num_allowed) {
  is_exempt = true;
  num_left = num_allowed;
  num_failures = 0;
  is_active = true;
}

FailingAllocations::~FailingAllocations() {
  is_active = false;
  is_exempt = false;
}

int FailingAllocations::num_failed() const { return num_failures; }

// The tests' own allocation, so that it can fail at will. All forms are replaced together: sanitizers
// compare how memory was taken and given back.
void* operator new(std::size_t size) {
  if (is_active && !is_exempt && num_left.fetch_sub(1) <= 0) {
    ++num_failures;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
