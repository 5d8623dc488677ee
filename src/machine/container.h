#pragma once

#include <filesystem>
#include <string>

namespace lockstep::machine {

// The container and the virtual machine that this process runs in: "docker", "kvm",
// "docker, kvm"; empty on bare metal, or where they hide.
std::string container(const std::filesystem::path& root = "/");

}  // namespace lockstep::machine
