#include "multicut/parallel/parallel_for.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace multicut {
namespace {

// A pass of few threads is bound by memory.
constexpr std::size_t kManyElements = 1 << 20;
constexpr unsigned kMostForPass = 4;

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
  bool add(const StartThread& start, const std::function<void()>& run) {
    try {
      threads_.push_back(start(run));
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

int threads_for_pass(std::size_t num_elements) {
  if (num_elements < kManyElements) return 1;
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMostForPass));
}

void IndexQueue::fail(std::size_t index) noexcept {
  close();
  const std::lock_guard lock(mutex_);
  if (failure_ && failed_at_ <= index) return;
  failed_at_ = index;
  failure_ = std::current_exception();
}

std::thread start_thread(std::function<void()> run) { return std::thread(std::move(run)); }

void run_on_threads(IndexQueue& queue, std::size_t num_threads,
                    const std::function<void(bool is_caller)>& work,
                    const std::optional<Meanwhile>& meanwhile, const StartThread& start) {
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
    if (helpers.add(start, help)) continue;
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
