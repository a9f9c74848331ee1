#pragma once

// While it lives, threads other than the one that created it get `num_allowed` allocations in all;
// after that operator new throws std::bad_alloc there. One at a time.
class FailingAllocations {
 public:
  explicit FailingAllocations(int num_allowed);
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
  ~FailingAllocations();

  // How often an allocation has failed so far.
  int num_failed() const;
};
