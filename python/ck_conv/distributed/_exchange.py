"""Moves rows between the ranks of a process group, with gradients, and reports a lost rank in a sentence."""
import contextlib
import hashlib
import inspect
import re
from typing import NamedTuple, Tuple

import torch
import torch.distributed as dist
from torch.autograd.function import once_differentiable

from .._c.interface import Error, Refused
from .._conv.launch import FORMATS
from .._conv.operators import same
from ._ranges import parts_of, Rows, scaled_parts

# Within it, split tensors are ordinary ones.
plain = getattr(torch._C, "DisableTorchFunctionSubclass", torch._C.DisableTorchFunction)


class RankLost(Error):
    """Another rank ended, or did not answer within the process group's timeout."""


# What torch.distributed raises when a rank is lost: before PyTorch 2.1 a RuntimeError as others are.
_LOST = getattr(dist, "DistError", ())
_OF_COMMUNICATION = re.compile("gloo|nccl|connect|socket|broken pipe|time[d ]*out|closed by", re.IGNORECASE)


class Communicator:
    """A process group along one axis of the tensors."""

    def __init__(self, group, timeout=None):
        self.group = dist.group.WORLD if group is None else group
        self.rank, self.ranks = dist.get_rank(self.group), dist.get_world_size(self.group)
        if self.rank < 0:
            raise Refused("this process is not in the group: only the group's ranks may call split()")
        to_global = getattr(dist, "get_global_rank", None) or dist.distributed_c10d._get_global_rank
        self.peers = [r if group is None else to_global(self.group, r) for r in range(self.ranks)]
        self.own_device = "cpu" if self._takes_cpu_tensors() else "cuda"
        self.control, self.device = self._control(group, timeout)

    def _control(self, group, timeout):
        """(the group in which ranks compare shapes, the device of its tensors): on CPUs, so that no GPU is waited for."""
        if self.own_device == "cpu":
            return self.group, "cpu"
        options = {} if timeout is None else {"timeout": timeout}
        if group is None:
            return dist.new_group(backend="gloo", **options), "cpu"
        if "use_local_synchronization" in inspect.signature(dist.new_group).parameters:
            return dist.new_group(self.peers, backend="gloo", use_local_synchronization=True, **options), "cpu"
        return self.group, "cuda"

    def _takes_cpu_tensors(self):
        if hasattr(self.group, "_get_backend"):
            try:
                self.group._get_backend(torch.device("cpu"))
                return True
            except RuntimeError:
                return False
        return dist.get_backend(self.group) == "gloo"

    @contextlib.contextmanager
    def waiting(self, what):
        """Turns errors of the communication into a sentence."""
        try:
            yield
        except RuntimeError as error:
            if isinstance(error, Error) or not (isinstance(error, _LOST) or _OF_COMMUNICATION.search(str(error))):
                raise
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise RankLost(f"rank {self.rank} of {self.ranks} waited for {what}, but another rank ended, failed or did not "
                           f"answer in time: {reason}") from error

    def table(self, numbers, what):
        """All ranks' numbers, a list for each rank."""
        mine = torch.tensor(numbers, dtype=torch.int64, device=self.device)
        all_ = [torch.empty_like(mine) for _ in range(self.ranks)]
        with self.waiting(what):
            dist.all_gather(all_, mine, group=self.control)
        return [numbers.tolist() for numbers in all_]

    def texts(self, text):
        """All ranks' texts."""
        all_ = [None] * self.ranks
        with self.waiting("the other ranks' descriptions of their calls"):
            dist.all_gather_object(all_, text, group=self.control)
        return all_

    def gather(self, tensor, what):
        """All ranks' tensors of the same size."""
        all_ = [torch.empty_like(tensor) for _ in range(self.ranks)]
        with self.waiting(what):
            dist.all_gather(all_, tensor, group=self.group)
        return all_

    def begin_sum(self, tensor, what):
        """Sums a contiguous tensor over the ranks, in place. Returns a function that waits for it."""
        with self.waiting(what):
            work = dist.all_reduce(tensor, group=self.group, async_op=True)

        def finish():
            with self.waiting(what):
                work.wait()
        return finish

    def sum(self, tensor, what):
        self.begin_sum(tensor, what)()

    def broadcast(self, tensor):
        """Rank 0's values, in place."""
        with self.waiting("random numbers of rank 0"):
            dist.broadcast(tensor, self.peers[0], group=self.group)


