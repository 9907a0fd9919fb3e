"""Graphs of modules: torch.fx records forward(), and what the graph would not repeat is found."""
