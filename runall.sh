#!/usr/bin/env bash
# tfperftest's name for the same with a list of networks: runall.sh -m Inceptionv3:32,Alexnet:512 ...
root=$(readlink -f -- "${BASH_SOURCE[0]}")
exec "${root%/*}/runscalabilitytest.sh" "$@"