def digest(text):
    """A number of 63 bits."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little") >> 1


def agree(comms, call, wrong, described, numbers, trouble_of=None):
    """Compares a call with the other ranks' before they wait for each other's rows. Returns a table of numbers for each
    communicator. If a call is wrong or differs, all ranks raise: their own error, or Refused with what the others do.

    call: its name. wrong: this rank's error, or None. described: for each communicator, a text that is the same on all ranks;
    not used if there is an error. numbers: for each communicator, numbers that may differ between ranks; as many on all
    ranks. trouble_of(i, table): why ranks cannot have the numbers of communicator i, or ""."""
    tables, trouble = [], ""
    for i, comm in enumerate(comms):
        text = described[i] if wrong is None else f"an error, {type(wrong).__name__}: {wrong}"
        rows = comm.table([digest(text), bool(trouble or wrong), *numbers[i]], "the other ranks' calls")
        if any(row[0] != rows[0][0] for row in rows):
            texts = comm.texts(text)
            other = next(r for r in range(comm.ranks) if texts[r] != texts[0])
            trouble = trouble or (f"ranks call {call} differently: rank 0 of the group with {texts[0]}; rank {other} with "
                                  f"{texts[other]}")
        elif any(row[1] for row in rows):
            trouble = trouble or f"ranks of another group call {call} differently; their errors say how"
        tables.append([row[2:] for row in rows])
        if trouble_of is not None and not trouble and wrong is None:
            trouble = trouble_of(i, tables[i])
    if wrong is not None:
        raise wrong
    if trouble:
        raise Refused(trouble)
    return tables


def attempt(check, *arguments):
    """Returns (what check(*arguments) returns, None), or (None, what it raises because of wrong arguments)."""
    try:
        return check(*arguments), None
    except Exception as error:  # of any kind: the caller must tell the other ranks, which are waiting
        return None, error


class Cut(NamedTuple):
    """An axis that is divided among the ranks of a communicator: parts of the model's input."""
    comm: Communicator
    root: Tuple[Rows, ...]

    def parts(self, rows):
        return scaled_parts(self.root, rows)


class Spread(NamedTuple):
    """Where a tensor is divided. dim is negative, so that it stays right when tensors of different rank are added."""
    cut: Cut
    dim: int
    parts: Tuple[Rows, ...]

    @property
    def comm(self):
        return self.cut.comm

    @property
    def own(self):
        return self.parts[self.comm.rank]

    @property
    def whole(self):
        return self.parts[-1].end


class Fetch:
    """Brings each rank the rows that it wants from their owners."""

    def __init__(self, comm, dim, parts, wanted, what):
        self.comm, self.dim, self.parts, self.wanted, self.what = comm, dim, parts, wanted, what
        others = [r for r in range(comm.ranks) if r != comm.rank]
        self.sends = [(r, c) for r in others if (c := parts[comm.rank].common(wanted[r])).size]
        self.receives = [(r, c) for r in others if (c := parts[r].common(wanted[comm.rank])).size]

    def begin(self, x):
        own = self.parts[self.comm.rank]
        return self._begin(x, [(r, self._rows(x, own, c)) for r, c in self.sends], self.receives)

    def finish(self, pending):
        """The received tensors, in the order of the ranks."""
        works, tensors, _ = pending
        with self.comm.waiting(self.what):
            for work in works:
                work.wait()
        return tensors

    def assemble(self, x, received, wanted=None):
        """This rank's wanted rows, or some of them, from its own ones and the received ones."""
        own, me = self.parts[self.comm.rank], self.comm.rank
        wanted = self.wanted[me] if wanted is None else wanted
        held = sorted([(r, rows, t) for (r, rows), t in zip(self.receives, received)] + [(me, own, x)], key=lambda h: h[0])
        pieces = [self._rows(t, rows, c) for _, rows, t in held if (c := rows.common(wanted)).size]
        if not pieces:
            return x.narrow(self.dim, 0, 0)
        return pieces[0] if len(pieces) == 1 else torch.cat([_formatted(p, x) for p in pieces], self.dim)

    def __call__(self, x):
        return self.assemble(x, self.finish(self.begin(x)))

    def back(self, grad):
        """Sends gradients of wanted rows to their owners. Each owner adds its own, then the others' in the order of the
        ranks."""
        me, own = self.comm.rank, self.parts[self.comm.rank]
        mine = self.wanted[me]
        got = self.finish(self._begin(grad, [(r, self._rows(grad, mine, c)) for r, c in self.receives], self.sends))
        kept = own.common(mine)
        if not got and kept == own:
            return self._rows(grad, mine, own)
        size = list(grad.shape)
        size[self.dim] = own.size
        total = _formatted(grad.new_zeros(size), grad)
        if kept.size:
            self._rows(total, own, kept).copy_(self._rows(grad, mine, kept))
        for (_, rows), piece in zip(self.sends, got):
            self._rows(total, own, rows).add_(piece)
        return total

    def _rows(self, x, held, rows):
        return x.narrow(self.dim, rows.begin - held.begin if rows.size else 0, rows.size)

    def _begin(self, x, sends, receives):
        """Messages are contiguous, channels first: ranks need not agree on strides. Returns (works, received, sent)."""
        operations, received = [], []
        for r, tensor in sends:
            if tensor.numel():
                operations.append(dist.P2POp(dist.isend, tensor.contiguous(), self.comm.peers[r], self.comm.group))
        for r, rows in receives:
            size = list(x.shape)
            size[self.dim] = rows.size
            received.append(x.new_empty(size))
            if received[-1].numel():
                operations.append(dist.P2POp(dist.irecv, received[-1], self.comm.peers[r], self.comm.group))
        with self.comm.waiting(self.what):
            works = dist.batch_isend_irecv(operations) if operations else []
        return works, received, operations




