#!/usr/bin/python3
"""The table "Works with" of docs/python.md: each of its rows is a test of this file, and each test a row."""
import copy
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings

from needs_torch import torch
from test_honesty import Torchs

import ck_conv
import cuda_graph_example
from networks import Net
from torch import nn
from torch.utils.checkpoint import checkpoint

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
TORCH_2 = hasattr(torch, "compile")
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=UserWarning)


def models():
    """(PyTorch's, the same replaced, an input)"""
    torch.manual_seed(4)
    theirs = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(4, 3, 2, stride=2),
                           nn.BatchNorm2d(3), nn.Conv2d(3, 2, 3, padding=1, padding_mode="reflect", bias=False))
    for _ in range(3):
        theirs(torch.randn(4, 2, 5, 5))  # running statistics
    theirs.eval()
    return theirs, ck_conv.replace(copy.deepcopy(theirs)), torch.randn(2, 2, 5, 5)


def fused_models():
    """(PyTorch's, the same from fuse(), an input); a convolution, a group norm and a batch norm each compute an activation."""
    torch.manual_seed(5)
    theirs = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.ConvTranspose2d(4, 4, 2, stride=2),
                           nn.GroupNorm(2, 4), nn.SiLU(), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 2, 3, padding=1))
    for _ in range(3):
        theirs(torch.randn(4, 2, 5, 5))
    theirs.eval()
    done = ck_conv.fuse(theirs, report=True)
    assert set(done.fused) == {"0", "4", "6"}, done
    return theirs, done.model, torch.randn(2, 2, 5, 5)


def needs(wanted, what):
    return unittest.skipUnless(wanted, f"needs {what}")


