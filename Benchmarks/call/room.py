"""A sound card for a machine without one: pcm_room.c, compiled, and the configuration of alsa-lib that names it."""
import pathlib
import subprocess

from call.media import DELAY, GAIN

SOURCE = pathlib.Path(__file__).with_name("pcm_room.c")
#: The card's name.
CARD = "room"
CONFIGURATION = """</usr/share/alsa/alsa.conf>
pcm_type.room {{ lib "{library}" }}
pcm.{card} {{ type room  file "{near}"  delay {delay}  gain {gain} }}
"""


def install(folder: pathlib.Path, near):
    """Returns the variables of a process that is to have the card."""
    library, configuration = folder / "libasound_module_pcm_room.so", folder / "asound.conf"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-DPIC", "-o", library, SOURCE, "-lasound"],
                   check=True, timeout=60)
    configuration.write_text(CONFIGURATION.format(library=library, card=CARD, near=near, delay=DELAY, gain=GAIN))
    return {"ALSA_CONFIG_PATH": str(configuration)}
