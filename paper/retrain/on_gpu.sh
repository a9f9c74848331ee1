#!/usr/bin/env bash
# Train the plan on a machine with a GPU, within a time limit, from a checkout without an environment.
# The first attempt is killed once it has written a checkpoint, which shows that runs go on.
#
#   paper/retrain/on_gpu.sh ARCHIVES [SECONDS] [ARGUMENT of python -m paper.retrain …]
#
# Wheels of packages that the machine lacks may lie in wheels/, archives of an earlier call, which is
# then continued, in $EARLIER. A call on the same machine continues by itself, and is not killed.
# RUNS and SLOTS replace the folder of runs and the number of processes.
set -u
out=$1 end=${2:-570}
shift $(($# < 2 ? $# : 2))
python=$(command -v "${PYTHON:-python}")
runs=${RUNS:-/tmp/runs}
if [ -z "${INSTALLED:-}" ]; then
  [ -d wheels ] && uv pip install -q --offline --python "$python" --no-deps wheels/*.whl
  uv pip install -q --offline --python "$python" --no-build-isolation --no-deps . || exit 1
fi
echo "installed after $SECONDS s"
# Better now than after minutes.
"$python" -c "import torch, typer, paper.retrain.__main__, multicut.training.runner" || exit 1
mkdir -p "$out"
started="$runs/started"
if [ ! -e "$started" ]; then
  mkdir -p "$runs"
  for archive in "${EARLIER:-/nowhere}"/*.tar*; do
    [ -f "$archive" ] && tar -xf "$archive" -C "$runs"
  done
  touch "$started" && is_first=1
fi # else what is there is newer than the archives
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}

train() {
  exec "$python" -m paper.retrain -o "$runs" --slots "${SLOTS:-9}" --time-limit $((end - SECONDS)) \
    --keep-going --archive "$out" --set checkpoint_every=25000 \
    --weights gcn --weights gin0 --weights sgcn --weights lr --weights mlp --weights gt --weights rggcn "$@"
}
progress() {
  for curve in "$runs"/*/training.csv "$runs"/trunks/*/training.csv; do
    [ -s "$curve" ] && echo "  $(tail -n 1 "$curve" | cut -d, -f2) $(basename "$(dirname "$curve")")"
  done
}

if [ -n "${is_first:-}" ]; then
  # Killed without MPS, whose server need not survive the violent end of a client.
  set -m
  train "$@" &
  first=$!
  set +m
  until [ -n "$(find "$runs" -name last.ckpt -newer "$started")" ]; do
    kill -0 $first 2>/dev/null && [ $SECONDS -lt $((end / 4)) ] || break
    sleep 0.5
  done
  sleep "${SECONDS_BEFORE_THE_KILL:-1}"
  kill -9 -- -$first
  wait $first 2>/dev/null
  echo "killed after $SECONDS s at so many logged instances:"
  progress
fi

if command -v nvidia-cuda-mps-control >/dev/null; then
  export CUDA_MPS_PIPE_DIRECTORY=/tmp/mps CUDA_MPS_LOG_DIRECTORY=/tmp/mps-log
  mkdir -p $CUDA_MPS_PIPE_DIRECTORY $CUDA_MPS_LOG_DIRECTORY
  nvidia-cuda-mps-control -d && trap 'echo quit | nvidia-cuda-mps-control' EXIT
fi
(train "$@")
code=$?
echo "ended after $SECONDS s with $code"
ls -l "$out"
exit $code
