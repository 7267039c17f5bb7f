// The scheme "NAME". docs/own-scheme.md of p4loom describes each member and the kit.
//
// In this first version, a flow that pauses for longer than a gap begins a flowlet, and the switches draw a path for each flowlet. Hosts do nothing.
// The program is switch.p4.hbs. Change any part.

/** @param kit p4loom's functions, which a scheme gets instead of imports */
export default (kit) => ({
  name: "NAME",
  title: "NAME",

  /** The keys that may follow `scheme: ./NAME/scheme.mjs` in an experiment file. */
  parameters: kit.z.strictObject({
    /** Pause that ends a flowlet, in microseconds. */
    gap_us: kit.z.number().int().min(1).max(1e9).default(500),
    /** Flowlets that a switch stores; flows with the same index share one. */
    flowlets: kit.z.number().int().min(1).max(65536).default(4096),
    ...kit.tables.hashParameters,
  }),

  /** The programs and the state of every switch. */
  plan(topology, { gap_us, flowlets, ...hash }) {
    // Routes and groups of next hops are those of plain ECMP; the hash of each direction covers one more field of the metadata.
    const ecmp = kit.schemes.ecmp.plan(topology, hash);
    const programs = ecmp.programs.map(({ name, values }) => {
      const directions = values.directions.map((direction) => ({
        ...direction,
        ...kit.partials.directionValues(direction.name, direction.hash, ["flowlet"]),
      }));
      return kit.template(name, "./switch.p4.hbs", { ...values, directions, gap: gap_us, flowlets });
    });
    return {
      programs,
      switches: ecmp.switches,
      // After a timeout a flow has paused, so that its next segment may take another path.
      repaths: "switches",
      notes: [`NAME: a flowlet ends after ${gap_us} us.`],
    };
  },
});
