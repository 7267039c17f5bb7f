// LetFlow (NSDI'17): a flow that pauses for longer than a gap starts a new flowlet, and each flowlet draws a new path.
//
// The fabric is that of plain ECMP; only the hash covers a random number of the flowlet, too. Hosts do nothing. So congested or
// lossy paths, on which flows pause, lose flowlets to other paths.

/** @param kit p4loom's functions for a scheme: docs/own-scheme.md lists them */
export default (kit) => {
  const { z, tables } = kit;

  return {
    name: "letflow",
    title: "LetFlow",
    summary: "LetFlow: a pause of a flow lets the switches draw its path anew",

    parameters: z.strictObject({
      /** Pause that ends a flowlet, in microseconds. */
      gap_us: z.number().int().min(1).max(1e9).default(500),
      /** Flowlets that a switch stores; flows with the same index share their flowlet. */
      flowlets: z.number().int().min(1).max(65536).default(4096),
      ...tables.hashParameters,
    }),

    plan(topology, { gap_us, flowlets, ...hash }) {
      const base = kit.schemes.ecmp.plan(topology, hash);
      const programs = base.programs.map(({ name, values }) => {
        const directions = values.directions.map((direction) => ({
          ...direction,
          ...kit.partials.directionValues(direction.name, direction.hash, ["flowlet"]),
        }));
        return kit.template(name, "./letflow.p4.hbs", { ...values, directions, gap: gap_us, flowlets });
      });
      return {
        programs,
        switches: base.switches,
        // After a timeout a flow has paused, so that its next segment may take another path.
        repaths: "switches",
        notes: [`LetFlow: a flowlet ends after ${gap_us} us.`],
      };
    },
  };
};
