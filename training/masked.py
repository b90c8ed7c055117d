"""Train a small masked language model on novels: `python -m training.masked --help`.

Only torch, transformers, tokenizers and numpy are imported. The same command, interrupted and started again, goes on
where it was; given a seed, a device and a number of threads, the same command gives the same losses. The learning rate
is constant after the warm-up and falls at the end only, so that `--steps` may be raised until a run comes to its end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from training import corpus, start, vocabulary

BUCKETS = (16, 24, 32, 48, 64, 96, 128)
COMMON = 10_000  # occurrences


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    add = parser.add_argument
    add("corpus", type=Path, help="novels, one paragraph a line, xz; README.md beside it lists them")
    add("out", type=Path, help="folder for the model; work/ in it holds what a restart needs")
    add("--language", default="en")
    add("--words", type=Path, required=True, help="words of the lexicon, one a line (python -m training.words en)")
    add("--held-out", nargs="*", default=[], help="parts of the titles of novels that are not trained on")
    add("--vocabulary", type=int, default=16_000)
    add("--layers", type=int, default=6)
    add("--hidden", type=int, default=256)
    add("--heads", type=int, default=4)
    add("--deepen", type=Path, help="start from the weights of this model of fewer layers, stacked")
    add("--start", choices=("pmi", "random"), default="pmi", help="how the embeddings start")
    add(
        "--text",
        choices=("both", "sentences", "focus"),
        default="both",
        help="both: single sentences and runs of them; focus: single sentences with a word of the lexicon",
    )
    add("--longest", type=int, default=105, help="tokens of a run of sentences; longer sentences are cut")
    add("--mask", type=float, default=0.15)
    add("--mask-lexicon", type=float, default=0.35)
    add("--slots", type=int, default=131_072, help="token slots a step")
    add("--steps", type=int, default=12_000)
    add("--warm-up", type=int, default=400, help="steps")
    add("--fall", type=float, default=0.3, help="share of the steps over which the rate falls to 0")
    add("--rate", type=float, default=1.2e-3)
    add("--save-every", type=int, default=500)
    add("--seed", type=int, default=1)
    add("--threads", type=int, default=0, help="0: as many as torch likes")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


@dataclass(frozen=True, slots=True)
class Data:
    tokenizer: PreTrainedTokenizerFast
    train: corpus.Packed
    held: corpus.Packed
    lexicon: NDArray[np.bool_]  # by token id: is it a word of the lexicon, and not a very common one?
    counts: dict[str, int]  # occurrences of each whole word of the vocabulary in the training text


def prepare(args: argparse.Namespace) -> Data:
    """Tokenizer and token ids: made once, then read from work/."""
    work: Path = args.out / "work"
    words = args.words.read_text(encoding="utf-8").split()
    if not (work / "ready").exists():
        work.mkdir(parents=True, exist_ok=True)
        books = corpus.novels(args.corpus.with_name("README.md"), args.language)
        train, held = corpus.split(corpus.paragraphs(args.corpus), books, args.held_out)
        found = vocabulary.count_words(train)
        tokenizer = vocabulary.train(train, vocabulary.whole_words(words, found, at_least=20), args.vocabulary)
        tokenizer.save_pretrained(work)
        for name, part in (("train", train), ("held", held)):
            packed = corpus.pack(encoded(tokenizer, part))
            np.save(work / f"{name}-ids.npy", packed.ids)
            np.save(work / f"{name}-starts.npy", packed.starts)
        known = {word: found[word] for word in sorted(tokenizer.get_vocab()) if found[word]}
        (work / "counts.json").write_text(json.dumps(known, ensure_ascii=False, indent=0), encoding="utf-8")
        (work / "ready").touch()
    tokenizer = vocabulary.load(work)
    counts = json.loads((work / "counts.json").read_text(encoding="utf-8"))
    lexicon = np.zeros(len(tokenizer), bool)
    ids = tokenizer.get_vocab()
    # Man, he, is: words that stand everywhere are learned without help, and choose no sentences.
    lexicon[[ids[word] for word in words if word in ids and counts.get(word, 0) <= COMMON]] = True
    train_ids, held_ids = (
        corpus.Packed(np.load(work / f"{name}-ids.npy"), np.load(work / f"{name}-starts.npy"))
        for name in ("train", "held")
    )
    return Data(tokenizer, train_ids, held_ids, lexicon, counts)


def encoded(tokenizer: PreTrainedTokenizerFast, paragraphs: list[str]) -> Iterator[list[int]]:
    tokenizer.model_max_length = 10**9  # sentences are cut later
    texts = [sentence for paragraph in paragraphs for sentence in corpus.sentences(paragraph)]
    for first in range(0, len(texts), 20_000):
        yield from tokenizer(texts[first : first + 20_000], add_special_tokens=False).input_ids


def spans(data: Data, args: argparse.Namespace) -> NDArray[np.int64]:
    """The bounds of all training examples of an epoch."""
    text = data.train
    single = np.stack([text.starts[:-1], np.minimum(text.starts[1:], text.starts[:-1] + args.longest)], 1)
    if args.text == "both":
        return np.concatenate([single, corpus.runs(text, args.longest)])
    if args.text == "sentences":
        return single
    telling = np.concatenate([[0], np.cumsum(data.lexicon[text.ids])])
    chosen: NDArray[np.int64] = single[telling[single[:, 1]] > telling[single[:, 0]]]
    return chosen


def epoch(
    examples: NDArray[np.int64], slots: int, generator: np.random.Generator
) -> list[tuple[int, NDArray[np.int64]]]:
    """(length, examples) of each step, every batch of one length bucket, in random order."""
    order = generator.permutation(len(examples))
    lengths = examples[order, 1] - examples[order, 0] + 2
    bucket = np.searchsorted(BUCKETS, lengths)
    batches = []
    for index, length in enumerate(BUCKETS):
        chosen = order[bucket == index]
        size = max(1, slots // length)
        batches += [(length, examples[chosen[i : i + size]]) for i in range(0, len(chosen), size)]
    return [batches[index] for index in generator.permutation(len(batches)).tolist()]


def batch(
    ids: NDArray[np.uint16], bounds: NDArray[np.int64], length: int, tokenizer: PreTrainedTokenizerFast
) -> torch.Tensor:
    first, last = bounds[:, :1], np.minimum(bounds[:, 1:], bounds[:, :1] + length - 2)
    place = first + np.arange(length - 2)
    table = np.full((len(bounds), length), tokenizer.pad_token_id, np.int64)
    table[:, 0] = tokenizer.cls_token_id
    table[:, 1:-1] = np.where(place < last, ids[np.minimum(place, len(ids) - 1)], tokenizer.pad_token_id)
    table[np.arange(len(bounds)), 1 + (last - first)[:, 0]] = tokenizer.sep_token_id
    return torch.from_numpy(table)


@dataclass(frozen=True, slots=True)
class Masking:
    """Devlin et al. 2019: of the chosen tokens 80 % become [MASK], 10 % another, 10 % stay; a rate for each token."""

    rates: torch.Tensor
    mask: int

    @classmethod
    def of(cls, data: Data, args: argparse.Namespace) -> Masking:
        rates = torch.where(torch.from_numpy(data.lexicon), args.mask_lexicon, args.mask).to(args.device)
        rates[data.tokenizer.all_special_ids] = 0
        return cls(rates, data.tokenizer.mask_token_id)

    def __call__(self, ids: torch.Tensor, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
        chance, kind = torch.rand(2, *ids.shape, generator=generator, device=ids.device)
        chosen = chance < self.rates[ids]
        other = torch.randint(5, len(self.rates), ids.shape, generator=generator, device=ids.device)
        seen = torch.where(chosen & (kind < 0.8), self.mask, torch.where(chosen & (kind > 0.9), other, ids))
        return seen, chosen


def logits(model: BertForMaskedLM, seen: torch.Tensor, chosen: torch.Tensor, pad: int) -> torch.Tensor:
    """The head runs at the chosen tokens only."""
    mixed = torch.autocast(seen.device.type, torch.bfloat16, enabled=seen.device.type == "cuda")
    with mixed:
        states = model.bert(seen, attention_mask=seen != pad).last_hidden_state
        scores: torch.Tensor = model.cls(states[chosen])
    return scores.float()


@torch.no_grad()
def evaluate(model: BertForMaskedLM, data: Data, args: argparse.Namespace, sentences: int = 2_000) -> dict[str, float]:
    """Loss and accuracy on sentences of the held-out novels, 15 % of whose tokens are masked, always the same ones."""
    if not len(data.held):
        return {}
    generator = torch.Generator(args.device).manual_seed(7)
    masking = Masking(torch.full_like(Masking.of(data, args).rates, 0.15), data.tokenizer.mask_token_id)
    masking.rates[data.tokenizer.all_special_ids] = 0
    bounds = np.stack([data.held.starts[:-1], data.held.starts[1:]], 1)
    bounds = bounds[np.random.default_rng(7).permutation(len(bounds))[:sentences]]
    total, right, seen_tokens = 0.0, 0, 0
    for length, rows in epoch(bounds, 8_192, np.random.default_rng(7)):
        ids = batch(data.held.ids, rows, length, data.tokenizer).to(args.device)
        seen, chosen = masking(ids, generator)
        scores, truth = logits(model, seen, chosen, data.tokenizer.pad_token_id), ids[chosen]
        total += cross_entropy(scores, truth, reduction="sum").item()
        right += int((scores.argmax(1) == truth).sum())
        seen_tokens += len(truth)
    return {"held_out_loss": round(total / seen_tokens, 4), "held_out_accuracy": round(right / seen_tokens, 4)}


def rate(step: int, args: argparse.Namespace) -> float:
    fall = args.steps * args.fall
    return float(args.rate * min(1.0, (step + 1) / args.warm_up, (args.steps - step) / fall if fall else 1.0))


def new_model(data: Data, args: argparse.Namespace) -> BertForMaskedLM:
    torch.manual_seed(args.seed)
    model = BertForMaskedLM(
        BertConfig(
            vocab_size=len(data.tokenizer), hidden_size=args.hidden, num_hidden_layers=args.layers,
            num_attention_heads=args.heads, intermediate_size=4 * args.hidden, max_position_embeddings=BUCKETS[-1],
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, pad_token_id=data.tokenizer.pad_token_id,
        )
    )  # fmt: skip
    if args.deepen:
        start.deepen(model, BertForMaskedLM.from_pretrained(args.deepen, dtype=torch.float32))
    elif args.start == "pmi":
        known = args.out / "work" / "pmi.npy"
        if not known.exists():
            np.save(known, start.pmi_vectors(data.train, len(data.tokenizer), args.hidden, window=4, seed=args.seed))
        frequencies = np.bincount(data.train.ids, minlength=len(data.tokenizer))
        start.warm(model, np.load(known), frequencies, spread=0.04)
    return model.to(args.device)  # type: ignore[no-any-return]


def optimizer(model: BertForMaskedLM, args: argparse.Namespace) -> torch.optim.AdamW:
    matrices = [weight for weight in model.parameters() if weight.ndim > 1]
    others = [weight for weight in model.parameters() if weight.ndim < 2]
    groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=args.rate, betas=(0.9, 0.98), fused=True)


def replace(path: Path, state: object) -> None:
    torch.save(state, path.with_suffix(".part"))
    path.with_suffix(".part").replace(path)


def publish(model: BertForMaskedLM, data: Data, args: argparse.Namespace) -> str:
    """Half-precision weights, tokenizer and counts in `out`, as plain transformers reads them; the weights' SHA-256."""
    half: BertForMaskedLM = BertForMaskedLM(model.config).half()  # type: ignore[no-untyped-call]
    half.load_state_dict(model.state_dict())
    half.save_pretrained(args.out)
    data.tokenizer.save_pretrained(args.out)
    (args.out / "counts.json").write_text(json.dumps(data.counts, ensure_ascii=False, indent=0), encoding="utf-8")
    return hashlib.sha256((args.out / "model.safetensors").read_bytes()).hexdigest()


