#include "data/pipeline.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/affinity.h"
#include "base/buffer.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"
#include "data/order.h"
#include "data/record_reader.h"
#include "data/thread_clock.h"

namespace lockstep::data {
namespace {

// Seconds that the calling thread has had a core: who yields is no slower for it.
double processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// To all that are not as low. On Linux a priority is the thread's alone; lowering it always works.
void yield_to_others() {
  constexpr int kLowest = 19;
  setpriority(PRIO_PROCESS, 0, kLowest);
}

// What went wrong on another thread, to be thrown on the caller's.
struct Failure {
  ExitCode code = ExitCode::ok;
  std::string message = {}, hint = {};

  void raise() const { throw Error(code, message, hint); }
};

// Calls `act`; what it throws, it returns.
template <typename Act>
std::optional<Failure> failure_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return Failure{error.code(), error.what(), error.hint()};
  } catch (const std::bad_alloc&) {
    return Failure{ExitCode::environment, "out of memory for an image", {}};
  }
  return std::nullopt;
}

void add(InputTimes& sum, const InputTimes& times) {
  sum.read += times.read;
  sum.decode += times.decode;
  sum.assemble += times.assemble;
  sum.hand_over += times.hand_over;
  sum.waited += times.waited;
  sum.images += times.images;
  sum.skipped += times.skipped;
}

}  // namespace

class Pipeline::State {
 public:
  State(const Source& source, const Itinerary& itinerary, const PipelineOptions& options);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void next(const Images& images, std::span<int> labels);
  InputTimes take_times();

 private:
  // A batch on its way.
  struct Slot {
    Buffer memory;
    Images images;
    std::vector<int> labels;
    int done = 0;          // images
    int first_failed = 0;  // of those that failed, if any did
    std::optional<Failure> failure;
  };
  // What each thread has for itself.
  struct Tools {
    Preprocessor preprocessor;
    RecordReader::Memory record = {};
    ThreadClock clock = {};
    double working = 0;  // processor time that stages account for
  };

  void start(const Images& images);
  void work();
  void make(std::uint64_t image, Slot& slot, Tools& tools, InputTimes& times);
  void make_from(std::uint64_t record, std::uint64_t position, const Images& out, int& label,
                 Tools& tools, InputTimes& times);
  [[noreturn]] void refuse(std::uint64_t record, const Fault& fault) const;

  const Source& source_;
  const Itinerary itinerary_;
  const PipelineOptions options_;
  const std::uint64_t records_;
  const Order order_;
  const std::uint64_t batch_;
  RecordReader reader_;

  std::vector<Slot> slots_;  // batch b is made in slot b % slots_.size()
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards all below, and `done` and `failure` of slots
  std::condition_variable room_, ready_;
  std::uint64_t handed_out_ = 0;  // images
  std::uint64_t taken_ = 0;       // batches
  bool stopping_ = false;
  std::optional<Failure> broken_;  // a thread that could not start to work
  InputTimes times_;
};

Pipeline::State::State(const Source& source, const Itinerary& itinerary,
                       const PipelineOptions& options)
    : source_(source),
      itinerary_(itinerary),
      options_(options),
      records_(source.index().of(options.split).size()),
      order_(std::max<std::uint64_t>(1, records_), itinerary.shuffle_seed),
      batch_(static_cast<std::uint64_t>(itinerary.batch)),
      reader_(source, options.split, options.cache || options.repeat_cached_sample) {
  LOCKSTEP_CHECK(itinerary.batch > 0 && options.threads > 0 && options.prefetch > 0);
  if (records_ == 0) {
    throw Error(ExitCode::usage,
                fmt::format("no images for {} in {}",
                            options.split == Split::train ? "training" : "evaluation",
                            source.directory().string()));
  }
}

Pipeline::State::~State() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();  // each is done with its image first
}

void Pipeline::State::start(const Images& images) {
  LOCKSTEP_CHECK(images.n == itinerary_.batch && images.h == options_.preprocessing.height &&
                 images.w == options_.preprocessing.width);
  std::vector<Slot> slots(static_cast<std::size_t>(options_.prefetch));
  for (Slot& slot : slots) {
    slot.memory = Buffer(static_cast<std::size_t>(floats_spanned(images)) * sizeof(float));
    slot.images = images;
    slot.images.first = slot.memory.floats().data();
    slot.labels.resize(batch_);
  }
  slots_ = std::move(slots);
  try {
    for (int t = 0; t < options_.threads; ++t) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    throw Error(ExitCode::environment, fmt::format("cannot start {} threads for the input: {}",
                                                   options_.threads, error.what()));
  }
}

