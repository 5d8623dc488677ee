#include "report/notebook.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "result/metrics.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

// A notebook has a text as a list of its lines.
Json lines_of(const std::string& text) {
  Json lines = Json::array();
  const std::vector<std::string> parts = split(text, '\n');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (!last || !parts[i].empty()) lines.push_back(parts[i] + (last ? "" : "\n"));
  }
  return lines;
}

Json markdown(const std::string& id, const std::string& text) {
  return {{"cell_type", "markdown"},
          {"id", id},
          {"metadata", Json::object()},
          {"source", lines_of(text)}};
}

Json code(const std::string& id, const std::string& text, Json outputs = Json::array()) {
  return {
      {"cell_type", "code"},        {"execution_count", nullptr},    {"id", id},
      {"metadata", Json::object()}, {"outputs", std::move(outputs)}, {"source", lines_of(text)}};
}

Json picture(const Figure& figure, std::string_view machine) {
  Json outputs = Json::array();
  if (figure.panels.empty()) return outputs;
  const Json data = {{"image/svg+xml", lines_of(svg_file(figure, machine))}};
  outputs.push_back(
      Json{{"data", data}, {"metadata", Json::object()}, {"output_type", "display_data"}});
  return outputs;
}

// Whatever a name in it contains: a string of JSON is one of Python.
std::string as_python(const std::string& csv) {
  std::string text = "import io\nimport matplotlib.pyplot as plt\nimport pandas as pd\n\nCSV = (\n";
  for (const std::string& line : split(csv, '\n')) {
    if (line.empty()) continue;
    text += "    " + Json(line + '\n').dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  return text + ")\nresults = pd.read_csv(io.StringIO(CSV))\nresults";
}

// Of several batches, inputs and numbers of servers each has a plot or a curve of its own.
constexpr const char* kPlot = R"py(measured = results[results.status == "measured"].copy()
batch = measured.batch_per_device.where(measured.scaling == "weak", measured.batch_global)
measured["batch"] = "batch " + batch.astype(str)


def text_of(first, *others):
    columns = [first] + [column for column in others if measured[column].nunique() > 1]
    return [", ".join(row) for row in measured[columns].fillna("").astype(str).values]


measured["series"] = text_of("model", "run_id", "scaling", "batch", "input")
measured["choice"] = text_of("strategy", "num_ps", "data_format")


def plot(column, label, logarithmic=False):
    for series, part in measured.groupby("series", sort=False):
        figure, axes = plt.subplots()
        for choice, curve in part.groupby("choice", sort=False):
            curve = curve.sort_values("devices")
            low = (curve[column] - curve[column + "_ci95_lo"]).fillna(0).clip(lower=0)
            high = (curve[column + "_ci95_hi"] - curve[column]).fillna(0).clip(lower=0)
            axes.errorbar(curve.devices, curve[column], [low, high], marker="o", capsize=3,
                          label=choice.replace("$", r"\$"))
        axes.set_xscale("log", base=2)
        if logarithmic:
            axes.set_yscale("log", base=2)
        axes.set(xlabel="devices", ylabel=label)
        axes.set_title(series.replace("$", r"\$"))
        axes.legend()
        plt.show()
)py";

constexpr const char* kShares =
    R"py(bars = measured.set_index(["series", "choice", "devices"])[["share_" + part for part in shares]]
if len(bars) and bars.notna().all(axis=None):
    axes = bars.plot.barh(stacked=True, figsize=(8, 1 + 0.4 * len(bars)))
    axes.invert_yaxis()
    axes.set(xlabel="share of the step", ylabel="")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    plt.show()
)py";

// The parts of a step, by their columns of results.csv.
std::string shares() {
  std::vector<std::string> names;
  for (const result::StepPart& part : result::step_parts()) {
    names.push_back(fmt::format("\"{}\"", part.name));
  }
  return fmt::format("shares = [{}]\n", join(names, ", "));
}

}  // namespace

std::string notebook(const Evidence& evidence) {
  const std::string machine =
      evidence.sweeps.size() == 1 ? evidence.sweeps.front().machine : std::string();
  const auto drawn = [&](Figure figure) { return picture(figure, machine); };
  Json cells = {
      markdown("title",
               "# How training scales\n\n`CSV` is `results.csv`; `docs/formats.md` of lockstep "
               "explains its columns."),
      code("data", as_python(results_csv(evidence.sweeps))),
      code("plot", kPlot),
      code("throughput", "plot(\"images_per_s\", \"images/s\", logarithmic=True)",
           drawn(throughput_figure(evidence.sweeps))),
      code("speed_up", "plot(\"speedup\", \"speed-up\", logarithmic=True)",
           drawn(speed_up_figure(evidence.sweeps))),
      code("efficiency", "plot(\"efficiency\", \"efficiency\")",
           drawn(efficiency_figure(evidence.sweeps))),
      code("step_time", shares() + kShares, drawn(step_time_figure(evidence.sweeps))),
  };
  const Json document = {
      {"cells", cells},
      {"metadata",
       {{"kernelspec", {{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}}},
        {"language_info", {{"name", "python"}}}}},
      {"nbformat", 4},
      {"nbformat_minor", 5}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace lockstep::report
