#include "mpi/mpi_thread.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include "mpi/thread_for_test.h"

namespace lockstep::mpi {
namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(MpiThread, RunsEverythingOnOneThread) {
  std::thread::id called, posted;
  std::promise<void> done;
  thread_for_test().post([&] {
    posted = std::this_thread::get_id();
    done.set_value();
  });
  done.get_future().get();
  thread_for_test().call([&] { called = std::this_thread::get_id(); }, [] {});
  EXPECT_EQ(called, posted);
  EXPECT_NE(called, std::this_thread::get_id());
}

TEST(MpiThread, ThrowsToTheCallerWhatTheJobThrows) {
  EXPECT_THROW(thread_for_test().call([] { throw Error(ExitCode::usage, "no"); }, [] {}), Error);
}

TEST(MpiThread, LetsTheCheckEndAWait) {
  std::atomic<bool> go = false;
  const auto stuck = [&] {
    while (!go) std::this_thread::yield();
  };
  const auto check = [] { throw Error(ExitCode::rank_failed, "rank 1 is lost"); };
  EXPECT_THROW(thread_for_test().call(stuck, check), Error);
  go = true;
  thread_for_test().call([] {}, [] {});  // `go` must outlive the job
}

TEST(MpiThread, TranslatesErrorsOfMpi) {
  thread_for_test().call(
      [] {
        const int nobody = world_for_test();
        char byte = 0;
        try {
          require(MPI_Send(&byte, 1, MPI_BYTE, nobody, 0, MPI_COMM_WORLD), "MPI_Send");
          ADD_FAILURE() << "there is no such rank";
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::rank_failed);
          EXPECT_TRUE(std::string(error.what()).starts_with("MPI_Send: ")) << error.what();
        }
      },
      [] {});
}

TEST(MpiThread, LeavesTheCoresAloneWhileAMessageIsAwaited) {
  char sent = 1, received = 0;
  std::promise<std::size_t> arrived;
  thread_for_test().post([&] {
    MPI_Request request;
    require(MPI_Irecv(&received, 1, MPI_BYTE, rank_for_test(), 7, MPI_COMM_WORLD, &request),
            "MPI_Irecv");
    thread_for_test().watch(request, 1, [&](std::size_t bytes) { arrived.set_value(bytes); });
  });
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(processor_seconds() - before, 0.1);
  run_on_thread([&](const auto& done) {
    MPI_Request request;
    require(MPI_Isend(&sent, 1, MPI_BYTE, rank_for_test(), 7, MPI_COMM_WORLD, &request),
            "MPI_Isend");
    thread_for_test().watch(request, 1, [done](std::size_t) { done(); });
  });
  EXPECT_EQ(arrived.get_future().get(), 1U);
  EXPECT_EQ(received, 1);
}

// All ranks are on one machine, below one mpirun. A message would not do to wait for another rank:
// whoever waits for one makes progress with all.
class Sign {
 public:
  void set() const { std::ofstream(path_).put('!'); }
  void await() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!std::filesystem::exists(path_)) {
      if (std::chrono::steady_clock::now() > deadline) FAIL() << "no sign of the other rank";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::filesystem::remove(path_);
  }

 private:
  std::string path_ = fmt::format("{}lockstep_mpi_sign.{}", ::testing::TempDir(), getppid());
};

TEST(MpiThread, MakesProgressForOthersWhenNothingIsWatched) {
  const int sender = world_for_test() - 1;
  const int size = 4 << 20;  // more than MPI sends before the receiver asks for it
  std::vector<char> data(size), received(size);
  const Sign sent;
  MPI_Request request;
  if (rank_for_test() == 0) {
    thread_for_test().call(
        [&] {
          require(MPI_Irecv(received.data(), size, MPI_BYTE, sender, 8, MPI_COMM_WORLD, &request),
                  "MPI_Irecv");
        },
        [] {});
  }
  if (rank_for_test() == sender) {
    run_on_thread([&](const auto& done) {
      MPI_Request watched;
      require(MPI_Isend(data.data(), size, MPI_BYTE, 0, 8, MPI_COMM_WORLD, &watched), "MPI_Isend");
      thread_for_test().watch(watched, data.size(), [done](std::size_t) { done(); });
    });
    sent.set();
  }
  if (rank_for_test() == 0) {
    sent.await();
    thread_for_test().call([&] { require(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait"); },
                           [] {});
  }
}

}  // namespace
}  // namespace lockstep::mpi