def train(args: argparse.Namespace) -> None:
    if args.threads:
        torch.set_num_threads(args.threads)
    data = prepare(args)
    model = new_model(data, args)
    steps = optimizer(model, args)
    work: Path = args.out / "work"
    done, seconds = 0, 0.0
    if (work / "state.pt").exists():
        state = torch.load(work / "state.pt", map_location=args.device, weights_only=True)
        model.load_state_dict(state["model"])
        steps.load_state_dict(state["optimizer"])
        done, seconds = state["step"], state["seconds"]
    log: Path = args.out / "log.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    history = [entry for entry in map(json.loads, lines) if entry["step"] <= done]
    examples, masking = spans(data, args), Masking.of(data, args)
    print(
        f"{len(examples):,} examples of {(examples[:, 1] - examples[:, 0]).sum():,} tokens an epoch; step {done}",
        flush=True,
    )
    plan: list[tuple[int, NDArray[np.int64]]] = []
    began, step, rounds, losses = time.monotonic() - seconds, 0, 0, []
    while step < args.steps:
        if not plan:
            plan = epoch(examples, args.slots, np.random.default_rng((args.seed, rounds)))[::-1]
            rounds += 1
        length, rows = plan.pop()
        step += 1
        if step <= done:
            continue
        ids = batch(data.train.ids, rows, length, data.tokenizer).to(args.device, non_blocking=True)
        seen, chosen = masking(ids, torch.Generator(args.device).manual_seed(args.seed * 1_000_003 + step))
        for group in steps.param_groups:
            group["lr"] = rate(step - 1, args)
        loss = cross_entropy(logits(model, seen, chosen, data.tokenizer.pad_token_id), ids[chosen])
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        steps.step()
        steps.zero_grad(set_to_none=True)
        losses.append(loss.detach())
        if step % args.save_every == 0 or step == args.steps:
            seconds = time.monotonic() - began
            loss_now = torch.stack(losses).mean().item()
            if not math.isfinite(loss_now):
                raise SystemExit(f"step {step}: the loss is not finite; lower --rate")
            entry = {
                "step": step,
                "epoch": rounds,
                "loss": round(loss_now, 4),
                **evaluate(model, data, args),
                "rate": rate(step - 1, args),
                "seconds": round(seconds),
                "sha256": publish(model, data, args),
            }
            print(json.dumps(entry), flush=True)
            history.append(entry)
            part = log.with_suffix(".part")
            part.write_text("".join(f"{json.dumps(one)}\n" for one in history), encoding="utf-8")
            part.replace(log)
            state = {"model": model.state_dict(), "optimizer": steps.state_dict(), "step": step, "seconds": seconds}
            replace(work / "state.pt", state)
            losses.clear()
    print(f"done: {args.out}", flush=True)


if __name__ == "__main__":
    train(arguments())
