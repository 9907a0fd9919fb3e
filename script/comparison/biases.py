"""Forward layers with a bias, a residual or relu: times each plan of this library, and PyTorch, in turns."""
import re

import torch
import torch.nn.functional as F

import ck_conv

from . import machine as machines

SETS_BYTES = 1 << 28  # of images and results, which launches use in turns, so that no cache holds them

# name: groups, channels of X and of Y in total, filter, image, stride, padding; images
LAYERS = {
    "convnext_7x7_96": (96, 96, 96, 7, 56, 1, 3, 64),
    "convnext_7x7_384": (384, 384, 384, 7, 14, 1, 3, 64),
    "convnext_stem": (1, 3, 96, 4, 224, 4, 0, 64),
    "convnext_downsampling": (1, 96, 192, 2, 56, 2, 0, 64),
    "alexnet_11x11": (1, 3, 64, 11, 224, 4, 2, 64),
    "alexnet_5x5": (1, 64, 192, 5, 27, 1, 2, 64),
    "vgg_64": (1, 64, 64, 3, 224, 1, 1, 64),
    "vgg_128": (1, 128, 128, 3, 112, 1, 1, 64),
    "vgg_256": (1, 256, 256, 3, 56, 1, 1, 64),
    "vgg_512": (1, 512, 512, 3, 28, 1, 1, 64),
    "vgg_512_14": (1, 512, 512, 3, 14, 1, 1, 64),
    "groups_of_8": (32, 256, 256, 3, 28, 1, 1, 64),
    "groups_of_4": (32, 128, 128, 3, 56, 1, 1, 64),
    "autoencoder_128": (1, 128, 128, 3, 512, 1, 1, 1),
    "autoencoder_256": (1, 256, 256, 3, 256, 1, 1, 1),
    "autoencoder_512": (1, 512, 512, 3, 64, 1, 1, 1),
    "autoencoder_1x1": (1, 512, 512, 1, 64, 1, 0, 1),
    "few_channels_1x1": (1, 64, 256, 1, 56, 1, 0, 64),
    "many_channels_1x1": (1, 1024, 256, 1, 14, 1, 0, 64),
    "vit_patches": (1, 3, 768, 16, 224, 16, 0, 64),
    "depthwise_3x3": (144, 144, 144, 3, 56, 1, 1, 64),
    "depthwise_5x5": (672, 672, 672, 5, 14, 1, 2, 64),
    "last_layer": (1, 128, 3, 3, 512, 1, 1, 1),
    # layers of ResNet-18, ResNet-50 and MobileNetV2 with a residual addition
    "resnet18_64": (1, 64, 64, 3, 56, 1, 1, 64),
    "resnet18_128": (1, 128, 128, 3, 28, 1, 1, 64),
    "resnet18_256": (1, 256, 256, 3, 14, 1, 1, 64),
    "resnet18_512": (1, 512, 512, 3, 7, 1, 1, 64),
    "resnet50_256": (1, 64, 256, 1, 56, 1, 0, 64),
    "resnet50_512": (1, 128, 512, 1, 28, 1, 0, 64),
    "resnet50_1024": (1, 256, 1024, 1, 14, 1, 0, 64),
    "resnet50_2048": (1, 512, 2048, 1, 7, 1, 0, 64),
    "mobilenet_24": (1, 144, 24, 1, 56, 1, 0, 64),
    "mobilenet_32": (1, 192, 32, 1, 28, 1, 0, 64),
    "mobilenet_64": (1, 384, 64, 1, 14, 1, 0, 64),
    "mobilenet_96": (1, 576, 96, 1, 14, 1, 0, 64)}
# plain: without an epilogue; operation: kernels compiled for one; fused: plain kernels that apply it to their sums;
# separate: plain kernels followed by a launch
SIDES = {"plain": (False, {}), "operation": (True, {"forbid": "^(Fused|Separate)Epilogue<"}),
         "fused": (True, {"allow": "^FusedEpilogue<"}), "separate": (True, {"allow": "^SeparateEpilogue<"}),
         "chosen": (True, {})}


