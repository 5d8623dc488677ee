// A folder of images for each class: the name of the folder is the class.

#include <algorithm>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "data/formats.h"
#include "data/image_file.h"

namespace lockstep::data {
namespace {

namespace fs = std::filesystem;

bool is_image(const fs::path& path) {
  const std::string suffix = lower(path.extension().string());
  return suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png";
}

// Adds below/CLASS/IMAGE of all classes.
void find_classes(const fs::path& directory, const fs::path& below, Split split,
                  std::vector<FoundFile>& found) {
  if (!fs::is_directory(directory / below)) return;
  for (const auto& folder : fs::directory_iterator(directory / below)) {
    if (!folder.is_directory()) continue;
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (!is_image(file.path())) continue;
      const fs::path path = below / folder.path().filename() / file.path().filename();
      found.push_back({path.string(), split});
    }
  }
}

std::string class_of(const IndexedFile& file) {
  return fs::path(file.path).parent_path().filename().string();
}

}  // namespace

std::vector<FoundFile> find_folder(const fs::path& directory) {
  std::vector<FoundFile> found;
  find_classes(directory, "train", Split::train, found);
  for (const char* name : {"val", "validation", "test"}) {
    const std::size_t before = found.size();
    find_classes(directory, name, Split::validation, found);
    if (found.size() > before) break;
  }
  if (found.empty()) find_classes(directory, "", Split::train, found);
  std::ranges::sort(found, {}, &FoundFile::path);
  return found;
}

void scan_folder(const fs::path& directory, Index& index) {
  std::set<std::string> names;  // of both splits, so that both number them alike
  for (const IndexedFile& file : index.files) names.insert(class_of(file));
  index.class_names.assign(names.begin(), names.end());
  std::map<std::string, std::int32_t> labels;
  for (const std::string& name : names) {
    labels.emplace(name, static_cast<std::int32_t>(labels.size()));
  }
  for (std::uint32_t i = 0; i < index.files.size(); ++i) {
    const IndexedFile& file = index.files[i];
    const auto image = parse_image_header(bytes_of(read_file(directory / file.path, kLargestData)));
    if (const auto* fault = std::get_if<Fault>(&image)) {
      index.faults.push_back({i, *fault});
      continue;
    }
    const auto& header = std::get<ImageHeader>(image);
    index.see_shape(header.channels, header.height, header.width);
    index.of(file.split)
        .push_back({.file = i, .label = labels.at(class_of(file)), .length = file.bytes});
  }
}

}  // namespace lockstep::data
