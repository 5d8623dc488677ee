#include "mpi/thread_for_test.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>

namespace lockstep::mpi {
namespace {

class World : public ::testing::Environment {
 public:
  void SetUp() override {
    thread = std::make_shared<MpiThread>(/*start_timeout=*/60);
    thread->on_error([](const Error& error) { FAIL() << error.what(); });
    thread->call(
        [this] {
          require(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
          require(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
        },
        [] {});
  }
  void TearDown() override {
    thread->end_in_order();
    thread.reset();
  }

  std::shared_ptr<MpiThread> thread;
  int rank = 0;
  int size = 0;
};

World* const world = dynamic_cast<World*>(::testing::AddGlobalTestEnvironment(new World));

}  // namespace

const std::shared_ptr<MpiThread>& shared_thread_for_test() {
  return world->thread;
}

MpiThread& thread_for_test() {
  return *world->thread;
}

int rank_for_test() {
  return world->rank;
}

int world_for_test() {
  return world->size;
}

void run_on_thread(const std::function<void(std::function<void()> done)>& body) {
  std::promise<void> finished;
  thread_for_test().post([&] { body([&] { finished.set_value(); }); });
  finished.get_future().get();
}

}  // namespace lockstep::mpi
