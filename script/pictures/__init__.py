"""Pictures of script/plot that do not show measurements."""
