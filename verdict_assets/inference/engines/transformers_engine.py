"""The engine that runs models in this process, with torch and transformers on the CPU.

Belongs here: which requests share a batch, and what a request asks that this engine cannot give. Does not
belong here: models, tokens and sampling (`local/`).

A request's text is a function of its prompt and its own noise; who else is in the batch changes nothing but
the order in which floating-point numbers are summed. With a batch size of 1 even that is fixed: nothing is
shared or reused, and on one machine with one number of threads a request gives the same bytes whatever was
asked before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verdict_assets.errors import UserError
from verdict_assets.inference.engines.local.checkpoint import VERSION, Checkpoint, use_threads
from verdict_assets.inference.engines.local.decoding import Continuation, Sample, StopStrings, decode
from verdict_assets.inference.engines.local.prompt_tokens import Prompt
from verdict_assets.inference.images import ImageSource
from verdict_assets.inference.request import (
    Finish,
    Provenance,
    Request,
    Response,
    Setup,
    State,
    seed,
    state_of,
)

_LOOKAHEAD = 4096
"""Requests that are tokenised and sorted together: enough to fill batches with equal lengths, little enough
that the first answers come soon and can be committed."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One request, and where it stands in the caller's list."""

    index: int
    request: Request
    prompt: Prompt


class TransformersEngine:
    """Answers requests with models from folders in the layout of transformers. An `Engine`."""

    def __init__(
        self,
        folders: Mapping[str, Path],
        images: ImageSource,
        *,
        batch_size: int = 96,
        threads: int | None = None,
        pool_bytes: int = 512 * 2**20,
    ) -> None:
        """`folders` by model id; each is loaded when it is first asked for.

        batch_size: sequences decoded together; 1 makes every answer independent of all others, to the bit.
        threads: of torch, None leaves its choice. pool_bytes: memory for keys and values of prompt prefixes,
        per model.
        """
        if batch_size < 1:
            raise UserError("a batch needs at least one request", where=f"batch_size {batch_size}")
        if threads is not None:
            use_threads(threads)
        self._folders = dict(folders)
        self._images = images
        self._batch_size = batch_size
        self._pool_bytes = pool_bytes if batch_size > 1 else 0
        self._loaded: dict[str, Checkpoint] = {}
        self._stops: dict[tuple[str, tuple[str, ...]], StopStrings] = {}
        self._provenance = Provenance(
            engine="transformers",
            version=VERSION,
            device="cpu",
            dtype="float32",
            batch="single" if batch_size == 1 else "batched",
        )

    @property
    def provenance(self) -> Provenance:
        """Engine, versions, device, dtype, and whether requests are computed alone or in batches."""
        return self._provenance

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Response]]:
        """Yield (index, answer) batch by batch.

        A prompt that leaves no room for an answer is refused, as a server would. Raises UserError for a model
        that is unknown or not the one the request names, and for fields that this engine cannot honour.
        """
        for start in range(0, len(requests), _LOOKAHEAD):
            together: dict[tuple[str, bool], list[tuple[int, Request]]] = {}
            for index, request in enumerate(requests[start : start + _LOOKAHEAD], start):
                setup = request.group.setup
                together.setdefault((setup.key, _is_greedy(request)), []).append((index, request))
            for indexed in together.values():
                yield from self._run_alike(indexed)

    def close(self) -> None:
        """Let the models go."""
        self._loaded.clear()
        self._stops.clear()

    def _run_alike(self, indexed: Sequence[tuple[int, Request]]) -> Iterator[tuple[int, Response]]:
        """Requests of one setup, all greedy or all seeded."""
        setup = indexed[0][1].group.setup
        checkpoint = self._checkpoint(setup)
        fitting = []
        for job in self._jobs(checkpoint, indexed):
            if len(job.prompt.tokens) + setup.max_tokens > checkpoint.longest:
                yield job.index, _too_long(job, setup, checkpoint.longest)
            else:
                fitting.append(job)
        fitting.sort(
            key=lambda job: (job.prompt.stem, job.request.group.key, len(job.prompt.tokens), job.index)
        )
        stops = self._stop_strings(checkpoint, setup)
        for start in range(0, len(fitting), self._batch_size):
            batch = fitting[start : start + self._batch_size]
            for job, found in zip(batch, _decoded(checkpoint, batch, setup, stops), strict=True):
                yield job.index, _response(job, found, setup)

    def _jobs(self, checkpoint: Checkpoint, indexed: Sequence[tuple[int, Request]]) -> list[_Job]:
        """Tokens for every request; requests that differ in the draw alone share one prompt object."""
        distinct: dict[tuple[str, str | None], Request] = {}
        for _, request in indexed:
            distinct.setdefault((request.group.key, request.tail), request)
        prompts = dict(
            zip(
                distinct,
                checkpoint.encoder.prompts(list(distinct.values()), together=self._together),
                strict=True,
            )
        )
        return [_Job(index, r, prompts[(r.group.key, r.tail)]) for index, r in indexed]

    @property
    def _together(self) -> int:
        """Pictures a call of the vision tower."""
        return min(self._batch_size, 32)

    def _checkpoint(self, setup: Setup) -> Checkpoint:
        _refuse_unsupported(setup)
        if setup.model not in self._folders:
            raise UserError(
                f"the engine was given no folder for model {setup.model!r}",
                where=f"models: {', '.join(sorted(self._folders))}",
                remedy="name the folder of every model that the study uses",
            )
        folder = self._folders[setup.model]
        if setup.model not in self._loaded:
            self._loaded[setup.model] = Checkpoint(folder, self._images, pool_bytes=self._pool_bytes)
        found = self._loaded[setup.model]
        if setup.revision != found.identity.revision:
            raise UserError(
                f"model {setup.model!r} has revision {found.identity.revision}, "
                f"but the request is for {setup.revision}",
                where=folder,
                remedy="restore the weights that the study was planned with, or plan it again with these",
            )
        return found

    def _stop_strings(self, checkpoint: Checkpoint, setup: Setup) -> StopStrings:
        key = (setup.model, setup.stop)
        if key not in self._stops:
            self._stops[key] = StopStrings(checkpoint, setup.stop)
        return self._stops[key]


