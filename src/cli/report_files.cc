#include "cli/report_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/text.h"
#include "cli/figure_formats.h"
#include "report/notebook.h"
#include "report/report_page.h"
#include "report/tensorboard.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
using lockstep::report::Evidence;

std::string machines(const Evidence& evidence) {
  std::vector<std::string> lines;
  for (const auto& sweep : evidence.sweeps) {
    if (std::ranges::count(lines, sweep.machine) == 0) lines.push_back(sweep.machine);
  }
  return join(lines, " ");
}

// An earlier report's, of which TensorBoard would make runs of this one.
void remove_events(const fs::path& directory) {
  std::error_code none;
  for (const auto& run : fs::directory_iterator(directory, none)) {
    if (!fs::is_directory(run.symlink_status(none))) continue;
    for (const auto& file : fs::directory_iterator(run.path(), none)) {
      const std::string name = file.path().filename().string();
      const bool ours = name.starts_with("events.out.tfevents.") && name.ends_with(".lockstep");
      if (ours) fs::remove(file.path(), none);
    }
    fs::remove(run.path(), none);  // unless there is something else in it
  }
}

// Files of an earlier report that this one may not write: nobody shall take them for its own. What
// others have put beside them stays.
void remove_earlier(const fs::path& directory) {
  remove_events(directory / "tensorboard");
  if (!fs::exists(directory / "report.html")) return;
  std::error_code none;
  for (const char* name : {"report.ipynb", "report.tex", "results.csv", "summary.csv"})
    fs::remove(directory / name, none);
  for (const std::string_view name : lockstep::report::kFigureNames) {
    fs::remove(directory / fmt::format("{}.svg", name), none);
    for (const std::string_view format : kFigureFormats) {
      fs::remove(directory / fmt::format("{}.{}", name, format), none);
    }
  }
}

}  // namespace

void write_report(const Evidence& evidence, const fs::path& directory,
                  const std::vector<std::string>& formats,
                  const std::function<void(const fs::path&)>& on_file) {
  make_directory(directory, "--output names another");
  remove_earlier(directory);
  const auto put = [&](const std::string& name, const std::string& text) {
    write_file(directory / name, text);
    on_file(directory / name);
  };
  put("report.html", lockstep::report::report_page(evidence));
  put("report.md", report_markdown(evidence));
  if (!evidence.sweeps.empty()) {  // else there are collectives alone
    put("report.ipynb", notebook(evidence));
    put("report.tex", report_tex(evidence));
    put("results.csv", lockstep::report::results_csv(evidence.sweeps));
    put("summary.csv", lockstep::report::summary_csv(evidence.sweeps));
  }
  const auto events = event_files(evidence);
  for (const auto& file : events) {
    const fs::path run = directory / "tensorboard" / file.run;
    make_directory(run);
    write_file(run / file.name, file.content);
  }
  if (!events.empty()) on_file(directory / "tensorboard");
  std::vector<std::string> names;
  for (const auto& figure : figures(evidence)) {
    put(figure.name + ".svg", svg_file(figure, machines(evidence)));
    names.push_back(figure.name);
  }
  draw_as(formats, names, directory);
  for (const std::string& format : formats) {
    for (const std::string& name : names) {
      on_file(directory / fmt::format("{}.{}", name, format));
    }
  }
}

}  // namespace lockstep::cli
