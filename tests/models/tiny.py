"""Tiny models with random weights and real tokenizers, saved to a folder as a released model is.

Each architecture has the tokenizer of its kind, trained here on a few sentences: WordPiece, byte-level BPE or Unigram.
The vocabularies are small, so that most words fall into several tokens.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tiltmeter.models.huggingface import quiet

LAYERS = 2
MAX_TOKENS = 48
WIDTH = 32
HEADS = {None: "AutoModel", "masked": "AutoModelForMaskedLM", "causal": "AutoModelForCausalLM"}

CORPUS = [
    "This is a word. That is the other word. They are words, and there it is.",
    "The nurse said that she would be there. The engineer said that he would be there.",
    "He is a doctor; she is a programmer. The mother, the father, and their children.",
    "Here is a woman. Here is a man. A man and a woman are here together with them.",
    "Amy and Jeremy like mathematics, algebra, geometry, poetry, dance and sculpture.",
    "A violin is pleasant. A weapon is unpleasant. The flowers are lovely, the insects are not.",
    "Nurses help others; the nursery is where the nurse works. Whether the weather is fine, nobody knows.",
]

Vocabulary = dict[str, int]
Pieces = list[tuple[str, float]]


def build(
    folder: Path, architecture: str, head: str | None = None, *, seed: int = 0, spread: float | None = None
) -> Path:
    """Save a model of `architecture` with a `head` (None, "masked" or "causal") and its tokenizer to `folder`.

    As released models begin, all positions say nearly the same; with a `spread` for all weights, biases included, what
    a model says depends strongly on each token and its place.
    """
    import torch
    import transformers

    make_tokenizer, settings = ARCHITECTURES[architecture]
    tokenizer = make_tokenizer()
    special = {
        f"{name}_token_id": getattr(tokenizer, f"{name}_token_id")
        for name in ("pad", "bos", "eos", "cls", "sep", "mask")
        if getattr(tokenizer, f"{name}_token_id") is not None
    }
    config = transformers.AutoConfig.for_model(architecture, vocab_size=len(tokenizer), **settings, **special)
    with quiet(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = getattr(transformers, HEADS[head]).from_config(config)
        for weights in model.parameters() if spread else ():
            weights.data.normal_(mean=1 if weights.ndim == 1 and weights.data.min() == 1 else 0, std=spread)
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _trained(model: Any, trainer: Any, *, normalizer: Any = None, pre_tokenizer: Any = None) -> dict[str, Any]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer(model)
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer.show_progress = False
    tokenizer.train_from_iterator(CORPUS, trainer)
    trained: dict[str, Any] = json.loads(tokenizer.to_str())["model"]
    return trained


def _word_piece(special: Iterable[str]) -> Vocabulary:
    """Pieces found by BPE, at the beginning of a word and within it: the library's own trainer is not repeatable."""
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    trained = _trained(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=100),
        normalizer=normalizers.BertNormalizer(),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer(),
    )
    pieces = sorted(trained["vocab"], key=trained["vocab"].get)
    return {piece: number for number, piece in enumerate([*special, *pieces, *(f"##{piece}" for piece in pieces)])}


def _byte_level(special: Iterable[str]) -> tuple[Vocabulary, list[tuple[str, str]]]:
    from tokenizers import models, pre_tokenizers, trainers

    trained = _trained(
        models.BPE(),
        trainers.BpeTrainer(
            vocab_size=350, special_tokens=list(special), initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
        ),
        pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=False),
    )
    return trained["vocab"], [(left, right) for left, right in trained["merges"]]


def _unigram(special: Iterable[str], unknown: str = "<unk>") -> Pieces:
    from tokenizers import models, pre_tokenizers, trainers

    trained = _trained(
        models.Unigram(),
        trainers.UnigramTrainer(vocab_size=150, special_tokens=list(special), unk_token=unknown),
        pre_tokenizer=pre_tokenizers.Metaspace(),
    )
    # The pieces are the same each time; their scores are not, in the fourth decimal.
    text = "\u2581" + " ".join(CORPUS).replace(" ", "\u2581")
    first = list(special)
    pieces = sorted(piece for piece, _ in trained["vocab"] if piece not in first)
    return [(piece, 0.0) for piece in first] + [
        (piece, math.log((text.count(piece) + 1) / len(text))) for piece in pieces
    ]


def _of_class(name: str, **arguments: Any) -> Any:
    import transformers

    return getattr(transformers, name)(model_max_length=MAX_TOKENS, **arguments)


