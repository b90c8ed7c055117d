"""Turkish suffixes, on words of every kind of vowel and consonant, and the letters that Turkish alone has."""

from __future__ import annotations

import pytest

from tiltmeter.lexicon.catalogue import template_sets, word_set, word_sets
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import BLANK, Blank, Template
from tiltmeter.lexicon.words import Kind, Role, Word

TURKISH = grammar_of("tr")
CASES = ("accusative", "dative", "genitive", "locative", "ablative", "instrumental", "copula")


def _forms(word: Word, forms: tuple[str, ...] = CASES) -> list[str]:
    return [str(TURKISH.inflect(word, form)) for form in forms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ev", "evi eve evin evde evden evle evdir"),
        ("kız", "kızı kıza kızın kızda kızdan kızla kızdır"),
        ("göl", "gölü göle gölün gölde gölden gölle göldür"),
        ("yol", "yolu yola yolun yolda yoldan yolla yoldur"),
        ("kahve", "kahveyi kahveye kahvenin kahvede kahveden kahveyle kahvedir"),
        ("araba", "arabayı arabaya arabanın arabada arabadan arabayla arabadır"),
        ("judo", "judoyu judoya judonun judoda judodan judoyla judodur"),
        ("ütü", "ütüyü ütüye ütünün ütüde ütüden ütüyle ütüdür"),
        ("çay", "çayı çaya çayın çayda çaydan çayla çaydır"),
        ("mutfak", "mutfağı mutfağa mutfağın mutfakta mutfaktan mutfakla mutfaktır"),
        ("ok", "oku oka okun okta oktan okla oktur"),
        ("fedakâr", "fedakârı fedakâra fedakârın fedakârda fedakârdan fedakârla fedakârdır"),
    ],
)
def test_cases(text: str, expected: str) -> None:
    assert _forms(Word(text)) == expected.split()


@pytest.mark.parametrize(
    ("text", "stem", "expected"),
    [
        ("kitap", "kitab", "kitabı kitaba kitabın kitapta kitaptan kitapla kitaptır"),
        ("ağaç", "ağac", "ağacı ağaca ağacın ağaçta ağaçtan ağaçla ağaçtır"),
        ("kanat", "kanad", "kanadı kanada kanadın kanatta kanattan kanatla kanattır"),
        ("burun", "burn", "burnu burna burnun burunda burundan burunla burundur"),
        ("su", "suy", "suyu suya suyun suda sudan suyla sudur"),
        ("süt", "süt", "sütü süte sütün sütte sütten sütle süttür"),
        ("renk", "reng", "rengi renge rengin renkte renkten renkle renktir"),
        ("diyalog", "diyaloğ", "diyaloğu diyaloğa diyaloğun diyalogda diyalogdan diyalogla diyalogdur"),
    ],
)
def test_a_stem_that_the_letters_do_not_tell_is_written(text: str, stem: str, expected: str) -> None:
    assert _forms(Word(text, forms=(("stem", stem),))) == expected.split()


@pytest.mark.parametrize("text", ["kitap", "pilot", "ağaç", "tank", "psikolog", "süt"])
def test_whether_a_consonant_softens_is_asked_for(text: str) -> None:
    """kitap, kitabı; but hap, hapı: without a stem there are only the forms that do not need one."""
    word = Word(text)
    assert [TURKISH.inflect(word, form) for form in ("accusative", "dative", "genitive")] == [None] * 3
    assert str(TURKISH.inflect(word, "instrumental")).startswith(text)
    assert str(TURKISH.inflect(word, "ablative")).startswith(text)


def test_whether_several_words_are_a_compound_is_asked_for() -> None:
    """masa tenisi, masa tenisinde; but kuru çay, kuru çayda."""
    assert [TURKISH.inflect(Word("masa tenisi"), form) for form in ("accusative", "locative")] == [None, None]
    assert _forms(Word("kuru çay", forms=(("stem", "kuru çay"),)), ("accusative", "locative")) == [
        "kuru çayı",
        "kuru çayda",
    ]


def test_every_countable_noun_of_the_data_has_every_case() -> None:
    for words in word_sets("tr").values():
        for word in words.words if words.role is not Role.CONTROL else ():
            if word.kinds & {Kind.THING, Kind.PERSON, Kind.NAME} or words.name in ("sport", "beverage"):
                assert "None" not in _forms(word), word.text


def test_a_compound_has_n_before_every_case() -> None:
    tennis = next(word for word in word_set("sport", "tr").words if word.text == "masa tenisi")
    assert _forms(tennis) == [
        "masa tenisini",
        "masa tenisine",
        "masa tenisinin",
        "masa tenisinde",
        "masa tenisinden",
        "masa tenisiyle",
        "masa tenisidir",
    ]


