"""Pictures of script/plot that are not of measurements."""
