"""usage: read_zpl.py FILE FOLDER

Writes the graphic field of each label as a PNG file, and prints the width and height that the printer is told, and those of the
field, in dots.
"""

import pathlib
import re
import sys

from zebrafy import ZebrafyZPL

text, folder = pathlib.Path(sys.argv[1]).read_text(encoding="ascii"), pathlib.Path(sys.argv[2])
labels = re.findall(r"\^XA(?:\^MNN)?\^PW(\d+)\^LL(\d+)\^LH0,0\n\^FO0,0\^GFA,[^^]*\^FS\n\^XZ\n", text)
images = ZebrafyZPL(text).to_images()
assert len(images) == len(labels) == text.count("^XA"), (len(images), len(labels))
for number, (label, image) in enumerate(zip(labels, images)):
    print(*label, *image.size)
    image.convert("L").save(folder / f"{number:04}.png")
