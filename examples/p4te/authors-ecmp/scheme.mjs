// The ECMP of P4TE's authors (github.com/drobinkent/P4TE, commit 815797e, p4src/src/upstream_routing.p4): CRC16 over addresses, ports and the number
// of the flowlet, modulo the four upward ports. Their ports grow in lockstep: the n-th flow of a host has the client port 32000 + n and the
// server port 42000 + n.
//
// CRC16 is linear, and a change in the low byte of a port or in the low ten bits of the last field flips only the lower of its two lowest bits. So
// the higher one depends on the two hosts alone, and under their stride pattern it is the same for all hosts of a leaf: eight of
// the 16 links from the spines down stay idle (polarisation).
// For flow sizes, arrivals and figures see docs/papers/p4te-evaluation.md.

const FIRST_CLIENT_PORT = 32000;
const FIRST_SERVER_PORT = 42000;

/** @param kit p4loom's functions for a scheme: docs/own-scheme.md lists them */
export default (kit) => {
  const { z } = kit;

  return {
    name: "authors-ecmp",
    title: "ECMP of P4TE's authors",
    summary: "ECMP by CRC16 with flowlets and ports that grow in lockstep: polarised",

    parameters: z.strictObject({
      /** Pause that ends a flowlet, in microseconds. */
      gap_us: z.number().int().min(1).max(1e9).default(40_000),
      /** Flowlets that a switch stores; flows with the same index share their flowlet. */
      flowlets: z.number().int().min(1).max(65536).default(8192),
    }),

    plan(topology, { gap_us, flowlets }) {
      const base = kit.schemes.ecmp.plan(topology, { hash_seed: 1, seed_scope: "tier", hash: {} });
      const fields = ["destination", "source", "flow_protocol", "source_port", "destination_port", "flowlet"];
      const programs = base.programs.map(({ name, values }) => {
        const directions = values.directions.map((direction) => ({
          ...direction,
          hash: { ...direction.hash, algorithm: "crc16", fields },
        }));
        return kit.template(name, "./ecmp.p4.hbs", {
          ...values,
          directions,
          gap: gap_us,
          flowlets,
          firstClientPort: FIRST_CLIENT_PORT,
          portDistance: FIRST_SERVER_PORT - FIRST_CLIENT_PORT,
        });
      });
      return {
        programs,
        switches: base.switches,
        // After a timeout a flow has paused, so that its next segment may take another path.
        repaths: "switches",
        hosts: {},
        notes: ["The ECMP of P4TE's authors: CRC16 of addresses, ports and flowlets, which leaves links idle."],
      };
    },

    hosts() {
      let opened = 0;
      return {
        needs: ["source-ports"],
        sourcePort: () => FIRST_CLIENT_PORT + (++opened % (FIRST_SERVER_PORT - FIRST_CLIENT_PORT)),
        open: () => ({ selector: 0, onTimeout: () => [0], onAck() {}, onData: () => [0] }),
        nic: () => 0,
      };
    },
  };
};
