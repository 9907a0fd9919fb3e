"""replace(): the library computes the convolutions and norms of a model that is otherwise unchanged."""
