"""Speech of several voices and languages from espeak-ng, at 48 kHz."""
import io
import subprocess
import wave

import numpy
from scipy.signal import resample_poly

RATE = 48_000
TEXTS = {
    "en-us": """Good morning, this is the front door. A parcel has arrived for the third floor, and the driver would like somebody
to sign for it before he leaves again. Please press the button twice when you are ready. The weather is cold today, so do not
stand outside without your jacket. I can wait for five more minutes, then I have to go on to the next house.""",
    "en-gb": """Hello, can you hear me? I am standing at the gate, and it does not open. The gentleman from number seven said that
there was another key. Would you be so kind as to come down, or to tell me where else I could ask? It is no trouble at all.""",
    "de": """Guten Tag, hier ist der Paketdienst. Ich habe zwei Sendungen für Frau Schneider und brauche eine Unterschrift. Könnten
Sie bitte die Tür öffnen oder mir sagen, bei welchem Nachbarn ich sie abgeben darf? Es hat angefangen zu regnen.""",
    "fr-fr": """Bonjour, je suis devant la porte d'entrée. Je viens pour réparer le chauffage au quatrième étage, mais personne ne
répond. Pourriez-vous m'ouvrir, s'il vous plaît ? Je n'en ai que pour une demi-heure, et je reviendrai jeudi.""",
    "es": """Buenas tardes, traigo la compra que encargaron esta mañana. La puerta está cerrada y no encuentro el timbre. ¿Puede
alguien bajar a recogerla? Hay helado y leche, y hace mucho calor aquí fuera. Muchas gracias por su ayuda.""",
    "ru": """Здравствуйте, я приехал забрать документы. Мне сказали, что они лежат у вас внизу. Откройте, пожалуйста, дверь. Я
подожду у входа, только не очень долго, потому что машина стоит посреди дороги.""",
    "it": """Buongiorno, sono la nuova vicina del secondo piano. Ho dimenticato le chiavi in casa e mio marito torna soltanto
questa sera. Mi potrebbe aprire il portone? La ringrazio di cuore, è stata una giornata molto lunga.""",
    "pl": """Dzień dobry, przyszedłem odczytać liczniki wody. Proszę otworzyć drzwi na parterze. To potrwa tylko kilka minut, a
potem pójdę do następnego budynku. Dziękuję bardzo za pomoc i życzę miłego dnia.""",
}


def speak(language, variant, seconds, speed=155, pitch=50):
    """Speech of this length: the text again and again."""
    name = f"{language}+{variant}" if variant else language
    data = subprocess.run(["espeak-ng", "-v", name, "-s", str(speed), "-p", str(pitch), "--stdout", TEXTS[language]],
                          capture_output=True, check=True).stdout
    with wave.open(io.BytesIO(data)) as file:
        rate = file.getframerate()
        samples = numpy.frombuffer(data[44:], dtype=numpy.int16).astype(float) / 32_768
    samples = resample_poly(samples, RATE // 150, rate // 150) if rate % 150 == 0 else resample_poly(samples, RATE, rate)
    pause = numpy.zeros(RATE // 3)
    turn = numpy.concatenate([samples, pause])
    return numpy.tile(turn, int(numpy.ceil(seconds * RATE / len(turn))))[:int(seconds * RATE)]


def active(samples, window=480, depth=35):
    """Which samples lie in blocks of 10 ms that are not more than `depth` dB below the loudest tenth."""
    count = len(samples) // window
    power = (samples[:count * window].reshape(count, window) ** 2).mean(1) + 1e-12
    loud = numpy.quantile(power, 0.95)
    blocks = power > loud * 10 ** (-depth / 10)
    return numpy.concatenate([numpy.repeat(blocks, window), numpy.zeros(len(samples) - count * window, bool)])


def leveled(samples, decibels):
    """Scaled so that its active parts have this level relative to full scale."""
    return samples * 10 ** (decibels / 20) / numpy.sqrt((samples[active(samples)] ** 2).mean() + 1e-20)
