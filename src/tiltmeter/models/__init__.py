"""Models: the four kinds of things that can be measured. Only this package imports torch, and only when it must."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of model, what it is loaded from, and which metrics it serves."""

    name: str
    accepts: str
    serves: str


KINDS: tuple[ModelKind, ...] = (
    ModelKind(
        "static",
        "word vectors in a file: word2vec (text, binary), GloVe, fastText, npy or safetensors with a vocabulary",
        "association metrics on words, and on sentences as the mean of their words",
    ),
    ModelKind(
        "encoder",
        "a Hugging Face encoder or decoder, or a sentence-transformers model: a folder, or a name on the hub",
        "association metrics on words and sentences",
    ),
    ModelKind(
        "precomputed",
        "vectors of texts computed elsewhere: npz, parquet or jsonl with text and vector",
        "association metrics on the words and sentences that the file has",
    ),
)

LM_KINDS: tuple[ModelKind, ...] = (
    ModelKind(
        "masked",
        "BERT and its kin, with a head for masked words: a folder, or a name on the Hugging Face hub",
        "log-probability metrics and sentence pairs",
    ),
    ModelKind(
        "causal",
        "GPT and its kin: a folder, a GGUF file, or a name on the Hugging Face hub",
        "log-probability metrics and sentence pairs",
    ),
)
