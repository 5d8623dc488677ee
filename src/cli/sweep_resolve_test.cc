#include "cli/sweep_resolve.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "base/files.h"
#include "base/temporary_directory.h"

namespace lockstep::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

machine::Allowed cores(int n) {
  machine::Allowed allowed{.processors = {}, .cores = n, .quota = 0, .usable = n};
  for (int p = 0; p < n; ++p) allowed.processors.push_back(p);
  return allowed;
}

const Place kHere{.site = {}, .launcher = &launch::find_launcher("local")};
const Place kOverSsh{.site = {}, .launcher = &launch::find_launcher("ssh")};
const Place kOverMpi{.site = {}, .launcher = &launch::find_launcher("mpi")};

spec::Sweep of(std::vector<spec::ModelBatch> models) {
  spec::Sweep sweep;
  sweep.models = std::move(models);
  return sweep;
}

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
  return "none";
}

TEST(Resolve, GoesUpToAllCoresWithAsManyThreadsThroughout) {
  const spec::Sweep six = resolve({}, cores(6));
  EXPECT_THAT(six.devices, ElementsAre(1, 2, 4, 6));
  EXPECT_EQ(six.threads_per_device, 1);
  spec::Sweep three;
  three.devices = {1, 3};
  EXPECT_EQ(resolve(three, cores(6)).threads_per_device, 2);
  spec::Sweep wide;
  wide.threads_per_device = 2;
  EXPECT_THAT(resolve(wide, cores(6)).devices, ElementsAre(1, 2, 3));
}

TEST(Resolve, LeavesThreadsToHostsElsewhere) {
  EXPECT_EQ(resolve({}, cores(6), 3, false).threads_per_device, 0);
  EXPECT_EQ(resolve({}, cores(6), 3, true).threads_per_device, 2);
  spec::Sweep two;
  two.threads_per_device = 2;
  EXPECT_EQ(resolve(two, cores(6), 3, false).threads_per_device, 2);
}

TEST(Resolve, GivesDevicesThatMayShareCoresOneThread) {
  spec::Sweep sweep;
  sweep.devices = {1};
  sweep.run_flags["oversubscribe"] = "true";
  EXPECT_EQ(resolve(sweep, cores(6)).threads_per_device, 1);
  EXPECT_EQ(resolve(sweep, cores(6), 3, false).threads_per_device, 1);
  sweep.run_flags["oversubscribe"] = "false";
  EXPECT_EQ(resolve(sweep, cores(6)).threads_per_device, 6);
}

TEST(Resolve, NamesModelsAsTheZooDoesAndGivesThemTheirBatch) {
  spec::Sweep sweep = of({{"Inceptionv3", 8}, {"LeNet", 0}});
  EXPECT_THAT(resolve(sweep, cores(1)).models,
              ElementsAre(spec::ModelBatch{"inception3", 8}, spec::ModelBatch{"lenet", 32}));
  sweep.batch_size = 5;
  EXPECT_EQ(resolve(sweep, cores(1)).models[1].batch_size, 5);
  sweep.models = {{"alexnet", 0}};
  sweep.run_flags["data_name"] = "cifar10";
  EXPECT_EQ(resolve(sweep, cores(1)).models[0].model, "alexnet_cifar");
}

TEST(Resolve, MakesUpImagesOfTheSizeThatTheRealOnesBesideThemHave) {
  std::optional<TemporaryDirectory> temporary(std::in_place);
  const std::string directory = temporary->path().string();
  write_file(temporary->path() / "data_batch_1.bin", "");
  spec::Sweep sweep = of({{"alexnet", 4}});
  sweep.run_flags["data_dir"] = directory;
  sweep.inputs = {spec::InputKind::synthetic, spec::InputKind::real};
  const spec::Sweep resolved = resolve(sweep, cores(1));
  temporary.reset();
  EXPECT_EQ(resolved.models[0].model, "alexnet_cifar");
  EXPECT_EQ(resolved.run_flags.at("data_name"), "cifar10");
  EXPECT_THAT(refusal([&] { resolve(sweep, cores(1)); }), HasSubstr(directory));
}

TEST(Resolve, RefusesOneModelByTwoNames) {
  EXPECT_EQ(refusal([] {
              resolve(of({{"Inceptionv3", 8}, {"inception3", 8}}), cores(1));
            }),
            "inception3 with a batch of 8 is there twice");
}

