#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "failing_allocations.hpp"
#include "framework.hpp"
#include "multicut/parallel/parallel_for.hpp"

using namespace multicut;
using namespace std::chrono_literals;

namespace {

// A body that does nothing but count, for each index.
auto counting(std::vector<std::atomic<int>>& counts) {
  return [&](bool) { return [&](std::size_t i) { ++counts[i]; }; };
}

bool all_are_one(const std::vector<std::atomic<int>>& counts) {
  return std::ranges::all_of(counts, [](const std::atomic<int>& count) { return count == 1; });
}

// Starts so many threads; then there are no more.
StartThread start_at_most(int most) {
  return [most](std::function<void()> run) mutable {
    if (most-- <= 0) {
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    }
    return std::thread(std::move(run));
  };
}

}  // namespace

TEST_CASE("parallel_for calls the body once for each index") {
  for (const std::size_t count : {0u, 1u, 2u, 1000u}) {
    for (const int num_threads : {-1, 0, 1, 2, 7, 50}) {
      CAPTURE(count);
      CAPTURE(num_threads);
      std::vector<std::atomic<int>> working(count);
      parallel_for(count, num_threads, counting(working));
      CHECK(all_are_one(working));
      std::vector<std::atomic<int>> listening(count);
      parallel_for(count, num_threads, counting(listening), Meanwhile{1ms, [] {}});
      CHECK(all_are_one(listening));
    }
  }
}

TEST_CASE("parallel_for gives each thread a body of its own") {
  std::mutex mutex;
  std::set<std::thread::id> makers;
  std::atomic<int> num_bodies = 0;
  std::atomic<int> num_on_caller = 0;
  std::atomic<int> num_strayed = 0;
  parallel_for(100, 4, [&](bool is_caller) {
    ++num_bodies;
    num_on_caller += is_caller ? 1 : 0;
    const auto maker = std::this_thread::get_id();
    {
      const std::lock_guard lock(mutex);
      makers.insert(maker);
    }
    return [&, maker](std::size_t) {
      if (std::this_thread::get_id() != maker) ++num_strayed;
    };
  });
  CHECK(num_bodies == 4);
  REQUIRE(makers.size() == 4);
  CHECK(num_on_caller == 1);
  CHECK(num_strayed == 0);
}

TEST_CASE("parallel_for passes on the failure at the smallest index, and stops") {
  for (const int num_threads : {1, 2, 4}) {
    for (const bool listens : {false, true}) {
      for (int round = 0; round < 50; ++round) {
        CAPTURE(num_threads);
        CAPTURE(listens);
        std::atomic<int> num_calls = 0;
        const auto make_body = [&](bool) {
          return [&](std::size_t i) {
            ++num_calls;
            // The later failure comes first, if another thread gets to it.
            if (i == 3) std::this_thread::sleep_for(100us);
            if (i >= 3) throw std::runtime_error(std::to_string(i));
          };
        };
        std::optional<Meanwhile> meanwhile;
        if (listens) meanwhile = {1ms, [] {}};
        CHECK_THROWS_WITH_AS(parallel_for(1'000'000, num_threads, make_body, meanwhile), "3",
                             std::runtime_error);
        CHECK(num_calls <= 3 + num_threads);
      }
    }
  }
}

TEST_CASE("parallel_for passes on what a body's creation throws") {
  for (const int num_threads : {1, 3}) {
    CAPTURE(num_threads);
    const auto make_body = [](bool is_caller) {
      if (is_caller) throw std::out_of_range("no room");
      return [](std::size_t) {};
    };
    CHECK_THROWS_AS(parallel_for(10, num_threads, make_body), std::out_of_range);
  }
}

TEST_CASE("parallel_for passes on that a helper has no memory") {
  for (const int num_allowed : {0, 1, 5}) {
    CAPTURE(num_allowed);
    std::atomic<bool> has_failed = false;
    const auto make_body = [&](bool is_caller) {
      return [&, is_caller](std::size_t) {
        // The caller leaves the work to the helpers until one has failed.
        while (is_caller && !has_failed) std::this_thread::yield();
        try {
          const auto memory = std::make_unique<std::vector<int>>(100);
        } catch (const std::bad_alloc&) {
          has_failed = true;
          throw;
        }
      };
    };
    const FailingAllocations failing(num_allowed);
    CHECK_THROWS_AS(parallel_for(1000, 3, make_body), std::bad_alloc);
    CHECK(failing.num_failed() > 0);
  }
}

TEST_CASE("fewer threads do where the system refuses more") {
  for (const int most : {0, 1, 2}) {
    for (const bool listens : {false, true}) {
      CAPTURE(most);
      CAPTURE(listens);
      constexpr std::size_t kCount = 100;
      IndexQueue queue(kCount);
      std::atomic<int> num_workers = 0;
      std::atomic<int> num_taken = 0;
      std::optional<Meanwhile> meanwhile;
      if (listens) meanwhile = {1ms, [] {}};
      const auto work = [&](bool) {
        ++num_workers;
        while (queue.take()) ++num_taken;
      };
      run_on_threads(queue, 8, work, meanwhile, start_at_most(most));
      CHECK(num_taken == kCount);
      CHECK(num_workers == (listens && most > 0 ? most : most + 1));
    }
  }
}

TEST_CASE("the caller is called meanwhile") {
  std::atomic<bool> has_been_called = false;
  const auto make_body = [&](bool) {
    return [&](std::size_t) {
      while (!has_been_called) std::this_thread::yield();
    };
  };
  SUBCASE("until the work is done") {
    parallel_for(2, 2, make_body, Meanwhile{1ms, [&] { has_been_called = true; }});
    CHECK(has_been_called);
  }
  SUBCASE("and may throw, which ends the work") {
    const auto call = [&] {
      has_been_called = true;
      throw std::runtime_error("stop");
    };
    CHECK_THROWS_AS(parallel_for(1'000'000, 2, make_body, Meanwhile{1ms, call}),
                    std::runtime_error);
  }
}

TEST_CASE("turns come in the order of indices") {
  for (const std::size_t failing : {1000u, 7u}) {
    CAPTURE(failing);
    Turns turns;
    std::vector<std::size_t> order;
    const auto make_body = [&](bool) {
      return [&](std::size_t i) {
        Turns::Place place(turns, i);
        if (i == failing) throw std::runtime_error("failed");
        if (i % 3 == 0) std::this_thread::sleep_for(50us);
        place.wait();
        order.push_back(i);
      };
    };
    if (failing < 200) {
      CHECK_THROWS_AS(parallel_for(200, 4, make_body), std::runtime_error);
      CHECK(order.size() >= failing);
    } else {
      parallel_for(200, 4, make_body);
      std::vector<std::size_t> expected(200);
      std::iota(expected.begin(), expected.end(), std::size_t{0});
      CHECK(order == expected);
    }
    CHECK(std::ranges::is_sorted(order));
  }
}
