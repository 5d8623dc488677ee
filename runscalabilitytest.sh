#!/usr/bin/env bash
# Measures how training scales, with the flags and the files of two earlier scalability tests.
set -euo pipefail
root=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${root%/*}

help() {
  cat <<'END'
usage: runscalabilitytest.sh -m NAME -b BATCH -h FILE -g DEVICES -r DIR -x MOST
       runscalabilitytest.sh -m NAME:BATCH,... -h FILE -n HOSTS -g DEVICES -r DIR -u USER -p KEY

Measures networks on 1, 2, 4, ... devices with lockstep sweep. It takes the flags of tfperftest (the
first line) and of deeplearning-benchmark (the second). Where both have a flag it means the same in
both, so there is no mode to choose: -m takes one name with -b, or a list with batches; -x is the
largest number of devices, without it all that the hosts have. Any of them may be left out.

  -m, --model, --models NAME[:BATCH],...
        alexnet, inceptionv3 and resnet are the networks of those tests: lockstep's alexnet_ab,
        inception3_aux and resnet152_ab; every other name is lockstep's own
        [Alexnet:128,Inceptionv3:8; with -t p2.*: Alexnet:512,Inceptionv3:32]
  -b, --batch_size BATCH                    per device, of names without one
  -h, --nodes_file, --hosts FILE            a line for each host: its address, ssh's name for it
        [$DEEPLEARNING_WORKERS_PATH, else the deeplearning-workers of /etc/hosts, as a file nodes,
        else this machine]
  -n, --hosts_count HOSTS                   only the first of them
  -g, --gpu_per_machine, --gpu_per_host N   devices of each host [1; of this machine alone: its
                                            cores]
  -t, --ec2_instance_type TYPE              stands for the -g of p2.xlarge, p2.8xlarge, p2.16xlarge,
                                            g2.2xlarge, g2.8xlarge
  -x, --max_gpu MOST                        the last number of devices; always measured
  -r, --remote_dir DIR                      of the hosts, for the program [/tmp]
  -u, --user USER, -p, --pem KEY            for ssh
      --help                                this text

Every other flag goes to lockstep sweep: --repeats=5, --strategies=replicated, --dry_run. So does
the environment: LOCKSTEP_NUM_BATCHES=20. A device is a group of cores; devices exchange gradients
through parameter servers, of which each device is one, and a single device goes without.

Writes, in this directory, logs/NAME_bBATCH.csv, .csv.ideal and .svg, csv_lockstep/NAME_bBATCH.csv
and comparison_graph.svg (docs/formats.md), and all that was measured to results/.
END
}

fail() {
  printf 'error: %s\nhint: %s\n' "$1" "${2-runscalabilitytest.sh --help explains all flags}" >&2
  exit 2
}

# name:batch,... with the zoo's names for what these tests called so.
networks() {
  sed -E 's/ //g; s/\balexnet\b/alexnet_ab/Ig; s/\binceptionv3\b/inception3_aux/Ig
          s/\bresnet\b/resnet152_ab/Ig' <<<"$1"
}

devices_of_instance() {
  case $1 in
    p2.16xlarge) echo 16 ;;
    p2.8xlarge) echo 8 ;;
    g2.8xlarge) echo 4 ;;
    p2.xlarge | g2.2xlarge) echo 1 ;;
    *) fail "Unknown EC2 instance type $1." "say with -g how many devices each host has" ;;
  esac
}

# --- What is asked for ----------------------------------------------------------------------------

declare -A given=()
others=()  # for lockstep
while (($# > 0)); do
  flag=${1%%=*}
  case $flag in
    --help) help; exit ;;
    -m | --model | --models) name=models ;;
    -b | --batch_size) name=batch_size ;;
    -h | --nodes_file | --hosts) name=hosts_file ;;
    -n | --hosts_count) name=num_hosts ;;
    -g | --gpu_per_machine | --gpu_per_host) name=devices_per_host ;;
    -t | --ec2_instance_type) name=instance ;;
    -x | --max_gpu) name=most ;;
    -r | --remote_dir) name=remote_dir ;;
    -u | --user) name=ssh_user ;;
    -p | --pem) name=ssh_key ;;
    *) others+=("$1"); shift; continue ;;
  esac
  if [[ $1 == *=* ]]; then
    value=${1#*=}
  else
    value=${2-}
    [[ $value != -* ]] || value=  # the next flag
    shift
  fi
  [[ -n ${value// /} ]] || fail "$flag needs a value"
  case $name in
    batch_size | num_hosts | devices_per_host | most)
      [[ $value =~ ^[1-9][0-9]{0,8}$ ]] || fail "$flag is '$value': not a number from 1 on" ;;
  esac
  given[$name]=$value
  shift
done

# --- What that is for lockstep --------------------------------------------------------------------

instance=${given[instance]-}
if [[ -n $instance && -z ${given[devices_per_host]-} ]]; then
  given[devices_per_host]=$(devices_of_instance "$instance")
fi
models=Alexnet:128,Inceptionv3:8
[[ $instance != p2.* ]] || models=Alexnet:512,Inceptionv3:32
if [[ -z ${given[hosts_file]-}${DEEPLEARNING_WORKERS_PATH-} ]]; then
  workers=$(sed -nE 's/^([^#[:space:]]+)[[:space:]]+(deeplearning-worker[^[:space:]]*).*/\1 \2/p' /etc/hosts)
  if [[ -n $workers ]]; then
    [[ ! -e nodes || $(<nodes) == "$workers" ]] ||
      fail "/etc/hosts has deeplearning-workers, and a file nodes is here already" "-h nodes takes it"
    echo "$workers" >nodes
    given[hosts_file]=nodes
  fi
fi
if [[ -n ${given[hosts_file]-}${DEEPLEARNING_WORKERS_PATH-} ]]; then
  : "${given[remote_dir]:=/tmp}"
fi

flags=("--models=$(networks "${given[models]-$models}")" --strategies=parameter_server --noceiling
  --curves_dir=.)
[[ -z ${given[most]-} ]] || flags+=("--devices=1:${given[most]}")
for name in batch_size hosts_file num_hosts devices_per_host remote_dir ssh_user ssh_key; do
  [[ -z ${given[$name]-} ]] || flags+=("--$name=${given[$name]}")
done
exec "$root/lockstep" sweep "${flags[@]}" "${others[@]}"
