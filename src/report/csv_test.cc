#include "report/csv.h"

#include <gtest/gtest.h>

namespace lockstep::report {
namespace {

TEST(CsvText, DisarmsWhatASpreadsheetWouldCompute) {
  EXPECT_EQ(csv_text("=1+2"), "'=1+2");
  EXPECT_EQ(csv_text("=HYPERLINK(\"http://x\",\"y\")"),
            "\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\"");
  EXPECT_EQ(csv_text("-net"), "'-net");
  EXPECT_EQ(csv_text("@net"), "'@net");
  EXPECT_EQ(csv_text("+net"), "'+net");
  EXPECT_EQ(csv_text("\tnet"), "'\tnet");
  EXPECT_EQ(csv_text("alexnet-b8=1"), "alexnet-b8=1");
  EXPECT_EQ(csv_text(""), "");
}

TEST(CsvText, IsReadBackAsItWas) {
  for (const char* text : {"=1", "'=1", "''=1", "'net'", "'", "-", "net", ""}) {
    EXPECT_EQ(text_of_csv(csv_text(text)), text);
  }
}

}  // namespace
}  // namespace lockstep::report
