/**
 * Packet spraying: hosts draw an entropy value for each packet, and switches of plain ECMP hash it. What arrives out of order is the
 * transport's concern (docs/transport.md, "Messages").
 */
import { z } from "zod";
import { planEcmpSwitches } from "../ecmp/plan.js";
import { hashParameters } from "../hash-settings.js";
import type { Scheme } from "../scheme.js";
import { sprayHosts } from "./hosts.js";
import { entropiesOf, entropyParameters } from "./parameters.js";

const sprayParameters = z.strictObject({ ...entropyParameters, ...hashParameters });

export const spray: Scheme<z.output<typeof sprayParameters>> = {
  name: "spray",
  title: "Spraying",
  summary: "packet spraying: hosts draw an entropy value for each packet, which plain ECMP hashes",
  parameters: sprayParameters,
  plan: (topology, parameters, locate) => {
    const entropies = entropiesOf(parameters, locate);
    return {
      scheme: "spray",
      field: parameters.field,
      ...planEcmpSwitches(topology, parameters, parameters.field),
      hosts: { kind: "spray", entropies },
      repaths: "hosts",
      sprays: true,
      notes: [`Spraying draws one of ${entropies} entropy values for each packet; it learns nothing.`],
    };
  },
  hosts: sprayHosts,
};
