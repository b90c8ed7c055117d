"""`tiltmeter plan`: what a run will cost, before it is started."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.output import Json, console, print_json, print_rows, say

if TYPE_CHECKING:
    from tiltmeter.runs.cost import ModelCost

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def plan(
    spec: Annotated[Path, typer.Argument(help="A spec in YAML, as `tiltmeter run` takes it.")],
    as_json: Json = False,
) -> None:
    """Estimate a run: forward passes, tokens, FLOPs, time here and on GPUs, and the room that states take.

    Every distinct job is rehearsed once, on models without weights; so the counts are exact. The time here follows from
    them and from how fast this machine multiplies now, that on GPUs from their makers' figures.
    """
    from tiltmeter.runs.cost import costs, total
    from tiltmeter.runs.plan import plan as planned
    from tiltmeter.runs.spec import read_spec

    with console(stderr=True).status("reading the spec") as status:
        found = costs(planned(read_spec(spec)), lambda job: status.update(f"rehearsing {job.title}"))
    everything = total(found)
    if as_json:
        print_json({"models": [dataclasses.asdict(one) for one in found], "all": dataclasses.asdict(everything)})
    else:
        rows = [_row(one) for one in (*found, *((everything,) if len(found) > 1 else ()))]
        print_rows(rows, title="What it costs", as_json=False)
        print_rows(_times(everything), title="All of it, one after the other", as_json=False)
    for reason in everything.failed:
        say(f"[yellow]not estimated[/] {reason}")


def _row(cost: ModelCost) -> Mapping[str, Any]:
    return {
        "model": cost.model,
        "kind": cost.kind,
        "jobs": cost.jobs,
        "parameters": _short(cost.parameters),
        "forward passes": f"{cost.texts:,}",
        "tokens": f"{cost.tokens:,}",
        "FLOPs": _short(cost.flops),
        "states": _short(cost.cache_bytes) + "B",
        "time here": duration(cost.seconds),
    }


def _times(cost: ModelCost) -> Sequence[Mapping[str, Any]]:
    here = {"on": "this machine", "time": duration(cost.seconds), "of which statistics": duration(cost.host_seconds)}
    if not cost.texts:  # no model that a GPU would compute
        return [here]
    return [here] + [
        {"on": name, "time": duration(seconds), "of which statistics": duration(cost.host_seconds)}
        for name, seconds in cost.on_gpu.items()
    ]


def duration(seconds: float) -> str:
    """To two digits or so, which is more than is known."""
    for unit, name in ((_DAY, "days"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.2g} {name}" if seconds < 100 * unit else f"{seconds / unit:,.0f} {name}"
    return f"{seconds:.2g} s" if seconds < 100 else f"{seconds:.0f} s"


def _short(number: float) -> str:
    for size, name in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {name}"
    return f"{number:.0f} "
