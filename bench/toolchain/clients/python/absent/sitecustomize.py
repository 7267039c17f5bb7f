"""Empty replacements for the modules of P4LOOM_ABSENT_MODULES, for tests that import them but do not use them."""

import importlib.abc
import importlib.machinery
import os
import sys
import types

ABSENT = frozenset(filter(None, os.environ.get("P4LOOM_ABSENT_MODULES", "").split(",")))


class Nothing:
    """Has every attribute, and can be called and subclassed, without effect."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self

    def __mro_entries__(self, bases):
        return ()


class EmptyModule(types.ModuleType):
    __all__ = ()
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, fullname, path, target=None):
        if fullname.split(".")[0] not in ABSENT:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return EmptyModule(spec.name)

    def exec_module(self, module):
        pass


if ABSENT:
    sys.meta_path.insert(0, Finder())
