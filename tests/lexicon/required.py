"""What every language but English must have; English keeps the lists of the literature."""

from __future__ import annotations

LANGUAGES = ("de", "es", "fr", "is", "it", "nl", "no", "tr")

# The four sets of each test.
TESTS = {
    "weat1": ("flowers", "insects", "pleasant-25", "unpleasant-25"),
    "weat2": ("instruments", "weapons", "pleasant-25", "unpleasant-25"),
    "weat3": ("majority-names", "minority-names", "pleasant-25", "unpleasant-25"),
    "weat6": ("male-names", "female-names", "career", "family"),
    "weat7": ("math", "arts-7", "male-terms-7", "female-terms-7"),
    "weat8": ("science", "arts-8", "male-terms-8", "female-terms-8"),
    "weat10": ("young-peoples-names", "old-peoples-names", "pleasant-8", "unpleasant-8"),
}
MULTICLASS = ("gender", "religion")

# How many words each set has at least.
SETS = {
    **dict.fromkeys(("flowers", "insects", "instruments", "weapons"), 20),
    **dict.fromkeys(("pleasant-25", "unpleasant-25"), 25),
    **dict.fromkeys(("majority-names", "minority-names"), 16),
    **dict.fromkeys(("pleasant-8", "unpleasant-8", "male-names", "female-names", "career", "family"), 8),
    **dict.fromkeys(("math", "arts-7", "male-terms-7", "female-terms-7"), 8),
    **dict.fromkeys(("science", "arts-8", "male-terms-8", "female-terms-8"), 8),
    **dict.fromkeys(("young-peoples-names", "old-peoples-names"), 8),
    "occupation": 40,
    "trait": 60,
    "sport": 20,
    "beverage": 14,
    "gender": 6,
    "age": 60,
    "religion": 6,
    "origin": 12,
    "name": 200,
    "neutral": 60,
    "human": 60,
}
SENSITIVE = ("gender", "age", "religion", "origin")

TEMPLATES = (
    *(f"name-{feature}" for feature in ("occupation", "trait", "sport", "beverage", *SENSITIVE)),
    *(f"{target}-name" for target in ("occupation", "trait", "sport", "beverage")),
    *(f"{target}-gender" for target in ("occupation", "trait", "sport", "beverage")),
    "occupation-trait",
)
PAIRS = 20
