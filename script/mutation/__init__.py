"""What script/mutate is made of: places in sources, a copy of the tree that has mutants in it, the programs that run them."""
