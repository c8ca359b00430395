"""Aligned tables of text."""
import statistics


def spread(values, digits=3, factor=1.0):
    """The median with the least and the greatest value."""
    shown = [f"{value * factor:.{digits}f}" for value in (statistics.median(values), min(values), max(values))]
    return f"{shown[0]} ({shown[1]}–{shown[2]})"


def show(title, rows):
    """Prints rows of cells: the first column to the left, the others to the right."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in rows if index < len(row)) for index in range(max(map(len, rows)))]
    print(f"\n{title}")
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print("  " + "  ".join(cells).rstrip())


def say(text):
    """Prints a remark below a table."""
    print(f"  {text}")
