"""A part of a model that is not traced as a whole, and that takes several arguments: its graphs for inference."""
import warnings

from torch import nn

from .fused import refuse_training


class Part(nn.Module):
    """Calls the graph for the arguments that it gets; if there is none, the part's own forward(), in which nothing is fused."""

    def __init__(self, own, graphs):
        """graphs: [(Arguments, module)]."""
        super().__init__()
        self.own, self.graphs = own, nn.ModuleList(graph for _, graph in graphs)
        self.arguments = [arguments for arguments, _ in graphs]
        super().train(False)

    def forward(self, *args, **kwargs):
        for arguments, graph in zip(self.arguments, self.graphs):
            tensors = arguments.taken(args, kwargs)
            if tensors is not None:
                return graph(*tensors)
        warn_of_other_arguments(self.own)
        return self.own(*args, **kwargs)

    def __getattr__(self, name):
        """Also attributes of the part, but not its modules and parameters, which the graphs may not use."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            own = self.__dict__.get("_modules", {}).get("own")
            if name.startswith("_") or own is None or any(
                    name in own.__dict__[kind] for kind in ("_modules", "_parameters", "_buffers")):
                raise
            return getattr(own, name)

    def train(self, mode=True):
        if mode:
            refuse_training()
        return super().train(mode)


def warn_of_other_arguments(module):
    warnings.warn(f"a {type(module).__name__} is called with other arguments than ck_conv.fuse() expects: its own forward() runs, "
                  "with nothing fused in it", stacklevel=3)
