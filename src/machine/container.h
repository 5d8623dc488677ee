#pragma once

#include <filesystem>
#include <string>

namespace lockstep::machine {

// The container and the virtual machine that this process runs in: "docker", "kvm",
// "docker, kvm"; empty on bare metal, or where they hide.
std::string container(const std::filesystem::path& root = "/");

// The virtual machine alone: "kvm", "a virtual machine"; empty: none is known of.
std::string hypervisor();

}  // namespace lockstep::machine