def _bert() -> Any:
    return _of_class("BertTokenizer", vocab=_word_piece(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")))


def _roberta() -> Any:
    vocab, merges = _byte_level(("<s>", "<pad>", "</s>", "<unk>", "<mask>"))
    return _of_class("RobertaTokenizer", vocab=vocab, merges=merges)


def _gpt2() -> Any:
    vocab, merges = _byte_level(("<|endoftext|>",))
    return _of_class("GPT2Tokenizer", vocab=vocab, merges=merges)


def _qwen2() -> Any:
    vocab, merges = _byte_level(("<|endoftext|>",))
    return _of_class("Qwen2Tokenizer", vocab=vocab, merges=merges)


def _llama() -> Any:
    """As Llama 3: byte-level BPE, a first token, and no padding."""
    begin, end = "<|begin_of_text|>", "<|end_of_text|>"
    return _byte_level_object((begin, end), f"{begin} $A", begin, bos_token=begin, eos_token=end)


def _modernbert() -> Any:
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    ends = {"bos_token": "[CLS]", "eos_token": "[SEP]"}
    return _byte_level_object(names.values(), "[CLS] $A [SEP]", "[CLS]", "[SEP]", **names, **ends)


def _byte_level_object(special: Iterable[str], template: str, *added: str, **names: str) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    vocab, merges = _byte_level(special)
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[(token, vocab[token]) for token in added]
    )
    return _of_class("PreTrainedTokenizerFast", tokenizer_object=tokenizer, **names)


def _gemma() -> Any:
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    special = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>"]
    trained = _trained(
        models.BPE(unk_token="<unk>", byte_fallback=True),
        trainers.BpeTrainer(vocab_size=400, special_tokens=[*special, *(f"<0x{byte:02X}>" for byte in range(256))]),
        normalizer=normalizers.Replace(" ", "▁"),
        pre_tokenizer=pre_tokenizers.Split("▁", "merged_with_next"),
    )
    merges = [(left, right) for left, right in trained["merges"]]
    return _of_class("GemmaTokenizer", vocab=trained["vocab"], merges=merges, add_bos_token=True)


def _xlnet() -> Any:
    special = ("<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>", "<mask>", "<eod>", "<eop>")
    return _of_class("XLNetTokenizer", vocab=_unigram(special))


def _albert() -> Any:
    return _of_class("AlbertTokenizer", vocab=_unigram(("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]")))


def _xlm_roberta() -> Any:
    return _of_class("XLMRobertaTokenizer", vocab=_unigram(("<s>", "<pad>", "</s>", "<unk>", "<mask>")))


def _camembert() -> Any:
    special = ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>", "<mask>")
    return _of_class("CamembertTokenizer", vocab=_unigram(special))


def _deberta() -> Any:
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    return _of_class("DebertaV2Tokenizer", vocab=_unigram(special, "[UNK]"))


_COMMON = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": MAX_TOKENS,
}
# RoBERTa and its kin count positions from the one after the padding's, whose number is 1.
_OFFSET = _COMMON | {"max_position_embeddings": MAX_TOKENS + 2, "type_vocab_size": 1}

ARCHITECTURES: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "bert": (_bert, _COMMON),
    "roberta": (_roberta, _OFFSET),
    "distilbert": (
        _bert,
        {"dim": WIDTH, "n_layers": LAYERS, "n_heads": 4, "hidden_dim": 64, "max_position_embeddings": MAX_TOKENS},
    ),
    "albert": (_albert, _COMMON | {"embedding_size": 16}),
    "electra": (_bert, _COMMON | {"embedding_size": 16}),
    "xlm-roberta": (_xlm_roberta, _OFFSET),
    "camembert": (_camembert, _OFFSET),
    "deberta-v2": (
        _deberta,
        _COMMON | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_biased_input": False},
    ),
    "modernbert": (_modernbert, _COMMON | {"local_attention": 8, "global_attn_every_n_layers": 2}),
    "xlnet": (_xlnet, {"d_model": WIDTH, "n_layer": LAYERS, "n_head": 4, "d_inner": 64}),
    "gpt2": (_gpt2, {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4, "n_positions": MAX_TOKENS}),
    "llama": (_llama, _COMMON | {"num_key_value_heads": 2}),
    "qwen2": (_qwen2, _COMMON | {"num_key_value_heads": 2}),
    "gemma": (_gemma, _COMMON | {"num_key_value_heads": 2, "head_dim": 8}),
    # Logits bent by tanh, and a window of attention that is shorter than the texts.
    "gemma2": (_gemma, _COMMON | {"num_key_value_heads": 2, "head_dim": 8, "sliding_window": 4}),
    "opt": (_gpt2, _COMMON | {"ffn_dim": 64, "word_embed_proj_dim": 16}),
    "bloom": (_gpt2, {"hidden_size": WIDTH, "n_layer": LAYERS, "n_head": 4}),
    "openai-gpt": (_gpt2, {"n_embd": WIDTH, "n_layer": LAYERS, "n_head": 4, "n_positions": MAX_TOKENS}),
}
MASKED = (
    "bert",
    "roberta",
    "distilbert",
    "albert",
    "electra",
    "xlm-roberta",
    "camembert",
    "deberta-v2",
    "modernbert",
)
CAUSAL = ("xlnet", "gpt2", "llama", "qwen2", "gemma")
