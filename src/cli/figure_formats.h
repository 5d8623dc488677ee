#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

// What figures can be drawn as beside SVG, which the others are made of.
inline constexpr std::string_view kFigureFormats[] = {"png", "pdf"};

// Draws NAME.svg of a directory as NAME.png, NAME.pdf, with rsvg-convert. Throws Error(environment)
// where that is not installed or fails.
void draw_as(std::span<const std::string> formats, std::span<const std::string> names,
             const std::filesystem::path& directory);

}  // namespace lockstep::cli
