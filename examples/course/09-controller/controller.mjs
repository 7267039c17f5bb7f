// Exercise 9: a controller that learns the ports of stations.
// The comments with TODO describe the missing parts.

/** Bytes of a frame as a number, for addresses. */
function numberAt(bytes, from, to) {
  let value = 0n;
  for (let i = from; i < to; i++) value = value * 256n + BigInt(bytes[i]);
  return value;
}

/** Called once, when all switches have their programs. `switches` is a Map by name. */
export async function start({ switches, log }) {
  for (const [name, device] of switches) {
    // The ports of this switch's stations by MAC address; both are bigints.
    const portOf = new Map();

    const learn = async (address, port) => {
      if (portOf.get(address) === port) return;
      // TODO 1: write an entry of `sources` (address, port) and one of `stations` (address; send_to the port),
      // and store the port. If the address was at another port before, delete its old entries.
    };

    device.onPacketIn(async ({ payload, metadata }) => {
      const { port } = metadata;
      // TODO 2: learn the source address (bytes 6 to 11 of the frame).
      // TODO 3: forward the packet: to the port of its destination (bytes 0 to 5) if that is known,
      // and otherwise to all ports except the one from which it came.
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
