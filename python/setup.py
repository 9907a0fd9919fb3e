"""The version, and the tag of the wheel: any Python 3 of this machine's platform where libck_conv.so is in the package, else any machine."""
from pathlib import Path

from setuptools import setup
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:  # where pip still asks what it must install
        bdist_wheel = None

commands = {}
if bdist_wheel is not None:
    class Wheel(bdist_wheel):
        """A library that ctypes loads needs no certain Python."""

        def get_tag(self):
            tag = super().get_tag()
            return tag if self.root_is_pure else ("py3", "none", tag[2])

    commands["bdist_wheel"] = Wheel


def version():
    """That of the tree, or of the copy that script/wheel makes."""
    here = Path(__file__).resolve().parent
    return next(f for f in (here / "version.txt", here.parent / "version.txt") if f.is_file()).read_text().strip()


class WithLibrary(Distribution):
    """A distribution for one platform, like a package with compiled modules, if it contains the library."""

    def has_ext_modules(self):
        return any((Path(__file__).resolve().parent / "ck_conv").glob("libck_conv.so*"))


setup(version=version(), distclass=WithLibrary, cmdclass=commands)
