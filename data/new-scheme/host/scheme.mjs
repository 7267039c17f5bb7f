// The scheme "NAME". docs/own-scheme.md of p4loom describes each member and the kit.
//
// In this first version, the switches hash the five-tuple and the DSCP, and a host whose retransmission timer expires
// draws another DSCP. Change any part.

/** @param kit p4loom's functions, which a scheme gets instead of imports */
export default (kit) => ({
  name: "NAME",
  title: "NAME",

  /** The keys that may follow `scheme: ./NAME/scheme.mjs` in an experiment file. */
  parameters: kit.z.strictObject({
    /** Number of DSCP values from which hosts draw. */
    values: kit.z.number().int().min(2).max(64).default(64),
  }),

  /** The programs, the state of every switch, and the description of the hosts. */
  plan(topology, { values }) {
    // The switches are those of PRR. A program of your own: kit.template(name, "./switch.p4.hbs", values), or
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

  /** The retransmission timer expired: returns the selectors of the copies of the retransmission. */
  onTimeout() {
    this.selector = this.random.int(this.values);
    return [this.selector];
  }

  /** New data was acknowledged. */
  onAck() {}

  /** Data arrived: returns the selectors of the copies of the acknowledgement. */
  onData(_segment, duplicate) {
    if (duplicate) this.selector = this.random.int(this.values);
    return [this.selector];
  }
}