void Pipeline::State::work() {
  auto broken = failure_of([&] {
    yield_to_others();
    if (!options_.cores.empty()) bind_thread(options_.cores);
  });
  Tools tools{Preprocessor(source_.index(), options_.preprocessing)};
  std::unique_lock lock(mutex_);
  if (broken) {
    broken_ = std::move(broken);
    ready_.notify_one();
    return;
  }
  double accounted = processor_time();
  while (true) {
    room_.wait(lock, [&] { return stopping_ || handed_out_ < (taken_ + slots_.size()) * batch_; });
    if (stopping_) return;
    const std::uint64_t image = handed_out_++;
    Slot& slot = slots_[image / batch_ % slots_.size()];
    lock.unlock();
    InputTimes times;
    tools.working = 0;
    auto failure = failure_of([&] { make(image, slot, tools, times); });
    const double until = processor_time();
    times.hand_over = until - std::exchange(accounted, until) - tools.working;
    lock.lock();
    add(times_, times);
    const int at = static_cast<int>(image % batch_);
    if (failure && (!slot.failure || at < slot.first_failed)) {
      slot.failure = std::move(failure);
      slot.first_failed = at;
    }
    if (++slot.done == itinerary_.batch) ready_.notify_one();
  }
}

void Pipeline::State::make(std::uint64_t image, Slot& slot, Tools& tools, InputTimes& times) {
  const int at = static_cast<int>(image % batch_);
  const std::uint64_t position =
      itinerary_.first + image / batch_ * itinerary_.stride + image % batch_;
  std::uint64_t record = options_.repeat_cached_sample ? 0 : order_.record(position);
  while (true) {
    try {
      make_from(record, position, slot.images.image(at), slot.labels[static_cast<std::size_t>(at)],
                tools, times);
      ++times.images;
      return;
    } catch (const Error&) {
      if (!options_.skip_corrupt || ++times.skipped == records_) throw;
      record = (record + 1) % records_;  // in its place, whoever asks
    }
  }
}

void Pipeline::State::make_from(std::uint64_t record, std::uint64_t position, const Images& out,
                                int& label, Tools& tools, InputTimes& times) {
  const double unread = processor_time();
  const double begin = tools.clock.now();
  const Stored& stored = reader_.read(record, tools.record);
  times.read += tools.clock.now() - begin;
  if (stored.label == kNoLabel) refuse(record, {stored.offset, "a record without a label"});

  const double undecoded = processor_time();
  const auto result = tools.preprocessor.decode(stored, position);
  const double decoded = processor_time();
  times.decode += decoded - undecoded;
  if (const auto* fault = std::get_if<Fault>(&result)) {
    refuse(record, {stored.offset + fault->offset, fault->what});
  }
  tools.preprocessor.assemble(std::get<Preprocessor::Decoded>(result), position, out);
  label = stored.label - options_.label_shift;
  const double assembled = processor_time();
  times.assemble += assembled - decoded;
  tools.working += assembled - unread;
}

void Pipeline::State::refuse(std::uint64_t record, const Fault& fault) const {
  const Index& index = source_.index();
  throw Error(ExitCode::usage,
              describe(index, {index.of(options_.split)[record].file, fault}, source_.directory()),
              "--skip_corrupt leaves out what is damaged");
}

void Pipeline::State::next(const Images& images, std::span<int> labels) {
  LOCKSTEP_CHECK(labels.size() == batch_);
  const double begin = now();
  if (slots_.empty()) start(images);
  std::unique_lock lock(mutex_);
  Slot& slot = slots_[taken_ % slots_.size()];
  ready_.wait(lock, [&] { return slot.done == itinerary_.batch || broken_; });
  if (broken_) broken_->raise();
  const std::optional<Failure> failure = std::exchange(slot.failure, std::nullopt);
  lock.unlock();
  if (!failure) {
    copy_images(slot.images, images);
    std::ranges::copy(slot.labels, labels.begin());
  }
  lock.lock();
  slot.done = 0;
  ++taken_;
  times_.waited += now() - begin;
  lock.unlock();
  room_.notify_all();
  if (failure) failure->raise();
}

InputTimes Pipeline::State::take_times() {
  const std::lock_guard lock(mutex_);
  return std::exchange(times_, {});
}

Pipeline::Pipeline(const Source& source, const Itinerary& itinerary, const PipelineOptions& options)
    : state_(std::make_unique<State>(source, itinerary, options)) {}

Pipeline::~Pipeline() = default;

void Pipeline::next(const Images& images, std::span<int> labels) {
  state_->next(images, labels);
}

InputTimes Pipeline::take_times() {
  return state_->take_times();
}

}  // namespace lockstep::data
