// PLB (SIGCOMM'22): a flow that meets congestion round after round draws a new path.
//
// The switches hash a header field, as under PRR, and mark packets that meet a long queue. The hosts count marks: a round is
// congested when more than a share of its bytes was marked. After some congested rounds in sequence a flow moves: soon if it
// pauses, when nothing is in flight that could be reordered, later in any case. After a timeout it moves at once, as PRR
// does, and then leaves congestion alone for a while, because paths are being repaired.

/** @param kit what p4loom hands to a scheme: docs/own-scheme.md lists it */
export default (kit) => {
  const { z, tables } = kit;

  return {
    name: "plb",
    title: "PLB",
    summary: "PLB: hosts change the path of a flow when its rounds are congested",

    parameters: z.strictObject({
      /** Header field that hosts change. */
      field: z.enum(kit.hosts.SELECTOR_FIELDS).default("dscp"),
      /** Packets in a queue from which on a switch marks. */
      threshold: z.number().int().min(1).max(10_000).default(20),
      /** A round with a larger share of marked bytes is congested. */
      share: z.number().min(0).max(1).default(0.5),
      /** Congested rounds in sequence after which a flow moves: when it pauses, and in any case. */
      idle_rounds: z.number().int().min(1).default(3),
      rounds: z.number().int().min(1).default(12),
      /** After a timeout congestion moves no flow for once to twice this time, in milliseconds. */
      pause_ms: z.number().min(0).default(60_000),
      /**
       * Packets a second of every queue of the switches. BMv2 needs it: what waits for one of its links waits behind the queues
       * that its programs see.
       */
      queue_pps: z.number().int().min(1).optional(),
      ...tables.hashParameters,
    }),

    plan(topology, { field, threshold, share, idle_rounds, rounds, pause_ms, queue_pps, ...hash }) {
      const base = kit.schemes.prr.plan(topology, { field, copies: 1, ...hash });
      return {
        field,
        programs: base.programs.map((program) => ({
          ...program,
          values: { ...program.values, ecn: { threshold } },
        })),
        switches: base.switches,
        repaths: true,
        hosts: { values: 2 ** kit.hosts.FIELD_BITS[field], share, idle_rounds, rounds, pause_ms },
        controllers: [
          { name: "moves", switches: base.switches.map(({ node }) => node), controller: moves(queue_pps) },
        ],
        notes: [
          `PLB: switches mark from ${threshold} waiting packets on; a flow moves after ${rounds} congested rounds.`,
        ],
      };
    },

    hosts({ values, share, idle_rounds, rounds, pause_ms }, { clock, tell }) {
      return {
        ecn: true,
        needs: ["rounds", "marks", "idle"],
        open(flow, random, { role }) {
          let selector = 0;
          let congested = 0;
          let pausedUntil = 0;
          const move = (why) => {
            const from = selector;
            selector = random.int(values);
            congested = 0;
            tell({ port: role === "client" ? flow.srcPort : flow.dstPort, role, why, from, to: selector });
          };
          return {
            get selector() {
              return selector;
            },
            onRound({ ackedBytes, markedBytes }) {
              congested = markedBytes > share * ackedBytes ? congested + 1 : 0;
              if (congested >= rounds && clock.now() >= pausedUntil) move("congested");
            },
            onIdle() {
              if (congested >= idle_rounds && clock.now() >= pausedUntil) move("idle");
            },
            onTimeout() {
              pausedUntil = clock.now() + pause_ms * 1e6 * (1 + random.float());
              move("timeout");
              return [selector];
            },
            onAck() {},
            // An end whose data arrive twice has lost its acknowledgements: it leaves its path as well.
            onData(_marks, duplicate) {
              if (duplicate) move("duplicate");
              return [selector];
            },
          };
        },
      };
    },
  };
};

/** Sets the rates of queues before traffic starts; then it writes what the hosts tell into controllers.log. */
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
