// No step of training allocates memory of ours. oneDNN keeps books of its own in every call; those
// allocations are told apart by the library that asks for them.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/engine.h"
#include "model/zoo.h"
#include "record/recorder.h"
#include "spec/trial.h"
#include "train/replica.h"

namespace {

std::atomic<bool> counting = false;
std::atomic<int> ours = 0;

// The program itself, as the dynamic linker knows it.
const void* base_of(const void* address) {
  Dl_info info = {};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void* allocate(std::size_t size, const void* caller) {
  if (counting && base_of(caller) == base_of(reinterpret_cast<const void*>(&base_of))) ++ours;
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size, __builtin_return_address(0));
}
void* operator new[](std::size_t size) {
  return allocate(size, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace lockstep::train {
namespace {

int allocations_of_three_steps(const char* name, int image_size) {
  spec::Trial trial;
  trial.model = name;
  trial.batch_size = 2;
  trial.optimizer.kind = spec::OptimizerKind::momentum;
  const model::Model& model = model::find(name);
  engine::Options options;
  options.batch = trial.batch_size;
  const model::Graph graph = model::build(model, {.image_size = image_size, .num_classes = 11});
  trial.num_classes = 11;
  const auto world = comm::connect_threads(1);
  Site site;
  site.ranks.topology = world.front()->topology();
  site.strategy = &spec::find_strategy("independent");
  Replica replica(trial, model, engine::compile(graph, options), *world.front(), site);
  record::Recorder recorder(16);
  replica.step(recorder, {});
  ours = 0;
  counting = true;
  for (int step = 0; step < 3; ++step) replica.step(recorder, {});
  counting = false;
  return ours;
}

TEST(Step, AllocatesNothing) {
  EXPECT_EQ(allocations_of_three_steps("lenet", 28), 0);
  EXPECT_EQ(allocations_of_three_steps("alexnet_cifar", 32), 0);
  EXPECT_EQ(allocations_of_three_steps("resnet50", 64), 0);
  EXPECT_EQ(allocations_of_three_steps("inception3_aux", 139), 0);
}

TEST(Step, IsSeenWhenItAllocates) {
  ours = 0;
  counting = true;
  delete new int(1);
  counting = false;
  EXPECT_EQ(ours, 1);
}

}  // namespace
}  // namespace lockstep::train