def _is_greedy(request: Request) -> bool:
    return request.draw is None or request.group.setup.temperature == 0


def _decoded(
    checkpoint: Checkpoint, batch: Sequence[_Job], setup: Setup, stops: StopStrings
) -> list[Continuation]:
    prompts = list({id(job.prompt): job.prompt for job in batch}.values())
    place = {id(prompt): index for index, prompt in enumerate(prompts)}
    checkpoint.remember(prompts)
    samples = [
        Sample(place[id(job.prompt)], None if _is_greedy(job.request) else seed(job.request)) for job in batch
    ]
    return decode(checkpoint, prompts, samples, setup, stops)


def _response(job: _Job, found: Continuation, setup: Setup) -> Response:
    return Response(
        text=found.text,
        finish=found.finish,
        state=state_of(found.text, found.finish),
        prompt_tokens=len(job.prompt.tokens),
        output_tokens=found.tokens,
        cached_tokens=found.reused,
        logprob=found.logprob if setup.logprobs else None,
    )


def _too_long(job: _Job, setup: Setup, longest: int) -> Response:
    size = len(job.prompt.tokens)
    error = f"{size} prompt tokens and {setup.max_tokens} to write exceed the model's {longest} positions"
    return Response("", Finish.ERROR, State.REFUSED, size, 0, error=error)


def _refuse_unsupported(setup: Setup) -> None:
    """Never answer a question other than the one that was asked."""
    asked = {
        "dtype": setup.dtype != "float32",
        "repetition_penalty": setup.repetition_penalty != 1.0,
        "presence_penalty": setup.presence_penalty != 0.0,
        "frequency_penalty": setup.frequency_penalty != 0.0,
        "constraint": setup.constraint is not None,
    }
    faults = [name for name, wanted in asked.items() if wanted]
    if faults:
        raise UserError(
            f"the transformers engine has float32 only, no penalties, no constraints: {', '.join(faults)}",
            where=f"setup of model {setup.model!r}",
            remedy="leave the field at its default, or use an OpenAI-compatible server",
        )
