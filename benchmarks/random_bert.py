"""A BERT-base with random weights and a vocabulary that holds the words of the lexicon: as slow as the real one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.lexicon.catalogue import template_sets, word_sets

VOCABULARY = 30_522


def save(folder: Path, more: Sequence[str] = (), *, layers: int = 12, width: int = 768) -> Path:
    """Write the model and its tokenizer as transformers would; `more` are further texts whose words it knows."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    texts = [text for words in word_sets().values() for text in words.texts]
    texts += more
    texts += [template.text for templates in template_sets().values() for template in templates.templates]
    letters = [*"abcdefghijklmnopqrstuvwxyz0123456789.,!?'-"]
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{one}" for one in letters)]
    pieces = {piece for text in texts for piece in re.findall(r"[a-z0-9]+", re.sub(r"\{.*?\}", " ", text.lower()))}
    whole = {text.lower() for text in texts if re.fullmatch(r"\S*[^\W_]-\S*", text)}
    vocabulary += sorted(pieces - set(vocabulary))
    vocabulary += [f"filler{i}" for i in range(VOCABULARY - len(vocabulary) - len(whole))]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "BertTokenizer", "do_lower_case": true}')
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY, num_hidden_layers=layers, hidden_size=width, num_attention_heads=width // 64
    )
    BertForMaskedLM(config).save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.add_tokens(sorted(whole))  # "big-thinking" as one token
    tokenizer.save_pretrained(folder)
    return folder
