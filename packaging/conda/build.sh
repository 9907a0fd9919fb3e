#!/usr/bin/env bash
# Builds and installs what meta.yaml packs. conda-build sets SRC_DIR, PREFIX, PYTHON, SP_DIR, CPU_COUNT and CMAKE_ARGS.
set -eu
options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib "-DCMAKE_INSTALL_PREFIX=$PREFIX" -DCK_BUILD_TESTS=OFF
    -DCK_BUILD_EXAMPLES=OFF -DCK_BUILD_PROFILER=OFF)
if [ "${cuda_compiler_version:-None}" != None ]; then
    options+=(-DCK_PLATFORM=nvidia "-DCMAKE_CUDA_ARCHITECTURES=80-real;90a-real;80-virtual")
fi
build=${CK_BUILD:-$SRC_DIR/build/conda}
# shellcheck disable=SC2086 # CMAKE_ARGS is a list of words
cmake -S "$SRC_DIR" -B "$build" -G "Unix Makefiles" ${CMAKE_ARGS:-} "${options[@]}"
cmake --build "$build" --parallel "$CPU_COUNT"
cmake --install "$build"
mkdir -p "$build/package" # a copy, because pip writes into it
cp -R "$SRC_DIR/python" "$SRC_DIR/version.txt" "$build/package"
"$PYTHON" -m pip --disable-pip-version-check install --no-deps --no-build-isolation --no-index --target "$SP_DIR" \
    "$build/package/python"
ln -s "$(realpath --relative-to "$SP_DIR/ck_conv" "$PREFIX/lib")/libck_conv.so.1" "$SP_DIR/ck_conv/libck_conv.so.1"
