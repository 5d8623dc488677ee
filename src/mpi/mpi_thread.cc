#include "mpi/mpi_thread.h"

#include <sys/prctl.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "mpi/pace.h"

namespace lockstep::mpi {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// How long a wait that nobody ends early sleeps between two looks.
constexpr auto kCheckInterval = milliseconds(5);
// How long to wait for a thread that may be stuck inside MPI, and for others to end MPI.
constexpr auto kStopPatience = milliseconds(100);
constexpr auto kEndPatience = std::chrono::seconds(10);

// What Open MPI reads when it starts; whoever has set it knows better.
void set_defaults() {
  // One connection between two hosts carries half the rate each way when both send at once.
  setenv("OMPI_MCA_btl_tcp_links", "2", /*overwrite=*/0);
}

// Writing to a peer that is lost is an error like others, not the end of this process. The threads
// that MPI starts inherit this.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

// Slurm's PMIx runs a fence that collects data around a ring and one that does not up a tree, and a
// rank may leave the tree's, which ends MPI_Init, while another is about to leave the ring's: a
// message finds no receiver there yet, and crashes the other. Fences of one kind (SLURM_PMIX_FENCE)
// keep order, but hang on some of the hosts of an allocation. The busier the hosts, the longer
// takes the start, and the longer the others may need to the end of it.
Clock::duration pause_after_start(Clock::duration start) {
  if (std::getenv("SLURM_STEP_ID") == nullptr) return {};
  return std::clamp<Clock::duration>(start, milliseconds(100), std::chrono::seconds(2));
}

void start_mpi() {
  set_defaults();
  block_broken_pipes();
  int provided = 0;
  const auto begin = Clock::now();
  const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
    throw Error(ExitCode::environment, "MPI does not start in this process");
  }
  std::this_thread::sleep_for(pause_after_start(Clock::now() - begin));
  // Errors become ours, instead of the end of the job without a word of whose fault it was.
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    require(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
}

}  // namespace

void require(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ExitCode::rank_failed, fmt::format("{}: {}", call, std::string(text, length)));
}

struct MpiThread::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;   // guarded by the mutex
  bool stopping = false;  // guarded by the mutex
  std::promise<void> started;
  std::promise<void> ended;
  std::shared_future<void> has_ended = ended.get_future().share();

  // The thread's own.
  std::function<void(const Error&)> tell = [](const Error&) {};
  struct Watch {
    std::size_t bytes;
    Completion completion;  // empty when it has completed
  };
  std::vector<MPI_Request> requests;
  std::vector<Watch> watches;  // of each request
  Pace pace;

  void run() {
    prctl(PR_SET_NAME, "mpi");
    // Linux rounds sleeps up by 50 us unless told otherwise.
    prctl(PR_SET_TIMERSLACK, 1000UL);
    try {
      serve();
    } catch (const Error& error) {
      tell(error);
    }
    ended.set_value();
  }

  void serve() {
    keep_making_progress();
    std::unique_lock lock(mutex);
    while (!stopping) {
      if (!jobs.empty()) {
        const Job job = std::move(jobs.front());
        jobs.pop_front();
        lock.unlock();
        job();
        pace.renew(Clock::now());
        lock.lock();
      } else if (requests.empty()) {  // MPI has ended
        changed.wait(lock, [&] { return stopping || !jobs.empty(); });
      } else {
        lock.unlock();
        const bool some = poll();
        const auto sleep = pace.sleep(Clock::now());
        lock.lock();
        if (!some) changed.wait_for(lock, sleep, [&] { return stopping || !jobs.empty(); });
      }
    }
  }

  // A message counts as sent when MPI has it, which may be before the line has all of it. The rest
  // goes out only when somebody looks at a request: one that never completes.
  void keep_making_progress() {
    MPI_Request never;
    require(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_SELF, &never), "MPI_Irecv");
    watch(never, 0, [](std::size_t) {});
  }

  void watch(MPI_Request request, std::size_t bytes, Completion completion) {
    requests.push_back(request);
    watches.push_back({bytes, std::move(completion)});
    pace.start(bytes);
  }

  // Whether a request has completed.
  bool poll() {
    std::vector<int> indices(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    int count = 0;
    const int code = MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count,
                                  indices.data(), statuses.data());
    if (code == MPI_ERR_IN_STATUS) {
      for (int i = 0; i < count; ++i) require(statuses[i].MPI_ERROR, "MPI_Testsome");
    }
    require(code, "MPI_Testsome");
    if (count == 0) return false;

    // Completions start new requests, so the lists are put in order first.
    std::vector<std::pair<Completion, std::size_t>> finished;
    std::size_t bytes_finished = 0;
    for (int i = 0; i < count; ++i) {
      int bytes = 0;
      require(MPI_Get_count(&statuses[i], MPI_BYTE, &bytes), "MPI_Get_count");
      Watch& watch = watches[indices[i]];
      bytes_finished += watch.bytes;
      finished.emplace_back(std::exchange(watch.completion, nullptr),
                            static_cast<std::size_t>(bytes));
    }
    std::erase(requests, MPI_REQUEST_NULL);
    std::erase_if(watches, [](const Watch& watch) { return !watch.completion; });
    pace.finish(bytes_finished, Clock::now());
    for (const auto& [completion, bytes] : finished) completion(bytes);
    return true;
  }

  void give_up_requests() {
    for (MPI_Request& request : requests) require(MPI_Cancel(&request), "MPI_Cancel");
    require(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
    requests.clear();
    watches.clear();
    pace = {};
  }
};

