#include <gtest/gtest.h>

#include <set>

#include "model/zoo.h"

namespace lockstep::model {
namespace {

constexpr std::int64_t kUnknown = -1;

// What the networks of the predecessors and of torchvision amount to: published or counted from
// their own layers.
struct Row {
  const char* name;
  int image_size, batch_size, classes;
  std::int64_t parameters, batch_norm_parameters, moving_statistics, tensors, macs, conv_layers,
      conv_outputs;
};

constexpr Row kRows[] = {
    {"alexnet", 227, 512, 1001, 61'842'345, 0, 0, 16, 838'792'896, 5, 506'624},
    {"alexnet_ab", 224, 256, 1000, 61'100'840, 0, 0, 16, 716'767'232, 5, 492'096},
    {"alexnet_cifar", 32, 128, 11, 1'756'619, 0, 0, 10, 32'778'304, 2, 81'920},
    {"vgg11", 224, 64, 1001, 132'867'433, 0, 0, 22, 7'609'094'144, 8, 7'426'048},
    {"vgg16", 224, 64, 1001, 138'361'641, 0, 0, 32, 15'470'268'416, 13, 13'547'520},
    {"vgg19", 224, 64, 1001, 143'671'337, 0, 0, 38, 19'632'066'560, 16, 14'852'096},
    {"lenet", 28, 32, 1001, 2'173'353, 0, 0, 8, 14'034'944, 2, 37'632},
    {"mnist_deep", 28, 50, 10, 3'274'634, 0, 0, 8, 13'883'904, 2, 37'632},
    {"overfeat", 231, 32, 1001, 145'924'969, 0, 0, 16, 2'801'408'000, 5, 817'152},
    {"trivial", 227, 32, 1001, 4'263'877, 0, 0, 6, 4'258'779, 0, 0},
    {"trivial_cifar", 32, 32, 11, 56'332, 0, 0, 6, 52'224, 0, 0},
    {"googlenet", 224, 32, 1001, 6'999'577, 0, 0, 116, 1'582'672'896, 57, 3'226'160},
    {"inception3", 299, 32, 1001, 23'819'401, 17'216, 34'432, 190, 5'713'218'144, 94, 8'967'488},
    {"inception4", 299, 32, 1001, 42'649'769, 31'584, 63'168, 300, 12'253'976'160, 149, 15'089'184},
    {"resnet50", 224, 64, 1001, 25'559'081, 53'120, 53'120, 161, 3'857'975'296, 53, 10'587'136},
    {"resnet50_v1.5", 224, 64, 1001, 25'559'081, 53'120, 53'120, 161, 4'089'186'304, 53,
     11'113'984},
    {"resnet50_v2", 224, 64, 1001, 25'536'361, 30'400, 45'568, 138, 3'857'975'296, 53, 10'587'136},
    {"resnet101", 224, 32, 1001, 44'551'209, 105'344, 105'344, 314, 7'570'196'480, 104, 15'705'088},
    {"resnet101_v1.5", 224, 32, 1001, 44'551'209, 105'344, 105'344, 314, 7'801'407'488, 104,
     16'231'936},
    {"resnet101_v2", 224, 32, 1001, 44'511'081, 65'216, 97'792, 274, 7'570'196'480, 104,
     15'705'088},
    {"resnet152", 224, 32, 1001, 60'194'857, 151'424, 151'424, 467, 11'282'417'664, 155,
     22'027'264},
    {"resnet152_v1.5", 224, 32, 1001, 60'194'857, 151'424, 151'424, 467, 11'513'628'672, 155,
     22'554'112},
    {"resnet152_v2", 224, 32, 1001, 60'139'369, 95'936, 143'872, 410, 11'282'417'664, 155,
     22'027'264},
    {"resnet152_ab", 224, 256, 1000, 60'185'128, 143'744, 143'744, 459, 11'282'415'616, 155,
     22'027'264},
    {"resnet20", 32, 128, 11, 269'787, 1'376, 1'376, 59, 40'551'104, 19, 188'416},
    {"resnet20_v2", 32, 128, 11, 269'467, 1'056, 1'408, 51, 40'551'104, 19, 188'416},
    {"resnet32", 32, 128, 11, 464'219, 2'272, 2'272, 95, 68'862'656, 31, 303'104},
    {"resnet32_v2", 32, 128, 11, 463'675, 1'728, 2'304, 81, 68'862'656, 31, 303'104},
    {"resnet44", 32, 128, 11, 658'651, 3'168, 3'168, 131, 97'174'208, 43, 417'792},
    {"resnet44_v2", 32, 128, 11, 657'883, 2'400, 3'200, 111, 97'174'208, 43, 417'792},
    {"resnet56", 32, 128, 11, 853'083, 4'064, 4'064, 167, 125'485'760, 55, 532'480},
    {"resnet56_v2", 32, 128, 11, 852'091, 3'072, 4'096, 141, 125'485'760, 55, 532'480},
    {"resnet110", 32, 128, 11, 1'728'027, 8'096, 8'096, 329, 252'887'744, 109, 1'048'576},
    {"resnet110_v2", 32, 128, 11, 1'726'027, 6'096, 8'128, 276, 252'887'744, 109, 1'048'576},
    {"densenet40_k12", 32, 64, 11, 357'491, 7'280, 7'280, 158, 151'555'896, 39, 240'640},
    {"densenet100_k12", 32, 64, 11, 2'217'411, 42'240, 42'240, 398, 959'893'896, 99, 563'200},
    {"densenet100_k24", 32, 64, 11, 8'659'995, 83'424, 83'424, 398, 3'724'206'864, 99, 1'110'016},
    {"inception3_aux", 299, 32, 1001, 27'145'970, 18'112, 36'224, 196, 5'718'902'112, 96, kUnknown},
    {"mnist_softmax", 28, 100, 10, 7'850, 0, 0, 2, 7'840, 0, 0},
    {"mnist_mlp", 28, 64, 10, 109'386, 0, 0, 6, 109'184, 0, 0},
    {"resnet18", 224, 64, 1001, 11'690'025, 9'600, 9'600, 62, 1'814'073'856, 20, kUnknown},
    {"resnet34", 224, 64, 1001, 21'798'185, 17'024, 17'024, 110, 3'663'761'920, 36, kUnknown},
    {"mobilenet", 224, 32, 1001, 3'506'153, 34'112, 34'112, 158, 300'775'552, 52, kUnknown},
    {"mobilenet_v1", 224, 32, 1001, 4'233'001, 21'888, 21'888, 83, 568'741'376, 27, kUnknown},
};

TEST(Zoo, HasTheKnownSizesInEveryModel) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    const Model& model = find(row.name);
    EXPECT_EQ(model.image_size, row.image_size);
    EXPECT_EQ(model.batch_size, row.batch_size);
    EXPECT_EQ(model.classes, row.classes);
    const Graph graph = build(model);
    EXPECT_EQ(graph.classes(), row.classes);
    const Cost c = cost(graph);
    EXPECT_EQ(c.parameters, row.parameters);
    EXPECT_EQ(c.batch_norm_parameters, row.batch_norm_parameters);
    EXPECT_EQ(c.moving_statistics, row.moving_statistics);
    EXPECT_EQ(c.tensors, row.tensors);
    EXPECT_EQ(c.macs, row.macs);
    EXPECT_EQ(c.conv_layers, row.conv_layers);
    if (row.conv_outputs != kUnknown) {
      EXPECT_EQ(c.conv_outputs, row.conv_outputs);
    }
  }
}

TEST(Zoo, ListsEveryModelOnceAndNoneWithoutKnownSizes) {
  std::set<std::string_view> listed;
  for (const Model& model : zoo()) EXPECT_TRUE(listed.insert(model.name).second) << model.name;
  std::set<std::string_view> known;
  for (const Row& row : kRows) known.insert(row.name);
  EXPECT_EQ(listed, known);
}

TEST(Zoo, GivesEveryLayerItsOwnName) {
  for (const Model& model : zoo()) {
    const Graph graph = build(model);
    std::set<std::string> names;
    for (const Layer& layer : graph.layers) EXPECT_TRUE(names.insert(layer.name).second);
  }
}

TEST(Zoo, DrawsEveryWeightFromADistribution) {
  for (const Model& model : zoo()) {
    for (const Parameter& parameter : parameters(build(model))) {
      if (parameter.role != Parameter::Role::weights) continue;
      EXPECT_NE(parameter.init.kind, Init::Kind::constant) << model.name << ' ' << parameter.name;
      EXPECT_GT(parameter.init.value, 0) << model.name << ' ' << parameter.name;
    }
  }
}

}  // namespace
}  // namespace lockstep::model
