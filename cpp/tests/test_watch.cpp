#include "multicut/solvers/watch.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "framework.hpp"

using namespace multicut;

TEST_CASE("the reason why a run ended is set once") {
  SUBCASE("by the first of several") {
    Watch watch(0.0, [](double, double) { return StopReason::kInterrupt; }, true);
    CHECK(watch.expired());
    watch.improved(1);
    CHECK(watch.reason() == StopReason::kTimeLimit);
  }
  SUBCASE("by a callback before the deadline") {
    Watch watch(0.01, [](double, double) { return StopReason::kCallback; }, true);
    watch.improved(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(watch.expired());
    CHECK(watch.reason() == StopReason::kCallback);
  }
  SUBCASE("by one of several threads") {
    for (int round = 0; round < 20; ++round) {
      // Time runs out on the helper about when the callback stops the run on this thread.
      Watch watch(0.001, [](double, double) { return StopReason::kCallback; }, true);
      std::atomic<StopReason> seen = StopReason::kConverged;
      std::thread helper([&] {
        while (!watch.expired()) std::this_thread::yield();
        seen = watch.reason();
      });
      while (watch.elapsed() < 0.001) std::this_thread::yield();
      watch.improved(1);
      const StopReason first = watch.reason();
      helper.join();
      CHECK(seen == first);
      CHECK(watch.reason() == first);
    }
  }
}

TEST_CASE("Ctrl-C is seen where no objective is at hand, in the thread of the run") {
  double told = 0;
  Watch watch(60, [&](double objective, double) {
    told = objective;
    return StopReason::kInterrupt;
  });
  CHECK_FALSE(watch.expired());  // asked again too soon
  std::this_thread::sleep_for(std::chrono::milliseconds(25));
  bool is_seen_by_other = true;
  std::thread([&] { is_seen_by_other = watch.expired(); }).join();
  CHECK_FALSE(is_seen_by_other);
  CHECK(watch.expired());
  CHECK(watch.reason() == StopReason::kInterrupt);
  CHECK(told == Watch::kNothingToTell);
}

TEST_CASE("reasons are called as in Python") {
  CHECK(std::string(text_of(StopReason::kConverged)) == "converged");
  CHECK(std::string(text_of(StopReason::kTimeLimit)) == "time_limit");
  CHECK(std::string(text_of(StopReason::kCallback)) == "callback");
  CHECK(std::string(text_of(StopReason::kInterrupt)) == "interrupt");
}

TEST_CASE("a run ends before its deadline by what is reserved") {
  Watch late(10);
  late.reserve(20);
  CHECK(late.expired());
  CHECK(late.reason() == StopReason::kTimeLimit);
  Watch in_time(10);
  in_time.reserve(0);
  CHECK(!in_time.expired());
  // What a trivial partition takes is only needed while that may be better.
  Watch open(10);
  open.reserve(0, 20);
  CHECK(open.should_stop(-3.0));
  Watch beyond(10);
  beyond.reserve(0, 20);
  Watch::nested(beyond, 0, false).set_beyond_trivial();
  CHECK(!beyond.is_beyond_trivial());
  beyond.set_beyond_trivial();
  CHECK(beyond.is_beyond_trivial());
  CHECK(!beyond.should_stop(3.0));
  CHECK(!beyond.expired());
}
