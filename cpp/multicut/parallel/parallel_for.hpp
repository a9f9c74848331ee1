#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace multicut {

// Hands the indices below `count` to several threads, in ascending order, until one of them fails.
// An index that is handed out is worked on, and so are all before it. Therefore the failure at the
// smallest index does not depend on the threads.
class IndexQueue {
 public:
  explicit IndexQueue(std::size_t count) : count_(count) {}

  std::optional<std::size_t> take() {
    if (is_closed_.load(std::memory_order_relaxed)) return std::nullopt;
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= count_) return std::nullopt;
    return index;
  }

  // Hands out no more.
  void close() noexcept { is_closed_.store(true, std::memory_order_relaxed); }

  // Called in a handler: keeps the exception if it belongs to the smallest index so far, and closes.
  void fail(std::size_t index) noexcept;

  // Throws what was kept. To be called when all threads have ended.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::size_t count_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_closed_ = false;
  std::mutex mutex_;
  std::size_t failed_at_ = 0;
  std::exception_ptr failure_;
};

// What a caller does while others work for it: `call`, again and again.
struct Meanwhile {
  std::chrono::milliseconds interval;
  std::function<void()> call;
};

// Starts a thread that runs a function, or throws std::system_error.
using StartThread = std::function<std::thread(std::function<void()>)>;
std::thread start_thread(std::function<void()> run);

// Runs work(is_caller) on several threads; it must not throw. Without `meanwhile` the caller's
// thread is one of them. With it, the caller waits for the others, unless none could be started.
// Where the system refuses to start a thread, there are fewer. Returns when all have ended.
void run_on_threads(IndexQueue& queue, std::size_t num_threads,
                    const std::function<void(bool is_caller)>& work,
                    const std::optional<Meanwhile>& meanwhile,
                    const StartThread& start = start_thread);

// Calls body(i) once for each i below `count`, on up to `num_threads` threads. Each of them gets a
// body of its own from make_body(is_caller), which may hold memory to work with. What one of them
// throws reaches the caller when all have ended; if several throw, it is what the smallest i threw.
// After that no further i begin.
template <typename MakeBody>
void parallel_for(std::size_t count, int num_threads, MakeBody make_body,
                  const std::optional<Meanwhile>& meanwhile = std::nullopt) {
  if (count == 0) return;
  IndexQueue queue(count);
  const auto work = [&](bool is_caller) {
    std::size_t index = count;
    try {
      auto body = make_body(is_caller);
      while (const std::optional<std::size_t> next = queue.take()) {
        index = *next;
        body(index);
        if (is_caller && meanwhile) meanwhile->call();
      }
    } catch (...) {
      queue.fail(index);
    }
  };
  const auto wanted = static_cast<std::size_t>(num_threads > 1 ? num_threads : 1);
  run_on_threads(queue, wanted < count ? wanted : count, work, meanwhile);
  queue.rethrow();
}

// How many threads a pass over so many elements is worth: it takes some nanoseconds for each, and to
// start a thread takes tens of microseconds. Threads must not change what comes out.
int threads_for_pass(std::size_t num_elements);

// Calls body(begin, end) for consecutive ranges of the indices below `count`, from several threads if
// there are many.
template <typename Body>
void for_ranges(std::size_t count, std::size_t range, Body body) {
  if (count <= range) {
    if (count > 0) body(std::size_t{0}, count);
    return;
  }
  const std::size_t num_ranges = (count + range - 1) / range;
  parallel_for(num_ranges, threads_for_pass(count), [&](bool) {
    return [&](std::size_t i) { body(i * range, i * range + range < count ? i * range + range : count); };
  });
}

// Lets threads take turns in the order of their indices, where results are to be joined in order.
class Turns {
 public:
  // One index's place in the order. Created before the work on it begins, whatever happens then: its
  // end passes the turn on.
  class Place {
   public:
    Place(Turns& turns, std::size_t index) : turns_(turns), index_(index) {}
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

    // Returns when all places before this one have ended.
    void wait();

   private:
    Turns& turns_;
    std::size_t index_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable has_moved_;
  std::size_t current_ = 0;
};

}  // namespace multicut
