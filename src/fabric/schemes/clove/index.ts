/**
 * Clove (Katta et al., CoNEXT 2017): hypervisors divide flows into flowlets and give each one a value of the outer header, which plain ECMP hashes. They
 * know the path of each value, and move weight away from paths whose packets come marked (Clove-ECN), or draw paths at random (Edge-Flowlet).
 *
 * Read `discovery.ts` (which values lead along which paths), `weighted-paths.ts` (weights of paths), `hosts.ts` (flowlets and feedback).
 */
import { z } from "zod";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../../base/packets/index.js";
import { hostsOf, positiveDurationSchema } from "../../topology/index.js";
import { planEcmpSwitches, SHORTEST_PATHS } from "../ecmp/plan.js";
import { hashParameters } from "../hash-settings.js";
import { thresholdSchema, withThreshold } from "../plb/index.js";
import type { Scheme } from "../scheme.js";
import { discoverPaths } from "./discovery.js";
import { type CloveDescription, cloveHosts, FEEDBACKS, reductionSchema } from "./hosts.js";

const roundTrips = z.number().min(0).max(10_000);

const cloveParameters = z.strictObject({
  /** Header field that stands for the source port of the outer header. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  /** Round trip of the empty network, of which the next three are multiples. */
  rtt: positiveDurationSchema.prefault("80us"),
  /** Pause of a flow that ends a flowlet, in round trips. */
  flowlet_gap: roundTrips.default(1),
  /** The least time between two reports of congestion of a path, in round trips. */
  relay: roundTrips.default(0.5),
  /** How long a path counts as congested after a report, in round trips. */
  memory: roundTrips.default(1),
  /** Share of its weight that a path loses by a report. */
  reduction: reductionSchema.default(1 / 3),
  /** `ecn`: Clove-ECN; `none`: Edge-Flowlet. */
  feedback: z.enum(FEEDBACKS).default("ecn"),
  /** Whether the sender's transport hears of marks only while all paths are congested. */
  mask: z.boolean().default(true),
  /** The most paths of a pair of hosts. */
  paths: z.number().int().min(1).max(64).default(4),
  /** How many values of the field are tried to find them; fewer where the field has fewer. */
  probes: z.number().int().min(1).max(4096).default(64),
  /** Queue length in packets from which switches mark. */
  threshold: thresholdSchema,
  ...hashParameters,
});

export const clove: Scheme<z.output<typeof cloveParameters>> = {
  name: "clove",
  title: "Clove",
  summary: "Clove: hypervisors move the weight of flowlets away from paths whose packets come marked",
  parameters: cloveParameters,
  plan(topology, { field, rtt, flowlet_gap, relay, memory, reduction, feedback, mask, ...own }) {
    const { programs, replanning, ...rest } = planEcmpSwitches(topology, own, field, {
      ...SHORTEST_PATHS,
      outer: true,
    });
    const wanted = { paths: own.paths, probes: Math.min(own.probes, 2 ** FIELD_BITS[field]) };
    const model = rest.pathModel();
    const listens = feedback === "ecn";
    const marking = (all: typeof programs) => (listens ? withThreshold(all, own.threshold) : all);
    const hosts: CloveDescription = {
      kind: "clove",
      feedback,
      gapNs: flowlet_gap * rtt,
      relayNs: relay * rtt,
      reduction,
      memoryNs: memory * rtt,
      masks: mask && listens,
      hosts: hostsOf(topology).map(({ host }) => [host!.ipv4.toString(16), host!.ipv6.toString(16)]),
      ipv4: discoverPaths(topology, model, 4, wanted),
      ipv6: discoverPaths(topology, model, 6, wanted),
    };
    const us = (roundTrips: number) => `${Number(((roundTrips * rtt) / 1000).toPrecision(6))} us`;
    return {
      scheme: "clove",
      field,
      ...rest,
      programs: marking(programs),
      replanning: {
        get programs() {
          return marking(replanning.programs);
        },
        planner: () => replanning.planner(),
      },
      hosts: { ...hosts },
      repaths: "hosts",
      notes: [
        listens
          ? `Clove-ECN: flowlets end after a pause of ${us(flowlet_gap)}; a path loses ${Number(reduction.toPrecision(3))} of its weight by a mark, at most once in ${us(relay)}; ` +
            (mask
              ? `the transport hears of marks only while all paths are congested.`
              : `the transport hears of all marks.`)
          : `Edge-Flowlet: flowlets end after a pause of ${us(flowlet_gap)}, and their paths are drawn.`,
        "Clove's paths are computed from the hash functions of the switches in place of traceroute probes, once; they are not found anew when routes change.",
      ],
    };
  },
  hosts: cloveHosts,
};
