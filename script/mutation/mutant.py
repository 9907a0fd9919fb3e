# Selects the mutant of a program of script/mutate, and records the mutants that it reaches.
import os as _ck_os

_ck_noted = set()


def _ck_mutant(number):
    file = _ck_os.environ.get("CK_MUTANT_REACHED")
    if file and number not in _ck_noted:
        _ck_noted.add(number)
        with open(file, "a", encoding="ascii") as out:
            out.write(f"{number}\n")
    return _ck_os.environ.get("CK_MUTANT") == str(number)
