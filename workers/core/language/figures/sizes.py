"""Sizes of units: 2.6 tonnes are 2,600 kilograms."""

from __future__ import annotations

_DAY = 86400
_SIZES: dict[str, dict[str, float]] = {
    "time": {"second": 1, "minute": 60, "hour": 3600, "day": _DAY, "week": 7 * _DAY}
    | {"month": 30.4375 * _DAY, "year": 365.25 * _DAY, "decade": 3652.5 * _DAY},
    "length": {"millimetre": 0.001, "centimetre": 0.01, "metre": 1, "kilometre": 1000}
    | {"inch": 0.0254, "foot": 0.3048, "yard": 0.9144, "mile": 1609.344},
    "mass": {"milligram": 1e-6, "gram": 0.001, "kilogram": 1, "tonne": 1000}
    | {"ounce": 0.02835, "pound of weight": 0.4536},
    "area": {"square metre": 1, "hectare": 10**4, "square kilometre": 10**6}
    | {"square foot": 0.0929, "acre": 4046.86, "square mile": 2589988},
    "volume": {"millilitre": 0.001, "litre": 1, "hectolitre": 100, "cubic metre": 1000},
    "power": {"watt": 1, "kilowatt": 1000, "megawatt": 10**6},
    "CNY": {"¥": 1},
}
_UNITS = {unit: (kind, size) for kind, sizes in _SIZES.items() for unit, size in sizes.items()}


def unit_size(unit: str) -> tuple[str, float]:
    """Return the quantity that a unit measures, and its size in the base unit; for others, the unit and 1.

    Args:
        unit: its name, as `Figure.unit` has it.
    """
    return _UNITS.get(unit, (unit, 1.0))
