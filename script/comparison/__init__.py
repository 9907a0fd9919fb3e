"""The parts of script/compare_torch."""
