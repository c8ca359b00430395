"""A device that moves: NMEA 0183 sentences of a straight drive, one second a line."""
import math
import time

METRES_PER_DEGREE = 111_195.0
START = (52.516300, 13.377700)
BEARING = math.radians(60)


def position(metres):
    """Where the device is after so many metres of the drive."""
    latitude = START[0] + metres * math.cos(BEARING) / METRES_PER_DEGREE
    longitude = START[1] + metres * math.sin(BEARING) / METRES_PER_DEGREE / math.cos(math.radians(START[0]))
    return latitude, longitude


def distance(one, other):
    """Metres between two positions that are near each other."""
    north = (other[0] - one[0]) * METRES_PER_DEGREE
    east = (other[1] - one[1]) * METRES_PER_DEGREE * math.cos(math.radians(one[0]))
    return math.hypot(north, east)


def distance_from_line(place):
    """How many metres a position lies beside the drive."""
    north = (place[0] - START[0]) * METRES_PER_DEGREE
    east = (place[1] - START[1]) * METRES_PER_DEGREE * math.cos(math.radians(START[0]))
    return abs(east * math.cos(BEARING) - north * math.sin(BEARING))


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}"


def angle(value, digits, positive, negative):
    degrees = int(abs(value))
    minutes = (abs(value) - degrees) * 60
    return f"{degrees:0{digits}d}{minutes:08.5f},{positive if value >= 0 else negative}"


def epoch(at, metres, metres_per_second):
    """GGA and RMC of one second, separated by a bar."""
    latitude, longitude = position(metres)
    clock = time.strftime("%H%M%S.00", time.gmtime(at))
    date = time.strftime("%d%m%y", time.gmtime(at))
    place = f"{angle(latitude, 2, 'N', 'S')},{angle(longitude, 3, 'E', 'W')}"
    knots = metres_per_second * 3600 / 1852
    return "|".join(
        [
            sentence(f"GPGGA,{clock},{place},1,09,0.9,40.0,M,45.0,M,,"),
            sentence(f"GPRMC,{clock},A,{place},{knots:.2f},{math.degrees(BEARING):.1f},{date},,,A"),
        ]
    )


def write_drive(path, seconds, metres_per_second=10):
    """Writes a drive that begins now; the guest plays a line a second."""
    begin = int(time.time())
    lines = [epoch(begin + second, second * metres_per_second, metres_per_second) for second in range(seconds)]
    path.write_text("\n".join(lines) + "\n")