MpiThread::MpiThread(double start_timeout) : state_(std::make_shared<State>()) {
  std::future<void> started = state_->started.get_future();
  thread_ = std::thread([state = state_] {
    try {
      start_mpi();
    } catch (...) {
      state->started.set_exception(std::current_exception());
      return;
    }
    state->started.set_value();
    state->run();
  });
  // MPI_Init waits for every rank, and for ever: not all launchers end it when one crashes there.
  if (started.wait_for(std::chrono::duration<double>(start_timeout)) != std::future_status::ready) {
    thread_.detach();
    throw Error(ExitCode::launch,
                fmt::format("MPI_Init timed out after {} s: not all ranks joined", start_timeout),
                "the output of the others may say more; srun --kill-on-bad-exit=1 does not wait");
  }
  try {
    started.get();
  } catch (...) {
    thread_.join();
    throw;
  }
}

MpiThread::~MpiThread() {
  // Everybody has what they came for, so that nothing is lost if it fails.
  if (in_order_) {
    done_in_time([state = state_] {
      state->give_up_requests();
      require(MPI_Finalize(), "MPI_Finalize");
    });
  }
  if (abandon()) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

bool MpiThread::end_in_order() {
  in_order_ = done_in_time([state = state_] {
    state->give_up_requests();
    state->keep_making_progress();  // others may be slower
  });
  return in_order_;
}

bool MpiThread::done_in_time(Job job) {
  const auto deadline = Clock::now() + kEndPatience;
  try {
    call(std::move(job), [deadline] {
      if (Clock::now() > deadline) throw Error(ExitCode::rank_failed, "MPI does not end");
    });
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool MpiThread::abandon() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_one();
  return state_->has_ended.wait_for(kStopPatience) == std::future_status::ready;
}

void MpiThread::post(Job job) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->jobs.push_back(std::move(job));
  }
  state_->changed.notify_one();
}

void MpiThread::call(Job job, const std::function<void()>& check) {
  const auto task = std::make_shared<std::packaged_task<void()>>(std::move(job));
  std::future<void> done = task->get_future();
  post([task] { (*task)(); });
  while (done.wait_for(kCheckInterval) != std::future_status::ready) check();
  done.get();
}

void MpiThread::watch(MPI_Request request, std::size_t bytes, Completion completion) {
  LOCKSTEP_CHECK(std::this_thread::get_id() == thread_.get_id());
  state_->watch(request, bytes, std::move(completion));
}

void MpiThread::on_error(std::function<void(const Error&)> tell) {
  post([state = state_.get(), tell = std::move(tell)] { state->tell = tell; });
}

}  // namespace lockstep::mpi
