#!/usr/bin/env python3
"""Fails where an object of nvcc has a kernel that the host knows by another name than the device.

usage: one_name.py FILE...   objects or archives

g++ 12 keeps the const of a reference that a constexpr function copied into a struct: as a template argument such a
struct makes a kernel of its own ("tlK" in its mangled name), which nvcc does not register. A launch then ends with
cudaErrorInvalidResourceHandle. The function has to take the value itself.
"""
import pathlib
import re
import sys

names = set()
kernels = 0
for file in sys.argv[1:]:
    for name in re.findall(rb"_ZN[A-Za-z0-9_]*kernel_entry[A-Za-z0-9_]*", pathlib.Path(file).read_bytes()):
        kernels += 1
        if b"tlK" in name and b"device_stub" not in name:  # a kernel's stub has its name, too, where nothing is inlined
            names.add(name.decode())
for name in sorted(names):
    print("a const struct in", name)
if names or not kernels:
    print("FAILED:", f"{len(names)} kernels have two names" if names else "there is no kernel")
    sys.exit(1)
print(f"{kernels} names of kernels, each that of the device")
