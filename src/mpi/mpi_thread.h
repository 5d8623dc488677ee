#pragma once

#include <mpi.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "base/error.h"

namespace lockstep::mpi {

// Throws what MPI has to say of a code that is not MPI_SUCCESS.
void require(int code, const char* call);

// The one thread of the process that calls MPI, from MPI_Init to MPI_Finalize: so the library needs
// no locks, and progress is made where the requests are. It polls requests only while there are
// some, and sleeps in between; without requests it waits for jobs.
//
// MPI can be started once in a process, so there is one of these at most.
class MpiThread {
 public:
  using Job = std::function<void()>;
  using Completion = std::function<void(std::size_t bytes)>;  // bytes: of a message received

  // Starts MPI. `fail` is told of errors of requests and of jobs that were posted, on the thread,
  // which does nothing more afterwards.
  explicit MpiThread(std::function<void(const Error&)> fail);

  // Without finalize() before, MPI is left as it is: its end would wait for ranks that may be lost.
  // A process that ends so has to end with an exit code that says it failed.
  ~MpiThread();

  MpiThread(const MpiThread&) = delete;
  MpiThread& operator=(const MpiThread&) = delete;

  // Runs the job on the thread, soon. From any thread.
  void post(Job job);

  // Runs the job on the thread and throws what it throws. `check` runs here every few milliseconds
  // and ends the wait by throwing; the job may then be running still, and run for ever.
  void call(Job job, const std::function<void()>& check);

  // On the thread: runs `completion` there when the request has completed.
  void watch(MPI_Request request, Completion completion);

  // Ends MPI; waits for all ranks to do the same. Gives up when they do not within `patience`.
  void finalize(std::chrono::seconds patience);

 private:
  // Outlives this object when the thread is stuck inside MPI.
  struct State;
  std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace lockstep::mpi
