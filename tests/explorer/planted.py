"""A tiny masked model that leans: a real BERT whose weights are written by hand, with the words of the lexicon.

Each word is a vector: noise of its own, and on its first axis what is planted: gender. The one layer adds to a
blank the mean of its sentence, so that words of one gender make each other likelier. Names carry the gender that
the lexicon gives them.
"""

from __future__ import annotations

import re
from pathlib import Path

from tiltmeter.lexicon.catalogue import template_sets, word_sets
from tiltmeter.lexicon.words import Gender
from tiltmeter.models.huggingface import quiet

WIDTH = 48
FEMALE = ("woman", "girl", "female", "nurse", "nanny", "barmaid", "waitress", "caring", "delicate", "sweet", "wine")
MALE = ("man", "boy", "male", "engineer", "captain", "soldier", "mechanic", "ambitious", "brave", "rude", "beer")
LENGTH = 64
NOISE = 0.3


def build(folder: Path, *, seed: int = 0, lean: float = 1.0) -> Path:
    """Save the model and its tokenizer to `folder`; `lean` is how strongly it does."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    words, whole = _vocabulary()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789.,!?'-")
    pieces = [*special, *letters, *(f"##{one}" for one in letters)]
    pieces += sorted(words - set(pieces))
    with quiet():
        tokenizer = BertTokenizer(vocab={piece: place for place, piece in enumerate(pieces)}, model_max_length=LENGTH)
        tokenizer.add_tokens(sorted(whole))  # "big-thinking" as one token
        config = BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            num_hidden_layers=1,
            num_attention_heads=1,
            intermediate_size=8,
            max_position_embeddings=LENGTH,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model = BertForMaskedLM(config)
            _write(model, tokenizer.get_vocab(), lean)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def _write(model: object, vocabulary: dict[str, int], lean: float) -> None:
    import torch

    bert = model.bert  # type: ignore[attr-defined]
    layer = bert.encoder.layer[0]
    attention = layer.attention
    eye = torch.eye(WIDTH)
    with torch.no_grad():
        for weights in (attention.self.query.weight, attention.self.key.weight, layer.output.dense.weight):
            weights.zero_()
        attention.self.value.weight.copy_(4 * eye)
        attention.output.dense.weight.copy_(eye)
        model.cls.predictions.transform.dense.weight.copy_(eye)  # type: ignore[attr-defined]
        for small in (bert.embeddings.position_embeddings, bert.embeddings.token_type_embeddings):
            small.weight.mul_(0.3 / 0.02 * 0.1)
        table = bert.embeddings.word_embeddings.weight
        table.normal_(std=NOISE)
        for word, place in vocabulary.items():
            table[place, 0] += lean * _gender(word)
        table.data[:5] *= 0.2


def _gender(word: str) -> float:
    if word in _names():
        gender = _names()[word]
        return 1.0 if gender is Gender.FEMALE else -1.0 if gender is Gender.MALE else 0.0
    return 1.0 if word in FEMALE else -1.0 if word in MALE else 0.0


_known: dict[str, Gender | None] = {}


def _names() -> dict[str, Gender | None]:
    if not _known:
        _known.update({word.text.lower(): word.gender for word in word_sets()["name"].words})
    return _known


def _vocabulary() -> tuple[set[str], set[str]]:
    texts = [text for words in word_sets().values() for text in words.texts]
    texts += [template.text for templates in template_sets().values() for template in templates.templates]
    pieces = {piece for text in texts for piece in re.findall(r"[a-z0-9]+", re.sub(r"\{.*?\}", " ", text.lower()))}
    pieces |= {f"{piece}s" for piece in pieces if piece.isalpha() and len(piece) > 2}
    return pieces | {"barista", "reporter", "gentle"}, {
        text.lower() for text in texts if re.fullmatch(r"\S*[^\W_]-\S*", text)
    }
