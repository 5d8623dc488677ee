#!/usr/bin/env bash
#SBATCH --job-name=run_dist_tf
#SBATCH --output=run_dist_tf.%j.log
#SBATCH --time=00:12:00
#SBATCH --exclusive
# Trains with parameter servers in a Slurm allocation, as the launcher of that name in
# distributed-tensorflow-benchmarks did, and is set by the same variables:
#
#   TF_NUM_WORKERS      devices [one on each host of the allocation]
#   TF_NUM_PS           parameter servers [1]
#   TF_WORKER_PER_NODE  workers that a host takes [1]
#   TF_PS_PER_NODE      servers that a host takes [1]
#   TF_PS_IN_WORKER     true: servers live beside workers, from the first host on; false: on hosts of
#                       their own, the first ones [true]
#   TF_FLAGS            flags of tf_cnn_benchmarks, which lockstep takes; --num_gpus is by worker
#   TF_SCRIPT           is not run: lockstep is
#
# sbatch --nodes=4 run_dist_tf_daint.sh, or within salloc. Arguments go to lockstep sweep. The ranks'
# logs stay in the directory of results.
set -euo pipefail
script=${BASH_SOURCE[0]}
if [[ -n ${SLURM_JOB_ID-} && ! -x ${script%/*}/lockstep ]]; then  # sbatch runs a copy
  command=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/^ *Command=//p')
  script=${command%% *}
fi
root=$(readlink -f -- "$script")
root=${root%/*}

if [[ ${1-} == --help ]]; then
  sed -nE '/^set /q; s/^#( |$)//p' "$script"
  exit
fi

fail() {
  printf 'error: %s\nhint: %s\n' "$1" "${2-run_dist_tf_daint.sh --help explains all variables}" >&2
  exit 2
}

[[ -n ${SLURM_JOB_ID-} || $* == *--hosts* ]] ||
  fail "this is no Slurm allocation" "sbatch --nodes=4 run_dist_tf_daint.sh makes one; so does salloc"

: "${TF_NUM_WORKERS:=${SLURM_JOB_NUM_NODES:-${SLURM_NNODES:-1}}}"
: "${TF_NUM_PS:=1}" "${TF_WORKER_PER_NODE:=1}" "${TF_PS_PER_NODE:=1}" "${TF_PS_IN_WORKER:=true}"
for name in TF_NUM_WORKERS TF_NUM_PS TF_WORKER_PER_NODE TF_PS_PER_NODE; do
  [[ ${!name} =~ ^[1-9][0-9]{0,5}$ ]] || fail "$name is '${!name}': not a number from 1 on"
done
case $TF_PS_IN_WORKER in
  true) apart=--noservers_apart ;;
  false) apart=--servers_apart ;;
  *) fail "TF_PS_IN_WORKER is '$TF_PS_IN_WORKER': neither true nor false" ;;
esac

# A worker may have several devices. Two flags of 2017 are of no use here, or have another name now;
# all others are lockstep's, too.
devices=1
flags=()
read -ra asked <<<"${TF_FLAGS-}"
while ((${#asked[@]} > 0)); do
  case ${asked[0]} in
    --num_gpus=*) devices=${asked[0]#*=} ;;
    --num_gpus) devices=${asked[1]-}; asked=("${asked[@]:1}") ;;
    --use_nccl | --use_nccl=* | --nouse_nccl) ;;
    --learning_rate | --learning_rate=*) flags+=("--init_${asked[0]#--}") ;;
    *) flags+=("${asked[0]}") ;;
  esac
  asked=("${asked[@]:1}")
done
[[ $devices =~ ^[1-9][0-9]{0,3}$ ]] ||
  fail "--num_gpus in TF_FLAGS is '$devices': not a number from 1 on"

cat <<END
--- Distributed LOCKSTEP ---
--- Number of PS: $TF_NUM_PS
--- Number of WORKERS: $TF_NUM_WORKERS
--- PS / node: $TF_PS_PER_NODE
--- WORKERS / node: $TF_WORKER_PER_NODE
--- Hosts: ${SLURM_JOB_NODELIST-}
END
[[ -z ${TF_SCRIPT-} || ${TF_SCRIPT##*/} == tf_cnn_benchmarks.py ]] ||
  echo "note: $TF_SCRIPT is not run: lockstep is" >&2

exec "$root/lockstep" sweep --launcher=slurm --strategies=parameter_server --repeats=1 --noceiling \
  --live "${flags[@]}" "--devices=$((TF_NUM_WORKERS * devices))" "--num_ps=$TF_NUM_PS" \
  "--devices_per_host=$((TF_WORKER_PER_NODE * devices))" "--servers_per_host=$TF_PS_PER_NODE" \
  "$apart" "$@"
