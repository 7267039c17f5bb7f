/** The tables and registers of `templates/dahu/switch.p4.hbs`, as updates. */
import type { Match, Update } from "../../../toolchain/device/index.js";
import { call, exact, ingressName, insert, tableEntry } from "../fabric.js";
import { bitmapOf } from "./port-classes.js";

/** The bitmap that a destination uses; the numbers of the template. */
export const SELECTOR = { all: 0, shortest: 1, further: 2 } as const;

/** Names of the objects that the controller reads. */
export const PORT_TRAFFIC = ingressName("port_traffic");
export const GROUP_TRAFFIC = ingressName("group_traffic");
/** The digest of reports, as P4Info names it. */
export const REPORT = "report_t";

type Write = "insert" | "modify";

function entry(
  type: Write,
  table: string,
  match: readonly Match[],
  action: string,
  params: Readonly<Record<string, number | bigint>>,
): Update {
  const { entity } = tableEntry(table, match, { kind: "action", ...call(action, params) });
  return { type, entity };
}

export function destinationUpdate(
  type: Write,
  rack: number,
  {
    group,
    shortest,
    further,
  }: { readonly group: number; readonly shortest: readonly number[]; readonly further: readonly number[] },
): Update {
  return entry(type, "destinations", [exact("meta.destination", rack)], "use_group", {
    group,
    shortest: bitmapOf(shortest),
    further: bitmapOf(further),
  });
}

export function bitmapUpdate(type: Write, rack: number, bitmap: number): Update {
  return entry(type, "selectors", [exact("meta.destination", rack)], "use_bitmap", { bitmap });
}

export function groupUpdate(type: Write, group: number, members: readonly number[]): Update {
  return entry(type, "port_groups", [exact("meta.group", group)], "group_has", {
    members: bitmapOf(members),
  });
}

/** For programs with the map in a register. */
export function derouteLimitUpdate(number: number): Update {
  return {
    type: "modify",
    entity: {
      kind: "tableEntry",
      table: ingressName("deroute_limit"),
      match: [],
      priority: 0,
      isDefault: true,
      action: { kind: "action", ...call("set_most_deroutes", { number }) },
    },
  };
}

/** For programs with copies of the map: an entry for each count with which a packet may still be derouted. */
export function deroutesLeftUpdates(number: number): Update[] {
  return Array.from({ length: number }, (_, count) =>
    tableEntry("deroutes_left", [exact("meta.deroutes", count)], {
      kind: "action",
      ...call("may_deroute", {}),
    }),
  );
}

/** `orders[d]`: bits of ports; a packet whose hash is d takes the first allowed one. A higher priority wins. */
export function sparePortUpdates(orders: readonly (readonly number[])[]): Update[] {
  return orders.flatMap((bits, order) =>
    bits.map((bit, rank): Update => {
      const mask = 1n << BigInt(bit);
      return insert({
        kind: "tableEntry",
        table: ingressName("spare_ports"),
        match: [exact("meta.order", order), { kind: "ternary", field: "meta.allowed", value: mask, mask }],
        priority: bits.length - rank,
        action: { kind: "action", ...call("use_spare", { port: bit }) },
      });
    }),
  );
}
