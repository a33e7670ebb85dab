from __future__ import annotations

import hashlib

import pytest

from verdict_assets.errors import UserError
from verdict_assets.inference.images import ImageSource, VerifiedImages

PICTURE = b"\x89PNG"
NAME = hashlib.sha256(PICTURE).hexdigest()


def test_the_bytes_of_an_image() -> None:
    images: ImageSource = VerifiedImages.of({NAME: PICTURE})
    assert images.bytes(NAME) == PICTURE


def test_a_changed_image_is_refused() -> None:
    with pytest.raises(UserError, match="was changed") as refused:
        VerifiedImages.of({NAME: PICTURE + b"\x00"}, where="scenes_2d.parquet").bytes(NAME)
    assert refused.value.where == "scenes_2d.parquet"


def test_an_unknown_image_is_refused() -> None:
    with pytest.raises(UserError, match="is not there"):
        VerifiedImages.of({}).bytes(NAME)
