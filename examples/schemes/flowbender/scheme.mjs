// FlowBender (CoNEXT'14): a flow whose last round trip met congestion draws a new path.
//
// The switches hash a header field, as under PRR, and mark packets that meet a long queue. The hosts count marks: a round is
// congested when more than a share of its bytes was marked (the paper's T). After N congested rounds in sequence a flow draws another of
// a few values; after a timeout it does so at once. The scheme `plb` of the package waits for more rounds, and for pauses.

/** @param kit p4loom's functions for a scheme: docs/own-scheme.md lists them */
export default (kit) => {
  const { z, tables } = kit;

  return {
    name: "flowbender",
    title: "FlowBender",
    summary: "FlowBender: hosts change the path of a flow whose last round trip was congested",

    parameters: z.strictObject({
      /** Header field that hosts change. */
      field: z.enum(kit.hosts.SELECTOR_FIELDS).default("dscp"),
      /** Number of packets in a queue from which on a switch marks. */
      threshold: z.number().int().min(1).max(10_000).default(20),
      /** T: a round with a larger share of marked bytes is congested. */
      share: z.number().min(0).max(1).default(0.05),
      /** N: congested rounds in sequence after which a flow moves. */
      rounds: z.number().int().min(1).default(1),
      /** Number of values of the field from which flows draw. */
      values: z.number().int().min(2).max(8).default(8),
      /**
       * Packets a second of every queue of the switches. BMv2 needs it: what waits for one of its links waits behind the queues
       * that its programs see.
       */
      queue_pps: z.number().int().min(1).optional(),
      ...tables.hashParameters,
    }),

    plan(topology, { field, threshold, share, rounds, values, queue_pps, ...hash }) {
      const base = kit.schemes.prr.plan(topology, { field, copies: 1, ...hash });
      return {
        field,
        programs: base.programs.map((program) => ({
          ...program,
          values: { ...program.values, ecn: { threshold } },
        })),
        switches: base.switches,
        repaths: "hosts",
        hosts: { values, share, rounds },
        controllers: [
          { name: "moves", switches: base.switches.map(({ node }) => node), controller: moves(queue_pps) },
        ],
        notes: [
          `FlowBender: switches mark from ${threshold} waiting packets on; a flow moves after ${rounds} congested rounds.`,
        ],
      };
    },

    hosts({ values, share, rounds }, { tell }) {
      return {
        ecn: true,
        needs: ["rounds", "marks"],
        open(flow, random, { role }) {
          let selector = 0;
          let congested = 0;
          const move = (why) => {
            const from = selector;
            selector = (from + 1 + random.int(values - 1)) % values;
            congested = 0;
            tell({ port: role === "client" ? flow.srcPort : flow.dstPort, role, why, from, to: selector });
          };
          return {
            get selector() {
              return selector;
            },
            onRound({ ackedBytes, markedBytes }) {
              congested = markedBytes > share * ackedBytes ? congested + 1 : 0;
              if (congested >= rounds) move("congested");
            },
            onTimeout() {
              move("timeout");
              return [selector];
            },
            onAck() {},
            onData: () => [selector],
          };
        },
      };
    },
  };
};

/** Sets the rates of queues before traffic starts; then it writes the messages of the hosts into controllers.log. */
const moves = (queue_pps) => ({
  async prepare({ switches }) {
    if (queue_pps === undefined) return;
    await Promise.all(switches.map(({ device }) => device.settings.setQueueRate(queue_pps)));
  },
  start({ watchHosts, log }) {
    watchHosts(({ host, message: { port, role, why, from, to } }) =>
      log(`${host.name}: the ${role} of port ${port} moves from ${from} to ${to}: ${why}`),
    );
  },
});
