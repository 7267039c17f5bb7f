// The scheme "NAME". docs/own-scheme.md of p4loom describes each member and the kit.
//
// What it does so far: the switches hash the five-tuple and the DSCP, and a host that has waited in vain for an
// acknowledgement draws another DSCP. Change any part.

/** @param kit what p4loom hands to a scheme instead of imports */
export default (kit) => ({
  name: "NAME",
  title: "NAME",

  /** The keys that may follow `scheme: ./NAME/scheme.mjs` in an experiment file. */
  parameters: kit.z.strictObject({
    /** Hosts draw from as many values of the DSCP. */
    values: kit.z.number().int().min(2).max(64).default(64),
  }),

  /** The programs, the state of every switch, and what hosts are told. */
  plan(topology, { values }) {
    // Switches as PRR has them. A program of your own: kit.template(name, "./switch.p4.hbs", values), or
    // kit.source(name, "./switch.p4").
    const prr = kit.schemes.prr;
    const { programs, switches } = prr.plan(topology, prr.parameters.parse({ field: "dscp" }));
    return {
      field: "dscp",
      programs,
      switches,
      hosts: { values },
      repaths: true,
      notes: [`NAME: hosts draw from ${values} values of the DSCP.`],
    };
  },

  /** The policy of one host, from the description that `plan` made: plain JSON, because real hosts are other processes. */
  hosts: ({ values }) => ({
    /** One end of one flow. */
    open: (_flow, random) => new Drawing(values, random),
  }),
});

class Drawing {
  selector = 0;

  constructor(values, random) {
    this.values = values;
    this.random = random;
  }

  /** The retransmission timer ran out: the selectors of the copies of the retransmission. */
  onTimeout() {
    this.selector = this.random.int(this.values);
    return [this.selector];
  }

  /** New data was acknowledged. */
  onAck() {}

  /** Data came in: the selectors of the copies of the acknowledgement. */
  onData(_segment, duplicate) {
    if (duplicate) this.selector = this.random.int(this.values);
    return [this.selector];
  }
}
