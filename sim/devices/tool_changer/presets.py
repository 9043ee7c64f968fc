"""Sizes of tool changers, as data: what a cell file leaves out is taken from its preset.

They are our figures, of the order of pneumatic changers for loads of about 10, 50 and 150 kg, and
belong to no product: put the data sheet's into the cell file. Sources for what all of them have in
common are in docs/use/tool_changer.md.
"""

from typing import Literal

Preset = Literal["small", "medium", "large"]

# stroke, tolerances, sensor radius, and the limits at which the coupling breaks
SIZES: dict[str, dict[str, float]] = {
    "small": {
        "fill_s": 0.08,
        "stroke_s": 0.12,
        "gap_tolerance_m": 0.0015,
        "tilt_tolerance_deg": 1.0,
        "sensor_radius_m": 0.025,
        "axial_limit_n": 1500.0,
        "shear_limit_n": 1500.0,
        "moment_limit_nm": 60.0,
    },
    "medium": {
        "fill_s": 0.08,
        "stroke_s": 0.2,
        "gap_tolerance_m": 0.002,
        "tilt_tolerance_deg": 0.7,
        "sensor_radius_m": 0.05,
        "axial_limit_n": 8000.0,
        "shear_limit_n": 8000.0,
        "moment_limit_nm": 600.0,
    },
    "large": {
        "fill_s": 0.12,
        "stroke_s": 0.35,
        "gap_tolerance_m": 0.003,
        "tilt_tolerance_deg": 0.5,
        "sensor_radius_m": 0.09,
        "axial_limit_n": 25000.0,
        "shear_limit_n": 25000.0,
        "moment_limit_nm": 3000.0,
    },
}