def measure(options):
    """Prints the milliseconds of each layer on a line, and geometric means. Returns 1 if a result is wrong."""
    machine = machines.machine_of(options.device)
    machines.check_library(machine)
    torch.backends.cudnn.benchmark = True
    print("  ".join([f"{'layer':22}"] + [f"{side:>9}" for side in (*SIDES, "torch")]) + "  chosen kernel")
    wrong, ratios = 0, []
    for name, layer in LAYERS.items():
        if options.layers and not re.search(options.layers, name):
            continue
        times, kernel, right = _one(options, machine, layer)
        machine.release()
        wrong += not right
        print("  ".join([f"{name:22}"] + [f"{times[side]:9.4f}" if side in times else f"{'-':>9}"
                                          for side in (*SIDES, "torch")]) + f"  {kernel}" + ("" if right else "  WRONG"))
        ratios.append({side: ms / times["plain"] for side, ms in times.items()})
    for side in (*SIDES, "torch"):
        some = [r[side] for r in ratios if side in r]
        if some:
            mean = torch.tensor(some).log().mean().exp().item()
            print(f"{side}: {mean:.3f} times as long as plain, geometric mean of {len(some)}")
    return 1 if wrong or not ratios else 0


def _one(options, machine, layer):
    groups, c, k, f, image, stride, pad, n = layer
    n, image = (1, min(image, 2 * f + stride)) if options.small else (n, image)
    dtype, device = options.dtype, machine.device
    torch.manual_seed(1)
    last = dict(memory_format=torch.channels_last)
    x = torch.randn(n, c, image, image, device=device).to(dtype).contiguous(**last)
    w = (torch.randn(k, c // groups, f, f, device=device) / (c // groups * f * f) ** .5).to(dtype).contiguous(**last)
    bias = torch.randn(k, device=device).to(dtype)
    exact = F.conv2d(x.double(), w.double(), bias.double(), stride, pad, 1, groups)
    has_residual, has_relu = "residual" in options.epilogue, "relu" in options.epilogue
    more_terms = 0
    if has_residual:
        residual = torch.randn(exact.shape, device=device).to(dtype).contiguous(**last)
        exact += residual.double()
        more_terms = residual.double().abs().max()
    if has_relu:
        exact.relu_()
    tensors_bytes = x.element_size() * (x.numel() + exact.numel() * (1 + has_residual))
    sets = [{"x": x.clone(**last), "y": torch.empty_like(exact, dtype=dtype, **last),
             "residual": residual.clone(**last) if has_residual else None}
            for _ in range(max(1, min(8, SETS_BYTES // tensors_bytes)))]
    sides = []
    for name, (has_epilogue, rule) in SIDES.items():
        epilogue = {"bias": True, "residual": "before_activation" if has_residual else None,
                    "activation": "relu" if has_relu else None} if has_epilogue else {}
        spec = ck_conv.Spec((image, image), (f, f), type=options.type, n=n, groups=groups, c=c // groups, k=k // groups,
                            strides=stride, pad_low=pad, pad_high=pad, **epilogue)
        try:
            plan = ck_conv.Plan(spec, **rule)
        except ck_conv.Refused:
            continue
        workspace = torch.empty(plan.workspace_size, dtype=torch.uint8, device=device) if plan.workspace_size else None
        more = dict(bias=bias.data_ptr() if has_epilogue else None,
                    workspace=workspace.data_ptr() if plan.workspace_size else None)

        def launch(tensors, plan=plan, more=more, adds=has_epilogue and has_residual, keep=workspace):
            plan.run(tensors["x"].data_ptr(), w.data_ptr(), tensors["y"].data_ptr(), stream=machine.stream(),
                     residual=tensors["residual"].data_ptr() if adds else None, **more)
            return tensors["y"]
        sides.append(machines.Side(name, launch, plan.kernel))

    def rival(tensors):
        y = F.conv2d(tensors["x"], w, bias, stride, pad, 1, groups)
        if has_residual:
            y.add_(tensors["residual"])
        return y.relu_() if has_relu else y
    sides.append(machines.Side("torch", rival))
    unit = {torch.float16: 2 ** -11, torch.bfloat16: 2 ** -8, torch.float32: 2 ** -10}[dtype]  # f32: as tf32 in the worst case
    bound = 3 * unit * (exact.abs().max() + bias.double().abs().max() + more_terms)
    right = True
    with torch.no_grad():
        for side in sides:
            machine.prepare(side, sets)
        machine.turns(sides, sets, options.rounds, options.warm)
        for side in sides[1:]:
            sets[0]["y"].fill_(float("nan"))
            result = side.launch(sets[0])
            machine.synchronize()
            right = right and bool((result.double() - exact).abs().max() <= bound)
    return {s.name: s.ms for s in sides}, next(s.kernel for s in sides if s.name == "chosen"), right
