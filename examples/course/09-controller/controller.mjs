// Exercise 9: a controller that learns where stations are.
// Look for TODO: what is missing is said there.

/** Bytes of a frame as a number, for addresses. */
function numberAt(bytes, from, to) {
  let value = 0n;
  for (let i = from; i < to; i++) value = value * 256n + BigInt(bytes[i]);
  return value;
}

/** Called once, when all switches have their programs. `switches` is a Map by name. */
export async function start({ switches, log }) {
  for (const [name, device] of switches) {
    // Where stations of this switch are: port by MAC address, both bigints.
    const portOf = new Map();

    const learn = async (address, port) => {
      if (portOf.get(address) === port) return;
      // TODO 1: write an entry of `sources` (address, port) and one of `stations` (address; send_to the port),
      // and note the port. An address that was at another port before has entries to be removed.
    };

    device.onPacketIn(async ({ payload, metadata }) => {
      const { port } = metadata;
      // TODO 2: learn the source address (bytes 6 to 11 of the frame).
      // TODO 3: send the packet on: by the port of its destination (bytes 0 to 5) where that is known,
      // and otherwise to all ports but the one that it came from.
    });
  }
}

/** An entry of the table `sources`. */
function sourceEntry(address, port) {
  return {
    kind: "tableEntry",
    table: "CourseIngress.sources",
    priority: 0,
    match: [
      { kind: "exact", field: "hdr.ethernet.src", value: address },
      { kind: "exact", field: "standard_metadata.ingress_port", value: port },
    ],
    action: { kind: "action", action: "NoAction", params: {} },
  };
}

/** An entry of the table `stations`. */
function stationEntry(address, port) {
  return {
    kind: "tableEntry",
    table: "CourseIngress.stations",
    priority: 0,
    match: [{ kind: "exact", field: "hdr.ethernet.dst", value: address }],
    action: { kind: "action", action: "CourseIngress.send_to", params: { port } },
  };
}
