"""The parts of script/first_hour."""
