"""A page becomes text, in whatever letters it was written, and whatever it is made of."""

import pytest

from hakoniwa.capabilities.fetch import FetchedPage, FetchRefused
from hakoniwa.capabilities.web_access import LONGEST_PASSAGE, MOST_PASSAGES, PageText, excerpt, read_page


def fetched(body: bytes, kind: str = "text/html", charset: str | None = "utf-8") -> FetchedPage:
    return FetchedPage("http://a.test/", kind, charset, body, False)


def test_what_a_reader_sees_is_kept_block_by_block() -> None:
    html = """<html><head><title>お茶の  淹れ方</title><style>p{}</style></head><body><nav>メニュー</nav>
    <h1>煎茶</h1><p>湯を<b>七十度</b>に<!-- 秘密 -->冷ます。<p>一分待つ。
    <ul><li>茶葉<li>急須</ul><script>alert(1)</script></body>"""
    assert read_page(fetched(html.encode())) == PageText(
        "お茶の 淹れ方", ("煎茶", "湯を七十度に冷ます。", "一分待つ。", "茶葉", "急須")
    )


@pytest.mark.parametrize(
    ("codec", "declared", "charset"),
    [
        ("utf-8", "", None),
        ("shift_jis", "", "Shift_JIS"),
        ("euc_jp", '<meta charset="euc-jp">', None),
        ("cp932", '<meta http-equiv="Content-Type" content="text/html; charset=windows-31j">', None),
        ("iso2022_jp", "", "iso-2022-jp"),
    ],
)
def test_japanese_letters_are_read(codec: str, declared: str, charset: str | None) -> None:
    assert read_page(fetched(f"{declared}<p>珈琲と紅茶".encode(codec), charset=charset)).passages == ("珈琲と紅茶",)


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "base64", "nonsense", "utf-7", "x" * 300])
def test_a_codec_that_does_more_than_read_letters_is_not_used(charset: str) -> None:
    assert read_page(fetched("<p>茶".encode(), charset=charset)).passages == ("茶",)


def test_signs_that_steer_are_dropped() -> None:
    assert read_page(fetched("a\x1b[31mb\u202ec\u200bd\x07".encode(), "text/plain")).passages == ("a[31mbcd",)
    assert read_page(fetched(b"<p>a\x01b<br>&#1;c</p>\x01d")).passages == ("ab", "c", "d")


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "application/octet-stream", "text/css"])
def test_what_has_no_text_is_refused(kind: str) -> None:
    with pytest.raises(FetchRefused, match="content-type"):
        read_page(fetched(b"x", kind))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x00",
        b"<" * 300_000,
        b"<div>" * 60_000,
        b"<a b=" * 60_000,
        b"<p>" * 100_000,
        b"&amp;" * 60_000,
        b"<table><tr><td>" * 20_000,
        b"<b><i>" * 50_000 + b"</b>",
        b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><p>&a;</p>",
        b"<!--" * 70_000,
        "あ".encode() * 100_000,
        b"x\n" * 150_000,
    ],
    ids=lambda body: f"{body[:12]!r}x{len(body)}",
)
def test_a_page_made_to_hurt_is_read_in_bounds(body: bytes) -> None:
    text = read_page(fetched(body))
    assert len(text.passages) <= MOST_PASSAGES
    assert all(len(passage) <= LONGEST_PASSAGE for passage in text.passages)
    assert "root:" not in "".join(text.passages)


def test_an_excerpt_has_what_bears_on_the_question_in_the_order_of_the_page() -> None:
    text = PageText(
        "", ("お知らせ一覧", "玉露は五十度で淹れる。", "会社概要", "煎茶は七十度の湯で淹れる。", "採用情報")
    )
    assert excerpt(text, "煎茶の湯の温度は何度で淹れる？", 30) == "玉露は五十度で淹れる。\n煎茶は七十度の湯で淹れる。"
    assert excerpt(text, "", 6) == "会社概要"