TEST(Resolve, GivesTheSweepWithoutOptionsAboutTwoMinutes) {
  for (const int n : {1, 2, 4, 8}) {
    const spec::Sweep sweep = resolve({}, cores(n));
    const auto launches = static_cast<double>(spec::expand(sweep).points.size()) * sweep.repeats;
    EXPECT_GT(launches * (*sweep.launch_time + 4), 40) << n;
    EXPECT_LT(launches * (*sweep.launch_time + 4), 260) << n;
  }
}

TEST(Resolve, LeavesTheTimeOfALaunchToWhoeverNamesItsSteps) {
  spec::Sweep sweep;
  sweep.run_flags["num_batches"] = "10";
  EXPECT_FALSE(resolve(sweep, cores(2)).launch_time.has_value());
}

TEST(Resolve, OfAResolvedSweepChangesNothing) {
  const spec::Sweep once = resolve({}, cores(4));
  EXPECT_EQ(resolve(once, cores(2)), once);
}

TEST(CheckPoints, RefusesMoreDevicesThanCoresWithTheArithmetic) {
  spec::Sweep sweep = of({{"lenet", 4}});
  sweep.devices = {1, 4096};
  sweep.threads_per_device = 2;
  const std::string message = refusal([&] { check_points(spec::expand(sweep), kHere); });
  EXPECT_THAT(message, HasSubstr("lenet-b4-d4096-replicated: 4096 devices"));
  EXPECT_THAT(message, HasSubstr("8192"));
  EXPECT_THAT(check_points(spec::expand(sweep), kOverSsh), IsEmpty());
}

TEST(CheckPoints, RefusesWhatOnlyARankWouldRefuse) {
  for (const Place& place : {kHere, kOverSsh, kOverMpi}) {
    spec::Sweep sweep = of({{"lenet", 4}});
    sweep.devices = {1};
    const auto said = [&] { return refusal([&] { check_points(spec::expand(sweep), place); }); };
    sweep.run_flags = {{"all_reduce_spec", "bogus"}};
    EXPECT_THAT(said(), HasSubstr("lenet-b4-d1-replicated: ")) << place.launcher->name;
    EXPECT_THAT(said(), HasSubstr("bogus"));
    sweep.run_flags = {{"image_size", "1"}};
    EXPECT_THAT(said(), HasSubstr("the image is too small"));
    sweep.run_flags = {{"all_reduce_spec", "vendor"}};
    EXPECT_THAT(said(),
                HasSubstr(place.launcher->by_mpi ? "none" : "asks for the vendor's all-reduce"));
  }
}

TEST(CheckPoints, RefusesServersThatNobodyWouldBe) {
  spec::Sweep sweep = of({{"lenet", 4}});
  sweep.devices = {1, 2};
  sweep.strategies = {"parameter_server"};
  sweep.run_flags["cross_replica_sync"] = "false";
  sweep.run_flags["oversubscribe"] = "true";
  EXPECT_THAT(refusal([&] { check_points(spec::expand(sweep), kOverSsh); }),
              HasSubstr("need processes of their own"));
  sweep.num_ps = {1};
  EXPECT_THAT(check_points(spec::expand(sweep), kOverSsh), IsEmpty());
}

TEST(Ceiling, IsLeftOutWhereDevicesWithoutExchangeHaveNothingToSave) {
  for (const Place& place : {kHere, kOverSsh}) {
    spec::Sweep sweep = of({{"lenet", 4}});
    sweep.devices = {1, 2};
    sweep.run_flags["oversubscribe"] = "true";
    EXPECT_EQ(drop_refused_ceiling(sweep, place), "");
    EXPECT_TRUE(sweep.ceiling);
    sweep.run_flags["train_dir"] = "t";
    EXPECT_THAT(drop_refused_ceiling(sweep, place),
                HasSubstr("the limit without exchange is not measured: "
                          "--variable_update=independent trains 2 networks"));
    EXPECT_FALSE(sweep.ceiling);
    EXPECT_THAT(check_points(spec::expand(sweep), place), IsEmpty());
  }
}

TEST(CheckPoints, SaysOnceWhatHasNoEffect) {
  spec::Sweep sweep = of({{"lenet", 4}, {"trivial", 4}});
  sweep.devices = {1};
  sweep.run_flags["momentum"] = "0.5";
  EXPECT_THAT(check_points(spec::expand(sweep), kOverSsh),
              ElementsAre(HasSubstr("--momentum=0.5 has no effect")));
}

}  // namespace
}  // namespace lockstep::cli
