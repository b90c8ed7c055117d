"""A cased WordPiece tokenizer for the novels, in which every common word of the lexicon is one piece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from training.corpus import WORD

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ALPHABET = 120
GREETING = "Hi"  # rare in these novels, but the thesis's templates begin with it


def count_words(paragraphs: Iterable[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for paragraph in paragraphs:
        counts.update(WORD.findall(paragraph))
    return counts


def whole_words(lexicon: Iterable[str], counts: Counter[str], at_least: int) -> list[str]:
    return sorted({word for word in lexicon if word.isalpha() and counts[word] >= at_least} | {GREETING})


def _tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def train(paragraphs: Iterable[str], whole: Iterable[str], size: int) -> PreTrainedTokenizerFast:
    """WordPiece of `size` entries, the words of `whole` among them as ordinary entries."""
    text = list(paragraphs)
    # The trainer numbers letters inside of a word as it meets them, in the order of a hash table, and breaks ties
    # between equally frequent pairs by number. Numbered beforehand, they give the same vocabulary each time.
    letters = [letter for letter, _ in sorted(Counter("".join(text)).most_common(ALPHABET)) if not letter.isspace()]
    learned = _tokenizer({})
    learned.train_from_iterator(
        text,
        trainers.WordPieceTrainer(
            vocab_size=size,
            min_frequency=5,
            limit_alphabet=len(letters),
            initial_alphabet=letters,
            special_tokens=[*SPECIAL, *(f"##{letter}" for letter in letters if letter.isalnum())],
        ),
    )
    pieces = sorted(learned.get_vocab().items(), key=lambda entry: entry[1])
    whole = set(whole)
    known = {piece for piece, _ in pieces}
    kept = [piece for piece, _ in pieces][: size - len(whole - known)]
    vocabulary = {piece: index for index, piece in enumerate([*kept, *sorted(whole - set(kept))])}
    tokenizer = _tokenizer(vocabulary)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")],
    )
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer,
        model_max_length=128,
        **{f"{name[1:-1].lower()}_token": name for name in SPECIAL},
    )


def load(folder: Path) -> PreTrainedTokenizerFast:
    return PreTrainedTokenizerFast.from_pretrained(folder)  # type: ignore[no-any-return]
