// Solution of exercise 9: a controller that learns where stations are.

/** Bytes of a frame as a number, for addresses. */
function numberAt(bytes, from, to) {
  let value = 0n;
  for (let i = from; i < to; i++) value = value * 256n + BigInt(bytes[i]);
  return value;
}

/** Called once, when all switches have their programs. `switches` is a Map by name. */
export async function start({ switches }) {
  for (const device of switches.values()) {
    // The ports of this switch's stations by MAC address; both are bigints.
    const portOf = new Map();

    const learn = async (address, port) => {
      if (portOf.get(address) === port) return;
      const before = portOf.get(address);
      if (before !== undefined) {
        await device.write([
          { type: "delete", entity: sourceEntry(address, before) },
          { type: "delete", entity: stationEntry(address, before) },
        ]);
      }
      portOf.set(address, port);
      await device.write([
        { type: "insert", entity: sourceEntry(address, port) },
        { type: "insert", entity: stationEntry(address, port) },
      ]);
    };

    device.onPacketIn(async ({ payload, metadata }) => {
      const { port } = metadata;
      await learn(numberAt(payload, 6, 12), port);
      const target = portOf.get(numberAt(payload, 0, 6));
      const flood = target === undefined;
      const out = { port: flood ? port : target, flood: flood ? 1n : 0n, padding: 0n };
      await device.packetOut({ payload, metadata: out });
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
