"""fuse(): a network whose convolutions and norms also compute what follows them."""
