#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz and ClusterFuzzLite ask: from $SRC into $OUT by way of $WORK,
# with $CC, $CXX, $CFLAGS, $CXXFLAGS, $SANITIZER, $FUZZING_ENGINE and $LIB_FUZZING_ENGINE.
#
# What lands in $OUT runs from any folder: libraries that the runner's image lacks are copied to
# $OUT/lib, the reference driver lies beside the targets. Those libraries need each other, so the
# path to them must be of the old kind, which holds for what they load too.
source_folder=$SRC/wddmcheck
build=$WORK/wddmcheck-$FUZZING_ENGINE-$SANITIZER

# The packaged libraries are built on libstdc++.
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/}"

families=(patch_lists binding_leaks preemption splits residency hostile_render failures schedules
          everything)
targets=("${families[@]/#/wddm_fuzz_}")

# shellcheck disable=SC2016  # $ORIGIN is for the loader
cmake -S "$source_folder" -B "$build" -G Ninja \
  -DCMAKE_BUILD_TYPE=None -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' \
  -DCMAKE_EXE_LINKER_FLAGS="${LDFLAGS-} -Wl,--disable-new-dtags" \
  -DWDDM_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" -DWDDM_FUZZING_ENGINE_KIND="$FUZZING_ENGINE"
cmake --build "$build" --target "${targets[@]}"
# A program of the build runs here and has nothing to leak.
ASAN_OPTIONS=detect_leaks=0 cmake --build "$build" --target wddm_seed_corpora

mkdir -p "$OUT/lib"
cp "$build"/bin/reference_{kmd,device,client}.so "$OUT/"
for target in "${targets[@]}"; do
  cp "$build/bin/$target" "$OUT/"
  cp "$source_folder/fuzz/oss-fuzz/target.options" "$OUT/$target.options"
  cp "$build/seed_corpora/ops.dict" "$OUT/$target.dict"
  zip -q -X -j -r "$OUT/${target}_seed_corpus.zip" "$build/seed_corpora/seeds"
done

# Of the C and C++ run time the runner has its own.
ldd "$OUT/wddm_fuzz_everything" | awk '$3 ~ /^\// {print $3}' |
  grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libresolv)\.so' |
  xargs -r cp -L -t "$OUT/lib"
