// DRILL(d, m) (SIGCOMM'17): each packet takes the shortest of the queues of d random next hops and of m remembered ones.
//
// Nothing passes between switches, and hosts do nothing: their transport has to bear reordering.

/** @param kit p4loom's functions for a scheme: docs/own-scheme.md lists them */
export default (kit) => {
  const { z, tables } = kit;

  return {
    name: "drill",
    title: "DRILL",
    summary: "DRILL: each packet takes the shortest of a few queues",

    parameters: z.strictObject({
      /** d: next hops that each packet draws. */
      draws: z.number().int().min(1).max(8).default(2),
      /** m: whether the next hop of the last packet is looked at too. */
      memory: z.union([z.literal(0), z.literal(1)]).default(1),
    }),

    plan(topology, { draws, memory }) {
      refuseAsymmetry(kit, topology);
      const base = kit.schemes.ecmp.plan(topology, z.strictObject(tables.hashParameters).parse({}));
      const looks = Array.from({ length: draws + memory }, (_, i) => ({ name: `look_${i}`, remembers: i >= draws }));
      const states = kit.topology.computeRoutes(topology).map((table) => stateOf(kit, topology, table, looks));
      const most = (count) => tables.tableSize(Math.max(...states.map(count)));
      return {
        programs: base.programs.map(({ name, values }) =>
          kit.template(name, "./drill.p4.hbs", {
            ...{ ...values, directions: [], bothDirections: false, routeActions: ["to_port", "to_links"] },
            ...{ looks, draws, memory, sets: most((one) => one.sets), candidates: most((one) => one.candidates) },
          }),
        ),
        switches: base.switches.map(({ node, program }) => {
          const { updates } = states.find((one) => one.node === node);
          return { node, program, updates };
        }),
        repaths: "switches",
        notes: [
          `DRILL(${draws}, ${memory}): packets of a flow take different paths, and nothing puts them in order again: transport.reordering tolerates it.`,
        ],
      };
    },
  };
};

/** Entries of a switch: a row for each next hop of each set with several, in the tables of all looks. */
function stateOf({ tables }, topology, table, looks) {
  const sets = table.hopSets.map((hops) => (tables.singlePort(hops) === undefined ? hops.ports : []));
  const rows = sets.flatMap((ports, set) =>
    ports.flatMap((port, draw) =>
      looks.map(({ name }) => {
        const { params } = tables.forward("to_port", topology, table.node, port);
        const match = [tables.exact("meta.next_hops", set), tables.exact("meta.draw", draw)];
        return tables.tableEntry(name, match, { kind: "action", ...tables.call("candidate", params) });
      }),
    ),
  );
  const links = (set) => tables.call("to_links", { next_hops: set, hops: sets[set].length });
  const updates = [...rows, ...tables.routeUpdates(topology, table, links)];
  return { node: table.node, updates, sets: sets.length, candidates: rows.length / looks.length };
}

/** The paper divides the next hops of an asymmetric fabric into groups of equal paths (section 3.4); this scheme does not. */
function refuseAsymmetry(kit, { nodes, links, down }) {
  const advice = "write equal rates and no missing links, or compare with another scheme there";
  if ((down?.size ?? 0) > 0) kit.fail("DRILL needs a symmetric fabric, and links of this one are missing", advice);
  const rates = new Map();
  for (const { a, b, rateBps } of links) {
    const roles = [nodes[a.node].role, nodes[b.node].role].sort().join(" and ");
    if (!roles.includes("host") && (rates.get(roles) ?? rateBps) !== rateBps)
      kit.fail(`DRILL needs a symmetric fabric, and links between ${roles} have different rates`, advice);
    rates.set(roles, rateBps);
  }
}
