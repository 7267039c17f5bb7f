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
import { discoverPaths, fewestPaths } from "./discovery.js";
import { type CloveDescription, cloveHosts, FEEDBACKS, reductionSchema } from "./hosts.js";

const roundTrips = z.number().min(0).max(10_000);

/** Settings that only feedback uses: refused without it, so they are optional here and have their defaults in the plan. */
const OF_FEEDBACK = ["threshold", "relay", "memory", "reduction", "mask"] as const;

/** Values that the planner follows in some seconds. */
const MANY_WALKS = 1_000_000;

const cloveParameters = z
  .strictObject({
    /** Header field that stands for the source port of the outer header. */
    field: z.enum(SELECTOR_FIELDS).default("dscp"),
    /** Round trip of the empty network, of which the next three are multiples. */
    rtt: positiveDurationSchema.prefault("80us"),
    /** Pause of a flow that ends a flowlet, in round trips. */
    flowlet_gap: roundTrips.default(1),
    /** The least time between two reports of congestion of a path, in round trips. Absent: 0.5. */
    relay: roundTrips.optional(),
    /** How long a path counts as congested after a report, in round trips. Absent: 1. */
    memory: roundTrips.optional(),
    /** Share of its weight that a path loses by a report. Absent: 1/3. */
    reduction: reductionSchema.optional(),
    /** `ecn`: Clove-ECN; `none`: Edge-Flowlet. */
    feedback: z.enum(FEEDBACKS).default("ecn"),
    /** Whether the sender's transport hears of marks only while all paths are congested. Absent: true. */
    mask: z.boolean().optional(),
    /** The most paths of a pair of hosts. */
    paths: z.number().int().min(1).max(64).default(4),
    /** How many values of the field are tried to find them; fewer where the field has fewer. */
    probes: z.number().int().min(1).max(4096).default(64),
    /** Queue length in packets from which switches mark. */
    threshold: thresholdSchema,
    ...hashParameters,
  })
  .superRefine((parameters, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (parameters.feedback === "none") {
      for (const key of OF_FEEDBACK)
        if (parameters[key] !== undefined)
          wrong(key, "expected no such key beside feedback: none: hosts hear of no marks");
    } else if (parameters.memory === 0 && parameters.mask !== false)
      wrong("memory", "expected more than 0, or mask: false: no path would ever count as congested");
  });

export const clove: Scheme<z.output<typeof cloveParameters>> = {
  name: "clove",
  title: "Clove",
  summary: "Clove: hypervisors move the weight of flowlets away from paths whose packets come marked",
  parameters: cloveParameters,
  plan(topology, parameters) {
    const { field, rtt, flowlet_gap, feedback, ...others } = parameters;
    const { relay = 0.5, memory = 1, reduction = 1 / 3, mask = true, ...own } = others;
    const { programs, replanning, ...rest } = planEcmpSwitches(topology, own, field, {
      ...SHORTEST_PATHS,
      outer: true,
    });
    const wanted = { paths: own.paths, probes: Math.min(own.probes, 2 ** FIELD_BITS[field]) };
    const model = rest.pathModel();
    const listens = feedback === "ecn";
    const discovered = [
      discoverPaths(topology, model, 4, wanted),
      discoverPaths(topology, model, 6, wanted),
    ] as const;
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
      ipv4: discovered[0],
      ipv6: discovered[1],
    };
    const fewest = Math.min(...discovered.map((version) => fewestPaths(topology, version) ?? wanted.paths));
    const walks = 2 * wanted.probes * hosts.hosts.length * (hosts.hosts.length - 1);
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
        ...(fewest < wanted.paths
          ? [
              `Clove knows ${fewest} of at most ${wanted.paths} paths between some hosts of different racks: ${wanted.probes} values of ${field} led along no more.`,
            ]
          : []),
        ...(walks > MANY_WALKS
          ? [
              `Clove's planner followed ${walks.toLocaleString("en")} values, ${wanted.probes} between each two hosts by IPv4 and by IPv6; fewer \`probes\` take less time.`,
            ]
          : []),
      ],
    };
  },
  hosts: cloveHosts,
};
