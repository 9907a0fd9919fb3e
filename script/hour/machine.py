"""Finds GPUs and the right to use them, ROCm, and compilers. Starts no kernel."""
import glob
import grp
import os
import pwd
import re


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def target_of(version):
    """gfx90a for 90010, the format of the kernel driver's topology."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


class Machine:
    def __init__(self, root="/"):
        self.root = root
        self.rocm = os.environ.get("ROCM_PATH") or os.path.join(root, "opt/rocm")

    def path(self, name):
        return os.path.join(self.root, name)

    def targets(self):
        """The targets of the GPUs that the driver lists."""
        found = []
        for file in sorted(glob.glob(self.path("sys/class/kfd/kfd/topology/nodes/*/properties")),
                           key=lambda f: int(f.split("/")[-2])):
            version = re.search(r"^gfx_target_version (\d+)", read(file), re.MULTILINE)
            if version and int(version[1]):
                found.append(target_of(int(version[1])))
        return found

    def rocm_version(self):
        """For example "6.4.1"; empty without AMD's ROCm."""
        text = read(os.path.join(self.rocm, ".info/version")) or read(os.path.join(self.rocm, ".info/version-dev"))
        return text.strip()

    def why_no_gpu(self):
        """Why this user cannot use a GPU, and what to do; empty if nothing is wrong."""
        kfd = self.path("dev/kfd")
        if not os.path.exists(kfd):
            return ("There is no /dev/kfd: the driver amdgpu is not loaded (sudo modprobe amdgpu; dmesg says why not), or this is a "
                    "container without the device (docker run --device=/dev/kfd --device=/dev/dri).")
        try:
            os.close(os.open(kfd, os.O_RDWR))
        except PermissionError:
            group = grp.getgrgid(os.stat(kfd).st_gid).gr_name
            user = pwd.getpwuid(os.getuid()).pw_name
            return (f"The user {user} may not open /dev/kfd, which is of the group {group}: "
                    f"sudo usermod -aG render,video {user}, then log in again.")
        except OSError as error:
            return f"/dev/kfd cannot be opened: {error.strerror}; dmesg says what the driver makes of it."
        if not self.targets():
            return ("The driver is there, but lists no GPU in /sys/class/kfd/kfd/topology: it does not know this one, or "
                    "dmesg says what went wrong.")
        return ""

    def warnings(self):
        """Sentences about what might not work."""
        found = []
        version = self.rocm_version()
        major = re.match(r"(\d+)", version)
        if major and int(major[1]) < 6:
            found.append(f"ROCm {version} in {self.rocm} is older than 6, for which this was written: its compiler may not know the "
                         "GPU. Compilers of Debian's are tried next, if they are here.")
        if not version:
            found.append(f"There is no ROCm of AMD's in {self.rocm} (ROCM_PATH names another folder); Debian's compilers are tried.")
        if len(set(self.targets())) > 1:
            found.append(f"GPUs of several kinds are here: {' '.join(self.targets())}. The first one is used; "
                         "HIP_VISIBLE_DEVICES and --target choose another.")
        return found

    def facts(self):
        cpu = re.search(r"^model name\s*: (.*)", read("/proc/cpuinfo"), re.MULTILINE)
        system = re.search(r'^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"), re.MULTILINE)
        return {"system": system[1] if system else "", "kernel": os.uname().release, "cpu": cpu[1] if cpu else "",
                "cpus": os.cpu_count(), "rocm": self.rocm_version(), "gpus": self.targets(),
                "driver": read(self.path("sys/module/amdgpu/version")).strip()}
