"""What a scene is and how it looks: coloured shapes on a plain ground, drawn to a small picture.

Belongs here: objects, their quantised attributes (column, row, depth), placement, drawing, the split of all
scenes into training and test. Questions are in ``questions``, sentences in ``language``.
"""

import hashlib
import json
import random
from dataclasses import dataclass
from io import BytesIO

from PIL import Image, ImageDraw

SIDE = 112
"""Side of the square picture in pixels: 8 x 8 patches of 14, which the model merges to 4 x 4 tokens."""
CELL = 28
"""Side in pixels of the ground one merged visual token covers; no two objects are centred in one cell."""
COLUMNS = 6
ROWS = 6
DEPTHS = 5
RADIUS_MIN, RADIUS_MAX = 6, 15
"""All objects have one real size, so the drawn radius (pixels) tells the distance from the camera."""
TEST_ONE_IN = 16
"""One scene in so many is a test scene, decided by the scene itself: training can never contain it."""

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (214, 39, 40),
    "green": (44, 150, 60),
    "blue": (40, 80, 215),
    "yellow": (240, 210, 40),
    "purple": (135, 60, 175),
    "orange": (245, 135, 25),
    "cyan": (45, 195, 215),
    "pink": (240, 130, 190),
}
SHAPES = ("circle", "square", "triangle")
NAMES = tuple(f"{colour} {shape}" for colour in COLOURS for shape in SHAPES)
GROUND = (246, 245, 240)


@dataclass(frozen=True, slots=True)
class Thing:
    """One object: its colour is unique in the scene; centre and radius in pixels."""

    colour: str
    shape: str
    x: int
    y: int
    radius: int

    @property
    def name(self) -> str:
        """Colour and shape, which is how sentences call it."""
        return f"{self.colour} {self.shape}"

    @property
    def column(self) -> int:
        """1 (left) to ``COLUMNS`` (right)."""
        return self.x * COLUMNS // SIDE + 1

    @property
    def row(self) -> int:
        """1 (top) to ``ROWS`` (bottom)."""
        return self.y * ROWS // SIDE + 1

    @property
    def depth(self) -> int:
        """1 (closest to the camera, largest) to ``DEPTHS``."""
        return DEPTHS - (self.radius - RADIUS_MIN) * DEPTHS // (RADIUS_MAX - RADIUS_MIN + 1)

    @property
    def quarter(self) -> str:
        """``top left``, ``top right``, ``bottom left`` or ``bottom right`` by the centre."""
        return f"{'top' if self.y < SIDE // 2 else 'bottom'} {'left' if self.x < SIDE // 2 else 'right'}"


QUARTERS = ("top left", "top right", "bottom left", "bottom right")


@dataclass(frozen=True, slots=True)
class Scene:
    """Objects in drawing order."""

    things: tuple[Thing, ...]

    def find(self, colour: str) -> Thing | None:
        """The object of a colour."""
        return next((thing for thing in self.things if thing.colour == colour), None)

    def named(self, name: str) -> Thing | None:
        """The object of a colour and a shape."""
        return next((thing for thing in self.things if thing.name == name), None)

    def count(self, shape: str, quarter: str | None = None) -> int:
        """How many objects of a shape there are, in one quarter or in all."""
        return sum(t.shape == shape and (quarter is None or t.quarter == quarter) for t in self.things)

    def to_json(self) -> str:
        """The scene as text; equal scenes give equal text."""
        return json.dumps([[t.colour, t.shape, t.x, t.y, t.radius] for t in self.things])

    @staticmethod
    def from_json(text: str) -> "Scene":
        """The scene that `to_json` wrote."""
        return Scene(tuple(Thing(*row) for row in json.loads(text)))

    @property
    def split(self) -> str:
        """``test`` or ``train``, a function of the content alone."""
        digest = hashlib.sha256(self.to_json().encode()).digest()
        return "test" if int.from_bytes(digest[:8], "big") % TEST_ONE_IN == 0 else "train"


def generator(*names: object) -> random.Random:
    """A random generator seeded by hashing ``names``: the same names give the same draws on any machine."""
    digest = hashlib.sha256("/".join(map(str, names)).encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def make_scene(rng: random.Random, split: str, least: int = 5, most: int = 6) -> Scene:
    """A random scene of ``least`` to ``most`` objects that belongs to ``split`` (``train`` or ``test``)."""
    while True:
        scene = _place(rng, rng.randint(least, most))
        if scene is not None and scene.split == split:
            return scene


def _place(rng: random.Random, count: int) -> Scene | None:
    """Objects that do not touch, one to a cell at most; None when the draw got stuck."""
    colours = rng.sample(list(COLOURS), count)
    things: list[Thing] = []
    cells: set[tuple[int, int]] = set()
    for colour in colours:
        shape = rng.choice(SHAPES)
        for _ in range(40):
            radius = rng.randint(RADIUS_MIN, RADIUS_MAX)
            x = rng.randint(radius + 1, SIDE - radius - 2)
            y = rng.randint(radius + 1, SIDE - radius - 2)
            cell = (x // CELL, y // CELL)
            clear = all((x - t.x) ** 2 + (y - t.y) ** 2 > (radius + t.radius + 2) ** 2 for t in things)
            if cell not in cells and clear:
                cells.add(cell)
                things.append(Thing(colour, shape, x, y, radius))
                break
        else:
            return None
    return Scene(tuple(things))


def draw(scene: Scene) -> Image.Image:
    """The picture: RGB, ``SIDE`` x ``SIDE``, no anti-aliasing, so all machines draw the same pixels."""
    image = Image.new("RGB", (SIDE, SIDE), GROUND)
    pen = ImageDraw.Draw(image)
    for thing in scene.things:
        x, y, r, fill = thing.x, thing.y, thing.radius, COLOURS[thing.colour]
        if thing.shape == "circle":
            pen.ellipse([x - r, y - r, x + r, y + r], fill=fill)
        elif thing.shape == "square":
            pen.rectangle([x - r, y - r, x + r, y + r], fill=fill)
        else:
            pen.polygon([(x, y - r), (x - r, y + r), (x + r, y + r)], fill=fill)
    return image


def png(scene: Scene) -> bytes:
    """The picture as PNG bytes."""
    buffer = BytesIO()
    draw(scene).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
