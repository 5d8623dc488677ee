#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <thread>

#include "base/error.h"

namespace lockstep::mpi {

// Throws what MPI has to say of a code that is not MPI_SUCCESS.
void require(int code, const char* call);

// The one thread of the process that calls MPI, from MPI_Init to MPI_Finalize: so the library needs
// no locks, and progress is made where the requests are. It polls them and sleeps in between.
//
// MPI can be started once in a process, so there is one of these at most.
class MpiThread {
 public:
  using Job = std::function<void()>;
  using Completion = std::function<void(std::size_t bytes)>;  // bytes: of a message received

  // Starts MPI; throws Error(launch) when not all ranks have come after so many seconds.
  explicit MpiThread(double start_timeout);
  ~MpiThread();  // ends MPI if all agreed to that, or leaves it as it is

  // All ranks have agreed to end: what is still awaited does not come, and MPI's own end, which
  // waits for everybody, is safe. False when MPI does not let go of it. A process that ends
  // otherwise has to end with an exit code that says it failed.
  bool end_in_order();
  // Runs nothing more on the thread. False when it is stuck inside MPI, which may then use memory
  // that it was given until the process ends.
  bool abandon();

  MpiThread(const MpiThread&) = delete;
  MpiThread& operator=(const MpiThread&) = delete;

  // Runs the job on the thread, soon. From any thread.
  void post(Job job);

  // Runs the job on the thread and throws what it throws. `check` runs here every few milliseconds
  // and ends the wait by throwing; the job may then be running still, and run for ever.
  void call(Job job, const std::function<void()>& check);

  // On the thread: runs `completion` there when the request, of at most so many bytes, has
  // completed.
  void watch(MPI_Request request, std::size_t bytes, Completion completion);

  // Who is told of errors of requests and of posted jobs; on the thread, which does nothing more
  // afterwards.
  void on_error(std::function<void(const Error&)> tell);

 private:
  bool done_in_time(Job job);

  // Outlives this object when the thread is stuck inside MPI.
  struct State;
  std::shared_ptr<State> state_;
  std::thread thread_;
  bool in_order_ = false;
};

}  // namespace lockstep::mpi
