"""A stand with a tool in it."""

STAND = """
name = "Stand"
[frame.Rack]
position_m = [0, 0, 1]
[body.ToolBody]
mass_kg = 2.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [0, 0, 1]
[mover.Hand]
[collision_object.Jaw]
on = "Hand"
mode = "control"
sphere = { radius_m = 0.1 }
[collision_object.Holder]
on = "Rack"
sphere = { radius_m = 0.1 }
[constrained_object.Tool]
on = "ToolBody"
radius_m = 0.1
eta = 50
[tool_stand.Stand]
holder = "Holder"
"""