def _formatted(tensor, like):
    """The tensor in the other's memory format."""
    form = FORMATS.get(like.dim())
    if form is None or like.is_contiguous() or not like.is_contiguous(memory_format=form):
        return tensor
    return tensor.contiguous(memory_format=form)


class _Fetched(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, fetch):
        ctx.fetch = fetch
        got = fetch(x)
        return same(got) if got is x else got

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        with plain():
            return ctx.fetch.back(grad), None


def fetched(x, fetch):
    """fetch(x) with a gradient."""
    if all(p.common(w).size == w.size for p, w in zip(fetch.parts, fetch.wanted)):  # no rank needs another's rows
        return fetch.assemble(x, [])
    return _Fetched.apply(x, fetch)


class _Entering(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, comms):
        ctx.comms = comms
        return same(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        with plain():
            return summed(grad, ctx.comms, "gradients of replicated tensors"), None


def entering(x, comms):
    """x, which all ranks hold alike, before each uses it for its own rows: its gradient is summed over the ranks."""
    return _Entering.apply(x, comms) if comms and x.requires_grad and torch.is_grad_enabled() else x


def summed(tensor, comms, what):
    """The sum over the ranks, the same bits on all; 16-bit numbers are added as float32."""
    total = tensor.to(wide(tensor.dtype), copy=True, memory_format=torch.contiguous_format)
    for comm in comms:
        comm.sum(total, what)
    return total.to(tensor.dtype)


def wide(dtype):
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


class _Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, comms):
        return summed(x, comms, "a sum over all ranks")

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def total(x, comms):
    """The sum over the ranks. All of them go on to use it alike, so that each already has its whole gradient."""
    return _Total.apply(x, comms)


class _Scattered(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, comm, dim, parts):
        ctx.fetch = Fetch(comm, dim, parts, [Rows(0, parts[-1].end)] * comm.ranks, "gradients of scatter()'s rows")
        own = parts[comm.rank]
        return x.narrow(dim, own.begin, own.size).clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return ctx.fetch(grad), None, None, None


class _Gathered(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, comm, dim, parts):
        ctx.dim, ctx.own = dim, parts[comm.rank]
        whole = Fetch(comm, dim, parts, [Rows(0, parts[-1].end)] * comm.ranks, "rows for gather()")(x)
        return same(whole) if whole is x else whole.clone() if whole._is_view() else whole

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad.narrow(ctx.dim, ctx.own.begin, ctx.own.size), None, None, None


def scatter(x, comm, dim, parts):
    return _Scattered.apply(x, comm, dim, parts)


def gather(x, comm, dim, sizes):
    """sizes: of all ranks' parts."""
    return _Gathered.apply(x, comm, dim, parts_of(sizes))
