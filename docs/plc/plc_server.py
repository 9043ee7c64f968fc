"""A PLC that is an OPC UA server: it plays the tool change with variables of its own.

It knows nothing of twincell. The bridge of the cell tool_change_bridge reads its output Close, and
writes what the cell's sensors say into its inputs:

    python docs/plc/plc_server.py
    twincell run tool_change_bridge --paused       in another terminal
    twincell bridge check tool_change_bridge       in a third one
"""

import asyncio
import sys

from asyncua import Server, ua

URI = "urn:plc"
CYCLE_S = 0.01
CONSTRAINED, IS_CLOSED = 0, 1  # bits of Sensors

VARIABLES = {
    "Close": ua.Variant(False, ua.VariantType.Boolean),
    "Sensors": ua.Variant(0, ua.VariantType.UInt16),
    "RobotX": ua.Variant(0, ua.VariantType.Int32),  # in micrometres
    "RobotY": ua.Variant(0, ua.VariantType.Int32),
    "RobotZ": ua.Variant(0, ua.VariantType.Int32),
    "Partner": ua.Variant("", ua.VariantType.String),
    "Tick": ua.Variant(0, ua.VariantType.UInt32),
}


class ToolChange:
    """The program: one call a cycle."""

    def __init__(self) -> None:
        self.step = 0
        self.close = False

    def cycle(self, x_um: int, y_um: int, z_um: int, sensors: int, partner: str) -> None:
        """Decide what to do from what the sensors say."""
        has_tool = bool(sensors >> CONSTRAINED & 1)
        is_closed = bool(sensors >> IS_CLOSED & 1)
        over_tool = abs(x_um - 1_000_000) < 1_000 and abs(y_um) < 1_000 and 0 < z_um < 781_000
        over_holder = abs(x_um - 700_000) < 1_000 and abs(y_um - 450_000) < 1_000 and z_um < 781_000
        if self.step == 0 and over_tool:
            self.close, self.step = True, 10
        elif self.step == 10 and is_closed and has_tool and partner == "Robot1Flange":
            self.step = 20
        elif self.step == 20 and not has_tool:
            self.step = 99  # the tool was lost
        elif self.step == 20 and over_holder:
            self.close, self.step = False, 30
        elif self.step == 30 and has_tool and partner == "Holder2":
            self.step = 40
        elif self.step == 40 and z_um > 1_000_000:
            self.step = 50


async def main(port: int) -> int:
    """Serve the variables, and run the program until the tool was changed or lost."""
    server = Server()
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}")
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    namespace = await server.register_namespace(URI)
    nodes = {}
    for name, start in VARIABLES.items():
        node_id = ua.NodeId(name, namespace)
        nodes[name] = await server.nodes.objects.add_variable(node_id, name, start)
        await nodes[name].set_writable()
    async with server:
        print(f"the PLC listens at opc.tcp://127.0.0.1:{port}", flush=True)
        program = ToolChange()
        inputs = [nodes[name] for name in ("RobotX", "RobotY", "RobotZ", "Sensors", "Partner")]
        while program.step not in (50, 99):
            await asyncio.sleep(CYCLE_S)
            before = program.step
            program.cycle(*[await node.read_value() for node in inputs])
            await nodes["Close"].write_value(program.close)
            if program.step != before:
                print(f"step {program.step}", flush=True)
    print("the tool was changed" if program.step == 50 else "the tool was lost")
    return 0 if program.step == 50 else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 4850)))