class Rows(unittest.TestCase):
    """The documentation of a test is its row's first cell."""

    def setUp(self):
        self.theirs, self.ours, self.x = models()

    def same(self, module, x=None):
        x = self.x if x is None else x
        torch.testing.assert_close(module(x), self.theirs(x))

    def compiled(self, **options):
        torch._dynamo.reset()
        compiled = torch.compile(self.ours, fullgraph=True, **options)
        for n in (2, 3):
            x = torch.randn(n, 2, 4 + n, 5)
            found = []
            for model in (compiled, self.theirs):
                given = x.clone().requires_grad_()
                y = model(given)
                found.append((y, *torch.autograd.grad(y.square().sum(), (given, next(model.parameters())))))
            torch.testing.assert_close(*found, rtol=1e-4, atol=1e-4)

    @needs(TORCH_2, "PyTorch 2")
    def test_compile(self):
        """`torch.compile`"""
        self.compiled()

    @needs(TORCH_2, "PyTorch 2")
    def test_compile_max_autotune(self):
        """`torch.compile(mode="max-autotune")`"""
        self.compiled(mode="max-autotune")

    @needs(TORCH_2, "PyTorch 2")
    def test_compile_reduce_overhead(self):
        """`torch.compile(mode="reduce-overhead")`"""
        self.compiled(mode="reduce-overhead")

    @needs(TORCH_2, "PyTorch 2")
    def test_compile_dynamic(self):
        """`torch.compile(dynamic=True)`"""
        self.compiled(dynamic=True)

    @needs(hasattr(torch, "export"), "torch.export")
    def test_export(self):
        """`torch.export.export`, also with dynamic shapes"""
        n, h = torch.export.Dim("n"), torch.export.Dim("h")
        program = torch.export.export(self.ours, (self.x,), dynamic_shapes=({0: n, 2: h},))
        self.same(program.module())
        self.same(program.module(), torch.randn(3, 2, 9, 5))
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        self.same(torch.export.load(file).module())

    @needs(hasattr(getattr(torch, "_inductor", None), "aoti_compile_and_package"), "AOTInductor's packages")
    def test_aot_inductor(self):
        """AOTInductor (`torch._inductor.aoti_compile_and_package`)"""
        with tempfile.TemporaryDirectory() as folder:
            program = torch.export.export(self.ours, (self.x,))
            path = torch._inductor.aoti_compile_and_package(program, package_path=f"{folder}/model.pt2")
            self.same(torch._inductor.aoti_load_package(path))

    def onnx(self, **options):
        """The names of the model's operators."""
        try:
            import onnx
        except ImportError:
            self.skipTest("needs the package onnx")
        file = io.BytesIO()
        torch.onnx.export(self.ours, (self.x,), file, **options)
        graph = onnx.load_from_string(file.getvalue()).graph
        try:
            import onnxruntime
        except ImportError:
            pass
        else:
            session = onnxruntime.InferenceSession(file.getvalue())
            y, = session.run(None, {session.get_inputs()[0].name: self.x.numpy()})
            torch.testing.assert_close(torch.from_numpy(y), self.theirs(self.x), rtol=1e-4, atol=1e-4)
        return [node.op_type for node in graph.node]

    def test_onnx_torchscript(self):
        """`torch.onnx.export`, by TorchScript (`dynamo=False`)"""
        file = io.BytesIO()
        options = {"dynamo": False} if hasattr(torch.onnx, "ONNXProgram") else {}
        if not TORCH_2:  # writes the file without the package onnx
            torch.onnx.export(self.ours, (self.x,), file)
            self.assertIn(b"ConvTranspose", file.getvalue())
            self.assertNotIn(b"ck_conv", file.getvalue())
            return
        names = self.onnx(**options)
        self.assertEqual([name for name in names if "Conv" in name], ["Conv", "ConvTranspose", "Conv"])

    @needs(hasattr(torch.onnx, "ONNXProgram"), "a PyTorch that has it")
    def test_onnx_dynamo(self):
        """`torch.onnx.export`, by `torch.export` (`dynamo=True`)"""
        try:
            import onnxscript  # noqa: F401
        except ImportError:
            self.skipTest("needs the package onnxscript")
        names = self.onnx(dynamo=True)
        self.assertEqual([name for name in names if "Conv" in name], ["Conv", "ConvTranspose", "Conv"])

    def test_fx(self):
        """`torch.fx.symbolic_trace`"""
        traced = torch.fx.symbolic_trace(self.ours)
        self.assertIn(ck_conv.conv2d, [node.target for node in traced.graph.nodes])
        with Torchs() as mode, torch.no_grad():
            traced(self.x)
        self.assertEqual(mode.count, 0)
        self.same(traced)
        self.same(pickle.loads(pickle.dumps(traced)))

    def test_jit_trace(self):
        """`torch.jit.trace`"""
        traced, file = torch.jit.trace(self.ours, self.x), io.BytesIO()
        self.assertIn("ck_conv::forward", str(traced.inlined_graph))
        torch.jit.save(traced, file)
        file.seek(0)
        self.same(traced)
        self.same(torch.jit.load(file))

    def test_jit_script(self):
        """`torch.jit.script`"""
        scripted, file = torch.jit.script(copy.deepcopy(self.ours)), io.BytesIO()
        self.assertEqual(str(scripted.inlined_graph).count("ck_conv::forward"), 3)
        torch.jit.save(scripted, file)
        file.seek(0)
        for model in (scripted, torch.jit.load(file)):
            self.same(model)
            self.same(model, self.x.contiguous(memory_format=torch.channels_last))
            found = [torch.autograd.grad(m(self.x).square().sum(), list(m.parameters())) for m in (model, self.theirs)]
            torch.testing.assert_close(*found)
        self.theirs = self.theirs[:3]  # without the batch norm, which takes no single image
        self.same(torch.jit.script(copy.deepcopy(self.ours[:3])), self.x[0])

    def test_jit_script_of_derived_classes(self):
        """`torch.jit.script` of classes with methods of their own"""
        class Own(nn.Conv2d):
            def forward(self, x):
                return self._conv_forward(x, self.weight, self.bias)

        with self.assertRaisesRegex(TypeError, "cannot compile a replaced .*Own.*: use torch.jit.trace"):
            torch.jit.script(ck_conv.replace(Own(1, 1, 1)))

    def close(self, module, x=None):
        x = self.x if x is None else x
        torch.testing.assert_close(module(x), self.theirs(x), rtol=1e-4, atol=1e-4)

    def test_fused_onnx(self):
        """networks of `fuse` in `torch.onnx.export`"""
        self.theirs, self.ours, self.x = fused_models()
        with torch.no_grad():
            self.ours(self.x)
            self.test_onnx_torchscript()
        volumes = nn.Sequential(nn.Conv3d(2, 4, 3), nn.ReLU(), nn.Conv3d(4, 2, 1)).eval()  # whose format TorchScript does not know
        torch.onnx.export(ck_conv.fuse(volumes), (torch.randn(1, 2, 4, 4, 4),), io.BytesIO(),
                          **({"dynamo": False} if hasattr(torch.onnx, "ONNXProgram") else {}))

    def test_fused_traces(self):
        """networks of `fuse` in `torch.fx.symbolic_trace` and `torch.jit.trace`"""
        self.theirs, self.ours, self.x = fused_models()
        with torch.no_grad():
            for _ in range(2):  # the second time with what is remembered of a call
                for traced in (torch.fx.symbolic_trace(self.ours), torch.jit.trace(self.ours, self.x)):
                    self.close(traced)
                    self.close(traced, torch.randn(2, 2, 5, 5))
                self.ours(self.x)
        self.theirs.train()
        trained = ck_conv.fuse(self.theirs)
        for traced in (torch.fx.symbolic_trace(trained), torch.jit.trace(copy.deepcopy(trained), self.x, check_trace=False)):
            self.close(traced, torch.randn(2, 2, 5, 5))

        def adds(self, x):
            return torch.relu(self.norm(self.conv(x)) + x)
        self.theirs = Net(adds, conv=nn.Conv2d(2, 2, 3, padding=1), norm=nn.BatchNorm2d(2)).eval()
        trained = ck_conv.fuse(copy.deepcopy(self.theirs).train()).eval()
        self.close(torch.fx.symbolic_trace(trained), torch.randn(2, 2, 5, 5))

    def test_fused_script(self):
        """networks of `fuse` in `torch.jit.script`"""
        theirs, fused, x = fused_models()
        with self.assertRaisesRegex(TypeError, r"cannot compile a \w+ of ck_conv.fuse\(\): use torch.jit.trace"):
            torch.jit.script(fused)
        for model in (nn.Sequential(nn.GroupNorm(2, 2), nn.SiLU()), nn.Sequential(nn.BatchNorm2d(2), nn.ReLU(), nn.Conv2d(2, 2, 1)),
                      nn.Sequential(nn.Conv2d(2, 2, 1), nn.ReLU())):
            for module in (model.eval(), copy.deepcopy(model).train()):
                done = ck_conv.fuse(module, report=True)
                if not done.fused:
                    continue
                for again in (done.model, copy.deepcopy(done.model)):
                    with self.subTest(f"{module}, {module.training}"):
                        with self.assertRaisesRegex(TypeError, "of ck_conv.fuse"):
                            torch.jit.script(again)
        alone = nn.Sequential(nn.GroupNorm(2, 2), nn.Tanh()).eval()  # the norm computes nothing else
        torch.testing.assert_close(torch.jit.script(ck_conv.fuse(alone))(x), alone(x))

    def in_a_group(self, test):
        with tempfile.TemporaryDirectory() as folder:
            torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=0, world_size=1)
            try:
                test()
            finally:
                torch.distributed.destroy_process_group()

    def train(self, wrapped):
        for model in (wrapped, self.theirs):
            model(self.x).square().sum().backward()

    @needs(torch.distributed.is_available(), "torch.distributed")
    def test_ddp(self):
        """`DistributedDataParallel`"""
        def test():
            self.train(nn.parallel.DistributedDataParallel(self.ours))
            torch.testing.assert_close([p.grad for p in self.ours.parameters()],
                                       [p.grad for p in self.theirs.parameters()])

        self.in_a_group(test)

    @needs(TORCH_2 and torch.distributed.is_available(), "PyTorch 2 with torch.distributed")
    def test_fsdp(self):
        """FSDP (`fully_shard`)"""
        from torch.distributed import fsdp
        if not hasattr(fsdp, "fully_shard"):
            self.skipTest("needs a PyTorch with fully_shard")

        def test():
            for module in (*self.ours, self.ours):
                if list(module.parameters()):
                    fsdp.fully_shard(module, mesh=torch.distributed.init_device_mesh("cpu", (1,)))
            self.train(self.ours)
            torch.testing.assert_close([p.grad.full_tensor() for p in self.ours.parameters()],
                                       [p.grad for p in self.theirs.parameters()])

        self.in_a_group(test)

    def test_data_parallel(self):
        """`DataParallel`"""
        self.same(nn.DataParallel(self.ours))
        replica = self.ours[0]._replicate_for_data_parallel()  # what it makes for each GPU
        replica.weight, replica.bias = (p.detach().clone() for p in (self.ours[0].weight, self.ours[0].bias))
        torch.testing.assert_close(replica(self.x), self.theirs[0](self.x))

    def test_state_dict(self):
        """`state_dict`, `load_state_dict`, `torch.save` and `torch.load` of them"""
        self.assertEqual(list(self.ours.state_dict()), list(self.theirs.state_dict()))
        file = io.BytesIO()
        torch.save(self.theirs.state_dict(), file)
        file.seek(0)
        again = ck_conv.replace(copy.deepcopy(self.theirs))
        nn.init.zeros_(again[0].weight)
        again.load_state_dict(torch.load(file))
        self.same(again)

    def test_whole_module(self):
        """`torch.save` and `torch.load` of a whole module"""
        file = io.BytesIO()
        torch.save(self.ours, file)
        file.seek(0)
        again = torch.load(file, **({"weights_only": False} if TORCH_2 else {}))
        self.assertIs(type(again[0]), ck_conv.Conv2d)
        self.same(again)

    def test_deepcopy(self):
        """`copy.deepcopy`"""
        self.ours(self.x)  # what is remembered of a call is not copied
        again = copy.deepcopy(self.ours)
        self.assertIsNot(again[0].weight, self.ours[0].weight)
        self.same(again)

    @needs(hasattr(torch.ao, "quantization"), "torch.ao.quantization")
    def test_quantization(self):
        """`torch.ao.quantization.prepare` and `convert`"""
        from torch.ao import quantization
        model = nn.Sequential(quantization.QuantStub(), self.ours[0], quantization.DeQuantStub()).eval()
        model.qconfig = quantization.get_default_qconfig("qnnpack")
        prepared = quantization.prepare(model)
        prepared(self.x)
        converted = quantization.convert(prepared)
        self.assertIs(type(converted[1]), ck_conv.Conv2d)
        with self.assertRaisesRegex(TypeError, "torch.quint8"):
            converted(self.x)

    @needs(hasattr(torch.ao, "quantization"), "torch.ao.quantization")
    def test_quantization_fx(self):
        """`torch.ao.quantization.quantize_fx.prepare_fx` and `convert_fx`"""
        from torch.ao.quantization import get_default_qconfig_mapping, quantize_fx
        prepared = quantize_fx.prepare_fx(self.ours, get_default_qconfig_mapping(), (self.x,))
        prepared(self.x)
        converted = quantize_fx.convert_fx(prepared)
        self.assertIn(ck_conv.conv2d, [node.target for node in converted.graph.nodes])
        self.assertLess((converted(self.x) - self.theirs(self.x)).abs().max(), 0.1)

    @needs(torch.cuda.is_available(), "a GPU")
    def test_cuda_graphs(self):
        """CUDA graphs (`torch.cuda.graph`)"""
        ours, x = self.ours.cuda(), self.x.cuda()
        for _ in range(2):
            expected = ours(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = ours(x)
        graph.replay()
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(y, expected))

    @needs(torch.cuda.is_available(), "a GPU")
    def test_recorded_networks(self):
        """CUDA graphs of [fused networks](fuse.md#run-it-in-a-cuda-graph), inference and whole training steps"""
        layers = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
                               nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4)).cuda()
        images, labels = torch.randn(5, 4, 8, 9, 9, device="cuda"), torch.randint(4, (5, 4), device="cuda")
        model = ck_conv.fuse(layers.eval())
        run = cuda_graph_example.recorded_inference(model, images[0].clone())
        with torch.no_grad():
            for x in images:
                self.assertTrue(torch.equal(run(x), model(x)))

        model = ck_conv.fuse(layers.train())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        step = cuda_graph_example.recorded_training(model, optimizer, images[0].clone(), labels[0].clone())
        recorded = [step(*batch).item() for batch in zip(images, labels)]
        model, losses = ck_conv.fuse(layers.train()), []
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for i in [0, 0, 0, *range(len(images))]:  # three steps come before the recording
            optimizer.zero_grad()
            with torch.autocast("cuda", torch.bfloat16):
                loss = nn.functional.cross_entropy(model(images[i]), labels[i])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        torch.testing.assert_close(torch.tensor(recorded), torch.tensor(losses[3:]), rtol=1e-2, atol=1e-3)

    @needs(hasattr(os, "fork"), "fork()")
    def test_fork(self):
        """`fork()` and `torch.multiprocessing`, for CPUs"""
        done = subprocess.run([sys.executable, "-B", __file__, "--fork"], timeout=300)  # a process without other threads
        self.assertEqual(done.returncode, 0)

    def test_checkpoint(self):
        """`torch.utils.checkpoint`"""
        for reentrant in (False, True):
            found = []
            for model in (self.ours, self.theirs):
                x = self.x.clone().requires_grad_()
                model.zero_grad()
                checkpoint(model, x, use_reentrant=reentrant).square().sum().backward()
                found.append([x.grad, *(p.grad for p in model.parameters())])
            torch.testing.assert_close(*found)


class Page(unittest.TestCase):
    def test_each_row_is_a_test_and_each_test_a_row(self):
        lines = PAGE.read_text().split("### Works with\n", 1)[1].split("\n### ", 1)[0].splitlines()
        rows = [line.split("|")[1].strip() for line in lines if line.startswith("|")][2:]
        self.assertEqual(rows, [test.__doc__ for name, test in vars(Rows).items() if name.startswith("test_")])


def fork():
    """Exits with 0 if a child computes what its parent computed, after which the library has threads."""
    _, ours, x = models()
    torch.set_num_threads(1)  # of PyTorch's a child has none
    with torch.no_grad():
        expected = ours(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if torch.equal(ours(x), expected) else 1)
    sys.exit(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    if "--fork" in sys.argv:
        fork()
    unittest.main(verbosity=2)
