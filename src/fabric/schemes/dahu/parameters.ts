/** The keys of Dahu in an experiment file: its switches in the packet simulator and on a testbed. */
import { z } from "zod";
import { timeText } from "../time-text.js";
import { DEROUTE_FIELDS } from "./count-field.js";
import { switchParameters } from "./switch-parameters.js";

export const dahuParameters = z.strictObject({
  ...switchParameters,
  /**
   * What switches count: the traffic of each member of a group. A counter of each virtual port (`virtual_ports` in flow runs) takes 512 KB a
   * switch, which section 3.1 avoids; compiled switches have none.
   */
  counters: z
    .literal("members", {
      error:
        "expected members: compiled switches have no counters of virtual ports (512 KB a switch, section 3.1 of the paper); runs of the kind fluid have them",
    })
    .default("members"),
  /** Header field that carries the deroute count. */
  field: z.enum(DEROUTE_FIELDS).default("dscp"),
  /**
   * Where the map of virtual ports is. `register`: one array, which all hashes of a packet read; BMv2 can do that. `copies`: a table for
   * each hash, as programmable chips need it; the software writes all of them.
   */
  map: z.enum(["register", "copies"]).default("register"),
  /** A second round of 16 hashes where the first found no allowed port (section 3.2). */
  retry: z.boolean().default(true),
  /** Time between two turns of the switches' software (section 6.1). */
  epoch: timeText.default("10ms"),
  /** Time from a change of a link elsewhere to new bitmaps: that of the routing protocol (section 4.6). */
  propagation: timeText.default("1ms"),
  /** Time for which a neighbour stops after feedback (section 7). */
  hold: timeText.default("5ms"),
  /** Seed of the polynomials with which the switches hash, and of the initial maps of virtual ports. */
  hash_seed: z.number().int().min(0).default(1),
});

export type DahuParameters = z.output<typeof dahuParameters>;
