#include "multicut/parallel/parallel_for.hpp"

#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace multicut {
namespace {

// Threads that are joined whatever happens.
class Threads {
 public:
  Threads(IndexQueue& queue, std::size_t most) : queue_(queue) { threads_.reserve(most); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    queue_.close();  // if `meanwhile` threw; else nothing is left
    for (std::thread& thread : threads_) thread.join();
  }

  // False if the system has no more threads, or no memory for one.
  template <typename Run>
  bool start(const Run& run) {
    try {
      threads_.emplace_back(run);
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

 private:
  IndexQueue& queue_;
  std::vector<std::thread> threads_;
};

}  // namespace

void IndexQueue::fail(std::size_t index) noexcept {
  close();
  const std::lock_guard lock(mutex_);
  if (failure_ && failed_at_ <= index) return;
  failed_at_ = index;
  failure_ = std::current_exception();
}

void run_on_threads(IndexQueue& queue, std::size_t num_threads,
                    const std::function<void(bool is_caller)>& work,
                    const std::optional<Meanwhile>& meanwhile) {
  std::mutex mutex;
  std::condition_variable has_ended;
  std::size_t num_running = 0;
  const auto help = [&] {
    work(false);
    const std::lock_guard lock(mutex);
    --num_running;
    has_ended.notify_one();
  };

  const std::size_t num_helpers = meanwhile ? num_threads : num_threads - 1;
  Threads helpers(queue, num_helpers);
  std::size_t num_started = 0;
  for (; num_started < num_helpers; ++num_started) {
    {
      const std::lock_guard lock(mutex);
      ++num_running;
    }
    if (helpers.start(help)) continue;
    const std::lock_guard lock(mutex);
    --num_running;
    break;
  }

  if (!meanwhile || num_started == 0) {
    work(true);
    return;
  }
  std::unique_lock lock(mutex);
  while (!has_ended.wait_for(lock, meanwhile->interval, [&] { return num_running == 0; })) {
    lock.unlock();
    meanwhile->call();
    lock.lock();
  }
}

void Turns::Place::wait() {
  std::unique_lock lock(turns_.mutex_);
  turns_.has_moved_.wait(lock, [this] { return turns_.current_ == index_; });
}

Turns::Place::~Place() {
  wait();
  {
    const std::lock_guard lock(turns_.mutex_);
    ++turns_.current_;
  }
  turns_.has_moved_.notify_all();
}

}  // namespace multicut
