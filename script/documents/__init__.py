"""Documents as pages of a site: script/site."""
