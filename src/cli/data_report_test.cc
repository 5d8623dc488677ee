#include "cli/data_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace lockstep::cli {
namespace {

using data::Index;
using data::Split;

Index index() {
  Index index{.format = "tfrecord", .encoding = data::Encoding::example};
  index.files = {{"train-0-of-2", Split::train, 1000, 0},
                 {"train-1-of-2", Split::train, 1048, 0},
                 {"validation-0-of-1", Split::validation, 500, 0}};
  index.of(Split::train) = {
      {.label = 1, .length = 100}, {.label = 1, .length = 200}, {.label = 3, .length = 300}};
  index.of(Split::validation) = {{.label = data::kNoLabel, .length = 400}};
  index.see_shape(3, 20, 30);
  index.see_shape(1, 40, 30);
  index.see_class(1, "ant");
  index.faults.assign(25, {1, {77, "damaged"}});
  return index;
}

TEST(DatasetText, TellsWhatThereIs) {
  std::string expected =
      "dir: tfrecord\n"
      "images: 1..3 x 20..40 x 30 (channels x rows x columns)\n"
      "classes: 2, labels 1 to 3\n"
      "\n"
      "split       records  bytes  files  file bytes  classes  records of a class\n"
      "----------  -------  -----  -----  ----------  -------  ------------------\n"
      "train             3  600 B      2    2.00 KiB        2                1..2\n"
      "validation        1  400 B      1       500 B        0                0..0\n"
      "\n"
      "errors: 25\n";
  for (int i = 0; i < 20; ++i) expected += "  dir/train-1-of-2: at byte 77: damaged\n";
  EXPECT_EQ(dataset_text(index(), "dir"), expected + "  ...\n");
}

TEST(DatasetJson, TellsWhatThereIs) {
  const auto json = nlohmann::json::parse(dataset_json(index(), "dir"));
  EXPECT_EQ(json["schema"], nlohmann::json({{"name", "lockstep-dataset"}, {"version", 1}}));
  EXPECT_EQ(json["encoding"], "example");
  EXPECT_EQ(json["splits"]["train"], nlohmann::json({{"records", 3},
                                                     {"bytes", 600},
                                                     {"files", 2},
                                                     {"file_bytes", 2048},
                                                     {"classes", 2},
                                                     {"unlabelled", 0},
                                                     {"records_per_class", {1, 2}}}));
  EXPECT_EQ(json["splits"]["validation"]["unlabelled"], 1);
  EXPECT_EQ(json["images"],
            nlohmann::json({{"channels", {1, 3}}, {"height", {20, 40}}, {"width", {30, 30}}}));
  EXPECT_EQ(json["classes"],
            nlohmann::json({{"count", 2}, {"labels", {1, 3}}, {"names", {"", "ant"}}}));
  EXPECT_EQ(json["error_count"], 25);
  EXPECT_EQ(json["errors"].size(), 20U);
  EXPECT_EQ(json["errors"][0],
            nlohmann::json({{"file", "train-1-of-2"}, {"offset", 77}, {"message", "damaged"}}));
}

}  // namespace
}  // namespace lockstep::cli
