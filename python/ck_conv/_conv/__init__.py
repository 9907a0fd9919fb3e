"""Single convolutions of tensors: plans, gradients, operators of torch.ops, and code of torch.compile."""
