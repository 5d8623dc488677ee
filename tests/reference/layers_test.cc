// Forward passes against numbers worked out by hand: finite differences prove only that backward
// belongs to forward.

#include "tests/reference/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/dropout_mask.h"

namespace lockstep::reference {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Pointwise;

constexpr double kExact = 1e-12;

TEST(ReferenceConv, SlidesTheKernelWithoutFlippingIt) {
  const Tensor x(1, {1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const model::Conv op{.filters = 1, .kernel_h = 2, .kernel_w = 2};
  EXPECT_THAT(conv(op, x, {1, 10, 100, 1000}, {0.5}).values,
              ElementsAre(5421.5, 6532.5, 8754.5, 9865.5));
}

TEST(ReferenceConv, PutsPaddingOnTheSideNamed) {
  const Tensor x(1, {1, 1, 2}, {3, 5});
  const model::Conv left{.filters = 1, .kernel_w = 2, .padding = {.left = 1}};
  const model::Conv right{.filters = 1, .kernel_w = 2, .padding = {.right = 1}};
  const model::Conv top{.filters = 1, .kernel_h = 2, .padding = {.top = 1}};
  const model::Conv bottom{.filters = 1, .kernel_h = 2, .padding = {.bottom = 1}};
  EXPECT_THAT(conv(left, x, {1, 10}, {}).values, ElementsAre(30, 53));
  EXPECT_THAT(conv(right, x, {1, 10}, {}).values, ElementsAre(53, 5));
  EXPECT_THAT(conv(top, x, {1, 10}, {}).values, ElementsAre(30, 50));
  EXPECT_THAT(conv(bottom, x, {1, 10}, {}).values, ElementsAre(3, 5));
}

TEST(ReferenceConv, StridesInRowsAndColumnsApart) {
  const Tensor x(1, {1, 3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const model::Conv op{.filters = 1, .stride_h = 2, .stride_w = 3};
  EXPECT_THAT(conv(op, x, {1}, {}).values, ElementsAre(1, 4, 9, 12));
}

TEST(ReferenceConv, SumsOverInputChannelsOfEachFilter) {
  const Tensor x(1, {2, 1, 1}, {3, 5});
  const model::Conv op{.filters = 2};
  EXPECT_THAT(conv(op, x, {1, 10, 100, 1000}, {}).values, ElementsAre(53, 5300));
}

TEST(ReferenceConv, ConnectsGroupsOnlyToTheirOwnChannels) {
  const Tensor x(1, {4, 1, 1}, {1, 2, 3, 4});
  const model::Conv op{.filters = 2, .groups = 2};
  EXPECT_THAT(conv(op, x, {1, 10, 1, 10}, {}).values, ElementsAre(21, 43));
}

TEST(ReferenceDense, FlattensChannelRowColumn) {
  const Tensor x(2, {2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const model::Dense op{.units = 1};
  EXPECT_THAT(dense(op, x, {1, 10, 100, 1000}, {0.5}).values, ElementsAre(4321.5, 8765.5));
}

TEST(ReferenceBatchNorm, NormalisesEachChannelByItsBiasedVariance) {
  const Tensor x(2, {2, 1, 1}, {1, 10, 3, 30});
  const Moments m = moments(x);
  EXPECT_THAT(m.mean, ElementsAre(2, 20));
  EXPECT_THAT(m.variance, ElementsAre(1, 100));
  const model::BatchNorm op{.epsilon = 0};
  EXPECT_THAT(batch_norm(op, x, m, {}, {0, 7}).values, ElementsAre(-1, 6, 1, 8));
  EXPECT_THAT(batch_norm(op, x, m, {5, 2}, {0, 7}).values, ElementsAre(-5, 5, 5, 9));
}

TEST(ReferenceBatchNorm, AddsEpsilonToTheVariance) {
  const Tensor x(2, {1, 1, 1}, {-1, 1});
  const model::BatchNorm op{.epsilon = 3};
  EXPECT_THAT(batch_norm(op, x, moments(x), {}, {0}).values, ElementsAre(-0.5, 0.5));
}

TEST(ReferenceBatchNorm, MovesAveragesWithBesselsCorrection) {
  const Tensor x(4, {1, 1, 1}, {1, 1, 3, 3});
  Moments moving{{10}, {10}};
  update_moving({.decay = 0.75F}, x, moving);
  EXPECT_THAT(moving.mean, ElementsAre(0.75 * 10 + 0.25 * 2));
  EXPECT_THAT(moving.variance, ElementsAre(0.75 * 10 + 0.25 * 1 * 4.0 / 3.0));
}

TEST(ReferenceBatchNorm, LeavesTheVarianceOfOneValueUncorrected) {
  Moments moving{{0}, {1}};
  update_moving({.decay = 0.5F}, Tensor(1, {1, 1, 1}, {8}), moving);
  EXPECT_THAT(moving.mean, ElementsAre(4));
  EXPECT_THAT(moving.variance, ElementsAre(0.5));
}

TEST(ReferenceActivation, BendsWhereItShould) {
  const Tensor x(1, {4, 1, 1}, {-2, 0, 3, 7});
  using Kind = model::Activation::Kind;
  EXPECT_THAT(activation({Kind::relu}, x).values, ElementsAre(0, 0, 3, 7));
  EXPECT_THAT(activation({Kind::relu6}, x).values, ElementsAre(0, 0, 3, 6));
  EXPECT_THAT(activation({Kind::leaky_relu, 0.25F}, x).values, ElementsAre(-0.5, 0, 3, 7));
}

TEST(ReferenceMaxPool, GivesTheGradientOfATieToTheFirst) {
  const Tensor x(1, {1, 2, 2}, {1, 4, 4, 4});
  const model::Pool op;
  EXPECT_THAT(pool(op, x).values, ElementsAre(4));
  EXPECT_THAT(pool_backward(op, x, Tensor(1, {1, 1, 1}, {5})).values, ElementsAre(0, 5, 0, 0));
}

TEST(ReferenceMaxPool, NeverPicksPadding) {
  const Tensor x(1, {1, 1, 1}, {-3});
  const model::Pool op{.stride_h = 1, .stride_w = 1, .padding = {1, 1, 1, 1}};
  EXPECT_THAT(pool(op, x).values, ElementsAre(-3, -3, -3, -3));
}

TEST(ReferenceMaxPool, AddsTheGradientsOfOverlappingWindows) {
  const Tensor x(1, {1, 1, 3}, {1, 9, 2});
  const model::Pool op{.kernel_h = 1, .kernel_w = 2, .stride_h = 1, .stride_w = 1};
  EXPECT_THAT(pool_backward(op, x, Tensor(1, {1, 1, 2}, {3, 4})).values, ElementsAre(0, 7, 0));
}

TEST(ReferenceAveragePool, DividesByThePixelsInsideTheImage) {
  const Tensor x(1, {1, 1, 3}, {2, 4, 9});
  const model::Pool op{.kind = model::Pool::Kind::average,
                       .kernel_h = 1,
                       .kernel_w = 3,
                       .stride_h = 1,
                       .stride_w = 1,
                       .padding = {.left = 1, .right = 1}};
  EXPECT_THAT(pool(op, x).values, Pointwise(DoubleNear(kExact), {3.0, 5.0, 6.5}));
}

TEST(ReferenceLrn, DividesByThePowerOfTheSumOverNeighbours) {
  const Tensor x(1, {4, 1, 1}, {1, 2, 3, 4});
  const model::Lrn op{.radius = 1, .alpha = 0.5F, .beta = 2, .bias = 3};
  const auto expected = [](double value, double squares) {
    return value / std::pow(3 + 0.5 * squares, 2);
  };
  EXPECT_THAT(lrn(op, x).values,
              Pointwise(DoubleNear(kExact), {expected(1, 1 + 4), expected(2, 1 + 4 + 9),
                                             expected(3, 4 + 9 + 16), expected(4, 9 + 16)}));
}

TEST(ReferenceDropout, FollowsTheMaskOfTheGlobalSample) {
  const Tensor x(2, {3, 2, 2}, Values(24, 1.0));
  const kernel::DropoutMask mask(5, 6, 7, 12, 0.25F);
  Values expected;
  for (const std::uint64_t sample : {8, 9}) {
    for (std::uint64_t f = 0; f < 12; ++f) expected.push_back(mask.keeps(sample, f) ? 4 : 0);
  }
  EXPECT_THAT(dropout({0.25F}, x, {5, 6, 7, 8}).values, ElementsAreArray(expected));
}

TEST(ReferenceConcat, StacksChannelsImageByImage) {
  const Tensor a(2, {1, 1, 2}, {1, 2, 3, 4});
  const Tensor b(2, {2, 1, 2}, {5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor* const parts[] = {&a, &b};
  EXPECT_THAT(concat(parts).values, ElementsAre(1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12));
}

TEST(ReferencePadShortcut, TakesEveryOtherPixelAndCentresTheChannels) {
  const Tensor x(1, {1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor y = pad_shortcut({.stride = 2, .channels = 4}, x);
  EXPECT_EQ(y.shape, (model::Shape{4, 2, 2}));
  EXPECT_THAT(y.values, ElementsAre(0, 0, 0, 0, 1, 3, 7, 9, 0, 0, 0, 0, 0, 0, 0, 0));
}

TEST(ReferenceCrossEntropy, IsTheMeanOfMinusLogProbability) {
  const Tensor logits(2, {2, 1, 1}, {0, std::log(3.0), 0, 0});
  const int labels[] = {1, 0};
  EXPECT_NEAR(cross_entropy(logits, labels, 0), (-std::log(0.75) - std::log(0.5)) / 2, kExact);
}

TEST(ReferenceCrossEntropy, SpreadsTheSmoothedShareOverAllClasses) {
  const Tensor logits(1, {4, 1, 1}, {std::log(5.0), 0, 0, 0});
  const int labels[] = {0};
  const double of_label = 1 - 0.2 + 0.2 / 4;
  const double of_another = 0.2 / 4;
  EXPECT_NEAR(cross_entropy(logits, labels, 0.2),
              -of_label * std::log(5.0 / 8) - 3 * of_another * std::log(1.0 / 8), kExact);
}

TEST(ReferenceCrossEntropy, SurvivesHugeLogits) {
  const Tensor logits(1, {2, 1, 1}, {2000, 0});
  const int labels[] = {1};
  EXPECT_NEAR(cross_entropy(logits, labels, 0), 2000, kExact);
}

}  // namespace
}  // namespace lockstep::reference
