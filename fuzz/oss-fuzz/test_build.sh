#!/usr/bin/env bash
# Plays the builder and the runner of OSS-Fuzz on this machine: builds with its flags, moves $OUT
# elsewhere, deletes $WORK, and asks of every target what its checks ask.
#
#   fuzz/oss-fuzz/test_build.sh [ENGINE-SANITIZER...]
#
# By default libfuzzer-address, libfuzzer-undefined and afl-address. Wants clang-19, zip, unzip and,
# for afl, afl++. TEST_FOLDER names a folder to work in, which is kept.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${TEST_FOLDER:-$(mktemp -d)}
[ -n "${TEST_FOLDER-}" ] || trap 'rm -rf "$folder"' EXIT

# Of base-clang and base-builder (ubuntu-24-04).
flags='-O1 -fno-omit-frame-pointer -gline-tables-only'
flags+=' -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION'
declare -A sanitizers
sanitizers[address]='-fsanitize=address -fsanitize-address-use-after-scope'
kinds=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return
kinds+=,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr
sanitizers[undefined]="-fsanitize=$kinds,unsigned-integer-overflow -fno-sanitize-recover=$kinds"
coverage=-fsanitize=fuzzer-no-link

# Of base-runner.
export ASAN_OPTIONS=alloc_dealloc_mismatch=0:allocator_may_return_null=1
ASAN_OPTIONS+=:allocator_release_to_os_interval_ms=500:check_malloc_usable_size=0
ASAN_OPTIONS+=:detect_container_overflow=1:detect_odr_violation=0:detect_leaks=1
ASAN_OPTIONS+=:detect_stack_use_after_return=1:fast_unwind_on_fatal=0:handle_abort=1:handle_segv=1
ASAN_OPTIONS+=:handle_sigill=1:max_uar_stack_size_log=16:print_scariness=1:quarantine_size_mb=10
ASAN_OPTIONS+=:strict_memcmp=1:symbolize=1:use_sigaltstack=1:dedup_token_length=3
export UBSAN_OPTIONS=print_stacktrace=1:print_summary=1:silence_unsigned_overflow=1:symbolize=1

build() {  # ENGINE SANITIZER, in the folder of the two
  export FUZZING_ENGINE=$1 SANITIZER=$2 SRC=$PWD/src WORK=$PWD/work OUT=$PWD/out
  mkdir -p "$SRC" "$WORK" "$OUT"
  ln -sfn "$root" "$SRC/wddmcheck"
  export CFLAGS="$flags ${sanitizers[$2]}"
  if [ "$1" = afl ]; then
    export CC=afl-clang-fast CXX=afl-clang-fast++ AFL_QUIET=1
    export LIB_FUZZING_ENGINE=/usr/lib/afl/libAFLDriver.a
  else
    export CC=clang-19 CXX=clang++-19 LIB_FUZZING_ENGINE=-fsanitize=fuzzer CFLAGS="$CFLAGS $coverage"
  fi
  export CXXFLAGS="$CFLAGS -stdlib=libc++"
  bash -eu "$root/fuzz/oss-fuzz/build.sh"
}

fail() {
  echo "test_build: $*" >&2
  exit 1
}

# What is loaded lies with the target, or is in every image.
check_libraries() {  # TARGET
  local others
  others=$(ldd "$1" | awk '$3 ~ /^\// {print $3}' | grep -vF "$(dirname "$1")/lib/" |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libresolv)\.so') || return 0
  fail "$1: the runner lacks $others"
}

asan_options() {  # TARGET
  sed -n '/^\[asan\]/,/^\[/s/ *= */=/p' "$1.options" | tr '\n' ':'
}

run_libfuzzer() {  # TARGET
  local corpus=$1.corpus options
  mkdir "$corpus" && : > "$1.empty"
  options=$(sed -n '/^\[libfuzzer\]/,/^\[/s/^\(.*[^ ]\) *= */-\1=/p' "$1.options")
  "$1" -seed=1337 -runs=4 || fail "$1: 4 runs"
  "$1" "$1.empty" || fail "$1: the empty input"
  unzip -q "$1_seed_corpus.zip" -d "$corpus"
  # shellcheck disable=SC2086  # options are words
  "$1" $options -dict="$1.dict" -runs=0 "$corpus" || fail "$1: its seed corpus"
}

run_afl() {  # TARGET
  local corpus=$1.corpus
  mkdir "$corpus"
  unzip -q "$1_seed_corpus.zip" -d "$corpus"
  echo input > "$corpus/input"
  AFL_SKIP_CPUFREQ=1 AFL_NO_UI=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_NO_AFFINITY=1 \
    AFL_FAST_CAL=1 AFL_FORKSRV_INIT_TMOUT=30000 AFL_IGNORE_PROBLEMS=1 \
    ASAN_OPTIONS="$ASAN_OPTIONS:abort_on_error=1:symbolize=0" \
    afl-fuzz -m none -t 5000+ -V 5 -i "$corpus" -o "$1.afl" -x "$1.dict" -- "$1" \
    < /dev/null || fail "$1: afl-fuzz"
  grep -E '^(execs_done|edges_found|saved_crashes)' "$1.afl/default/fuzzer_stats"
}

test_combination() {  # ENGINE SANITIZER
  local away=$folder/$1-$2/moved log target
  rm -rf "$folder/$1-$2"
  mkdir -p "$folder/$1-$2"
  log=$folder/$1-$2/build.log
  (cd "$folder/$1-$2" && build "$1" "$2") > "$log" 2>&1 || { tail -40 "$log" && fail "build.sh"; }
  mv "$folder/$1-$2/out" "$away"
  rm -rf "$folder/$1-$2/work"
  for target in "$away"/wddm_fuzz_*; do
    [[ $(basename "$target") == *.* ]] && continue
    log=$target.log
    check_libraries "$target"
    (
      ASAN_OPTIONS+=:$(asan_options "$target")
      mkdir "$target.run" && cd "$target.run" && "run_$1" "$target"
    ) > "$log" 2>&1 || { tail -40 "$log" && fail "$target"; }
    echo "$1 $2 $(basename "$target"): good"
  done
}

[ $# -gt 0 ] || set -- libfuzzer-address libfuzzer-undefined afl-address
for combination; do test_combination "${combination%-*}" "${combination#*-}"; done
