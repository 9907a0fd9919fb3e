#!/usr/bin/env python3
"""Fails where an object of nvcc has a kernel that the device's code lacks, or has by another name. A launch of such a kernel
ends with cudaErrorInvalidResourceHandle.

usage: one_name.py FILE...   objects or archives

g++ 12 keeps the const of a reference that a constexpr function copied into a struct: as a template argument such a
struct makes a kernel of its own ("tlK" in its mangled name), which nvcc does not register. The function has to take the
value itself. And nvcc 13 discards more of a generic lambda than a switch without braces after `if constexpr`.
"""
import pathlib
import re
import sys

twice, lost = set(), set()
kernels = 0
for file in sys.argv[1:]:
    data = pathlib.Path(file).read_bytes()
    registered = set(re.findall(rb"\0_ZN2ck4arch12kernel_entryI([A-Za-z0-9_]*)EvNT_6ParamsE(?=\0)", data))
    for name in re.findall(rb"_ZN[A-Za-z0-9_]*kernel_entry[A-Za-z0-9_]*", data):
        kernels += 1
        if b"tlK" in name and b"device_stub" not in name:  # a kernel's stub has its name, too, where nothing is inlined
            twice.add(name.decode())
    # The compilers spell structs ("tl") differently, although they name the same.
    lost |= {name.decode() for name in re.findall(rb"\0_ZN2ck4arch8entry_ofI([A-Za-z0-9_]*)E(?=\0)", data)
             if b"tl" not in name and name not in registered}
for name in sorted(twice):
    print("a const struct in", name)
for name in sorted(lost):
    print("no code for the device of", name)
if twice or lost or not kernels:
    print("FAILED:", f"{len(twice)} kernels have two names, {len(lost)} have no code" if kernels else "there is no kernel")
    sys.exit(1)
print(f"{kernels} names of kernels, each that of the device")