@pytest.mark.parametrize(
    ("text", "sound", "expected"),
    [
        ("sosyal", "el", "sosyali sosyale sosyalin sosyalde sosyalden sosyalle sosyaldir sosyaller"),
        ("gol", "öl", "golü gole golün golde golden golle goldür goller"),
        ("saat", "et", "saati saate saatin saatte saatten saatle saattir saatler"),
    ],
)
def test_a_word_that_breaks_the_harmony_says_what_it_sounds_like(text: str, sound: str, expected: str) -> None:
    assert _forms(Word(text, forms=(("sound", sound),)), (*CASES, "plural")) == expected.split()


def test_a_written_form_wins_over_the_harmony() -> None:
    assert _forms(Word("rol", forms=(("accusative", "rolü"),)), ("accusative", "dative")) == ["rolü", "rola"]


# After a back vowel an l or t at the end is soft in names from Arabic, and hard in others: no letter tells.
GENITIVES = {
    "in": {"Bilal", "Celal", "Cemal", "Kemal", "Nezahat", "Zelal"},
    "ın": {"Berat", "Erdal", "Ferhat", "Murat", "Nihat", "Polat", "Rojhat", "Rıfat", "Sedat", "Suat", "Welat"},
    "un": {"Erol", "Mahmut", "Mesut", "Turgut", "Umut"},
}


def test_every_name_in_l_or_t_after_a_back_vowel_takes_its_own_suffix() -> None:
    found: dict[str, set[str]] = {}
    for words in word_sets("tr").values():
        for word in words.words:
            if Kind.NAME in word.kinds and word.text[-2:-1] in "aıou" and word.text[-1] in "lt":
                genitive = TURKISH.inflect(word, "genitive")
                assert genitive is not None
                found.setdefault(genitive.after.removeprefix("'"), set()).add(word.text)
    assert found == GENITIVES


def test_all_suffixes_of_a_name_with_a_soft_l() -> None:
    kemal = next(word for word in word_set("name", "tr").words if word.text == "Kemal")
    assert _forms(kemal, CASES[:-1]) == ["Kemal'i", "Kemal'e", "Kemal'in", "Kemal'de", "Kemal'den", "Kemal'le"]


@pytest.mark.parametrize(
    ("name", "genitive"),
    [
        ("Ayşe", "Ayşe'nin"),
        ("Ahmet", "Ahmet'in"),
        ("Zeynep", "Zeynep'in"),
        ("Uğur", "Uğur'un"),
        ("Işık", "Işık'ın"),
        ("İlayda", "İlayda'nın"),
        ("Ümit", "Ümit'in"),
        ("Songül", "Songül'ün"),
        ("Tuna", "Tuna'nın"),
    ],
)
def test_a_name_takes_its_suffix_after_an_apostrophe(name: str, genitive: str) -> None:
    assert str(TURKISH.inflect(Word(name, frozenset({Kind.NAME})), "genitive")) == genitive


def test_other_proper_nouns_do_so_too_but_not_in_the_plural() -> None:
    kurd = Word("Kürt", frozenset({Kind.PERSON, Kind.ADJECTIVE}))
    assert _forms(kurd, ("genitive", "copula", "plural")) == ["Kürt'ün", "Kürt'tür", "Kürtler"]


def test_what_is_made_of_a_proper_noun_takes_none() -> None:
    syrian = Word("Suriyeli", frozenset({Kind.PERSON, Kind.ADJECTIVE}))
    assert _forms(syrian, ("genitive", "copula", "plural")) == ["Suriyelinin", "Suriyelidir", "Suriyeliler"]
    assert _forms(Word("Ali", frozenset({Kind.NAME})), ("genitive",)) == ["Ali'nin"]


def test_the_suffix_of_a_name_stays_beside_the_blank() -> None:
    template = Template("{name:genitive} adı kısa.", "tr")
    ayşe = Word("Ayşe", frozenset({Kind.NAME}))
    assert template.fill({"name": Blank(like=ayşe)}) == f"{BLANK}'nin adı kısa."
    assert template.form("name", ayşe) == "Ayşe"


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("hemşire", "hemşireler"),
        ("doktor", "doktorlar"),
        ("şoför", "şoförler"),
        ("hâkim", "hâkimler"),
        ("kuş", "kuşlar"),
    ],
)
def test_plurals(singular: str, plural: str) -> None:
    assert str(TURKISH.inflect(Word(singular), "plural")) == plural


def test_the_plural_of_several_words_is_asked_for() -> None:
    assert TURKISH.inflect(Word("diş hekimi"), "plural") is None


def test_dotted_and_dotless_i_have_capitals_of_their_own() -> None:
    assert TURKISH.capitalised("iyi") == "İyi"
    assert TURKISH.capitalised("ılık") == "Ilık"
    assert Template("{word} burada.", "tr").fill({"word": Word("itfaiyeci")}) == "İtfaiyeci burada."
    assert Template("{word} burada.", "tr").fill({"word": Word("ısı")}) == "Isı burada."


def test_without_grammatical_gender_no_sentence_needs_two_versions() -> None:
    assert all(template.agreement is None for sets in template_sets("tr").values() for template in sets.templates)
    assert all(word.feminine is None for word in word_set("occupation", "tr").words)
