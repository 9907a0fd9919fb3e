"""What docs/fuse.md shows of CUDA graphs; test_works_with.py runs it."""
import torch
from torch import nn


def recorded_inference(model, x):
    """Returns run(images), which replays the model's launches. Its result is overwritten by the next call."""
    with torch.no_grad():
        for _ in range(3):  # the first calls make plans and allocate workspaces
            model(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = model(x)

    def run(images):
        x.copy_(images)  # the graph reads the memory of x
        graph.replay()
        return y
    return run


def recorded_training(model, optimizer, x, target):
    """Returns step(images, labels), which replays forward, backward and the optimizer, and returns the loss."""
    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            loss = nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss.detach()

    stream = torch.cuda.Stream()  # PyTorch asks for another stream in the steps before a capture
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):  # these steps train, too
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # records a step without running it
        loss = step()

    def replay(images, labels):
        x.copy_(images)
        target.copy_(labels)
        graph.replay()
        return loss
    return replay
