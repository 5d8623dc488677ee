#include "report/speed_curve.h"

#include <gmock/gmock.h>

#include "report/line_chart.h"
#include "report/report_for_test.h"
#include "tests/golden.h"

namespace lockstep::report {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

stats::PointRecord measured_at(double speed) {
  stats::Launch launch;
  launch.images_per_second = speed;
  return {.launches = {launch}};
}

stats::PointRecord failed_point() {
  return {.launches = {std::nullopt}, .failure = "out of memory"};
}

spec::Sweep sweep_of(std::vector<spec::ModelBatch> models, std::vector<int> devices) {
  spec::Sweep sweep;
  sweep.models = std::move(models);
  sweep.devices = std::move(devices);
  sweep.ceiling = false;
  return sweep;
}

SpeedCurve inception() {
  return {.name = "inceptionv3_b32",
          .framework = "lockstep",
          .speeds = {{1, 45.2}, {2, 88.125}, {4, 170.5}, {6, 241.25}}};
}

std::vector<SpeedCurve> frameworks() {
  return {inception(),
          {.name = "alexnet_b512",
           .framework = "lockstep",
           .speeds = {{1, 310}, {2, 480}, {4, 700}, {6, 750}}},
          {.name = "inception-v3", .framework = "mxnet", .speeds = {{1, 30.55}, {2, 60}, {4, 116}}},
          {.name = "inceptionv3_b32", .framework = "tf", .speeds = {{1, 28}, {2, 25}, {4, 60}}}};
}

TEST(CurveCsv, IsTheCommittedOne) {
  expect_golden("src/report/golden/inceptionv3_b32.csv", curve_csv(inception()));
}

TEST(IdealCsv, IsTheCommittedOne) {
  expect_golden("src/report/golden/inceptionv3_b32.csv.ideal", ideal_csv(inception()));
}

TEST(CurveSvg, IsTheCommittedOne) {
  expect_golden("src/report/golden/inceptionv3_b32.svg",
                curve_svg(inception(), "host07, 4 cores."));
}

TEST(ComparisonSvg, IsTheCommittedOne) {
  expect_golden("src/report/golden/comparison_graph.svg",
                comparison_svg(frameworks(), "Deep Learning Frameworks - Performance Comparison",
                               "host07, 4 cores."));
}

TEST(IdealCsv, GoesOnFromTheSmallestNumberThatWasMeasured) {
  EXPECT_EQ(ideal_csv({.name = "x", .framework = "y", .speeds = {{2, 10}, {3, 12}}}),
            "2,10.000\n3,15.000\n");
  EXPECT_EQ(ideal_csv({.name = "x", .framework = "y"}), "");
}

TEST(SpeedCurves, HaveTheEarlierNamesOfTheirNetworks) {
  const auto curves = speed_curves(
      report_of(sweep_of({{"alexnet_ab", 8}, {"inception3_aux", 4}, {"resnet152_ab", 2}}, {1}),
                {measured_at(1), measured_at(2), measured_at(3)}));
  EXPECT_EQ(curves.at(0).name, "alexnet_b8");
  EXPECT_EQ(curves.at(1).name, "inceptionv3_b4");
  EXPECT_EQ(curves.at(2).name, "resnet_b2");
}

TEST(SpeedCurves, KeepTwoNetworksApartThatOnceHadTheSameName) {
  const auto curves = speed_curves(report_of(sweep_of({{"alexnet", 8}, {"alexnet_ab", 8}}, {1}),
                                             {measured_at(1), measured_at(2)}));
  EXPECT_EQ(curves.at(0).name, "alexnet_b8");
  EXPECT_EQ(curves.at(1).name, "alexnet_ab_b8");
}

TEST(SpeedCurves, HaveNoNumberOfAPointThatFailed) {
  const auto curves = speed_curves(report_of(sweep_of({{"lenet", 8}}, {1, 2, 3}),
                                             {measured_at(5), failed_point(), measured_at(14)}));
  EXPECT_THAT(curves.at(0).speeds, ElementsAre(Pair(1, DoubleEq(5)), Pair(3, DoubleEq(14))));
}

TEST(SpeedCurves, TakeTheFastestConfigurationAndNeitherLimitsNorStrongScaling) {
  spec::Sweep sweep = sweep_of({{"lenet", 8}}, {1, 2});
  sweep.strategies = {"replicated", "parameter_server"};
  sweep.scaling = {spec::Scaling::weak, spec::Scaling::strong};
  sweep.ceiling = true;
  std::vector<stats::PointRecord> records;
  for (const spec::Point& point : spec::expand(sweep).points) {
    const bool strong = point.batch_size < 8;
    const bool limit = point.strategy == "independent";
    records.push_back(measured_at(strong || limit                  ? 100
                                  : point.strategy == "replicated" ? 3
                                                                   : 2 + point.devices));
  }
  const auto curves = speed_curves(report_of(sweep, records));
  ASSERT_EQ(curves.size(), 1);
  EXPECT_THAT(curves[0].speeds, ElementsAre(Pair(1, DoubleEq(3)), Pair(2, DoubleEq(4))));
}

TEST(ParseCurveCsv, ReadsWhatIsWrittenAndALineOfNamesAboveIt) {
  EXPECT_EQ(parse_curve_csv(curve_csv(inception())), inception().speeds);
  EXPECT_THAT(*parse_curve_csv("num_gpus,img_processed_per_sec\r\n1,30.5\r\n\r\n2, 60\r\n"),
              ElementsAre(Pair(1, 30.5), Pair(2, 60)));
}

TEST(ParseCurveCsv, RefusesEverythingElse) {
  for (const char* text :
       {"", "\n", "a,b\n", "1,2,3\n", "1\n", "1,fast\n", "0,5\n", "-1,5\n", "1,0\n", "1,nan\n",
        "1,inf\n", "1,5\n1,6\n", "1,5\ngpus,speed\n", "99999999999,5\n", "1.5,5\n"}) {
    EXPECT_FALSE(parse_curve_csv(text)) << text;
  }
}

TEST(SameNetwork, LooksThroughBatchesAndSpellings) {
  const auto named = [](const char* name) {
    return SpeedCurve{.name = name, .framework = "lockstep"};
  };
  EXPECT_TRUE(same_network(named("inceptionv3_b32"), named("Inception-v3")));
  EXPECT_TRUE(same_network(named("lenet_b2"), named("Lenet_b64")));
  EXPECT_FALSE(same_network(named("alexnet_b2"), named("alexnet_ab_b2")));
  EXPECT_FALSE(same_network(named("lenet_b2"), named("lenet_big")));
}

TEST(ComparisonSvg, TellsSpeedUpAndSpeedOfEveryPoint) {
  const std::string svg =
      comparison_svg(frameworks(), "Deep Learning Frameworks - Performance Comparison", "");
  EXPECT_THAT(svg, HasSubstr("Inception-v3 on MXNet: Speedup: 3.80, Images/Sec: 116.00"));
  EXPECT_THAT(svg, HasSubstr("Inception-v3 on TensorFlow: Speedup: 0.89, Images/Sec: 25.00"));
  EXPECT_THAT(svg, HasSubstr("Alexnet on lockstep, batch 512: 310.00 images/s on 1 device"));
}

TEST(ComparisonSvg, OfNothingSaysSo) {
  EXPECT_THAT(comparison_svg({}, "", ""), HasSubstr("nothing was measured"));
  const SpeedCurve nothing{.name = "lenet_b2", .framework = "lockstep"};
  EXPECT_THAT(comparison_svg(std::span(&nothing, 1), "", ""), HasSubstr("nothing was measured"));
  EXPECT_THAT(curve_svg(nothing, ""), HasSubstr("nothing was measured"));
  EXPECT_THAT(curve_svg(nothing, ""), Not(HasSubstr("Ideal")));
}

TEST(ComparisonSvg, OfOnePointHasAPlaceForIt) {
  const SpeedCurve one{.name = "lenet_b2", .framework = "lockstep", .speeds = {{1, 8}}};
  for (const std::string& svg : {comparison_svg(std::span(&one, 1), "", ""), curve_svg(one, "")}) {
    EXPECT_THAT(svg, HasSubstr("Speedup: 1.00, Images/Sec: 8.00"));
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
    EXPECT_THAT(svg, Not(HasSubstr("inf")));
  }
}

TEST(ComparisonSvg, AlwaysSaysTheLargestNumberOfDevices) {
  const SpeedCurve close{
      .name = "lenet_b2", .framework = "lockstep", .speeds = {{1, 8}, {16, 90}, {17, 95}}};
  const std::string svg = comparison_svg(std::span(&close, 1), "", "");
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"middle\">17</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("text-anchor=\"middle\">16</text>")));
}

TEST(LinearTicks, AreRoundEvenAndNotTooMany) {
  EXPECT_THAT(linear_ticks(241.25, 9), ElementsAre(0, 50, 100, 150, 200));
  EXPECT_THAT(linear_ticks(8, 9), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(linear_ticks(0.9, 4), ElementsAre(0, 0.5));
  EXPECT_LE(linear_ticks(123456, 9).size(), 9);
}

}  // namespace
}  // namespace lockstep::report
