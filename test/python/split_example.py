"""The example of docs/distributed.md, "From PyTorch"; test_split_models.py runs it."""
import torch
from torch import nn
import ck_conv.distributed


def train(volume, target):
    """The same on all ranks: torchrun --nproc-per-node=4, after init_process_group()."""
    model = nn.Sequential(nn.Conv3d(1, 8, 3, padding=1), nn.InstanceNorm3d(8, affine=True), nn.LeakyReLU(inplace=True),
                          nn.Conv3d(8, 16, 3, stride=2, padding=1), nn.GroupNorm(4, 16), nn.SiLU(),
                          nn.ConvTranspose3d(16, 2, 2, stride=2))
    for p in model.parameters():  # all ranks begin with the same weights
        torch.distributed.broadcast(p.data, 0)
    split = ck_conv.distributed.split(model, axis="d")  # group=None: all ranks
    begin, end = split.rows(volume.size(2))  # load only these rows, if the volume is too large for one rank
    y = split(volume[:, :, begin:end])  # this rank's rows of the result
    voxels = target.numel()
    loss = nn.functional.cross_entropy(y, target[:, begin:end], reduction="sum") / voxels
    loss.backward()  # the loss is the sum of the ranks' losses; gradients of parameters are the same on all ranks
    return split.gather(y), [p.grad for p in model.parameters()]
