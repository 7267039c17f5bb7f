/** The packages of PSA: the blocks of the switch, and the names of what their parameters stand for. */
import type { BlockShape, PackageShape, ParameterShape } from "../../lower/architecture.js";

const PACKET: ParameterShape = { storage: "packet" };

/** Headers and metadata of a gress are the user's types; the parser, the control and the deparser of the gress share them. */
function own(gress: "ingress" | "egress"): readonly [ParameterShape, ParameterShape] {
  return [{ storage: `${gress}.headers` }, { storage: `${gress}.metadata` }];
}

const place = (storage: string): ParameterShape => ({ storage });

/** What a packet takes along: written by one block, read by the parser at the other end of the path. */
const NORMAL = place("normal");
const CLONE_I2E = place("clone_i2e");
const CLONE_E2E = place("clone_e2e");
const RESUBMIT = place("resubmit");
const RECIRCULATE = place("recirculate");

const INGRESS_BLOCKS: readonly BlockShape[] = [
  {
    role: "ingressParser",
    kind: "parser",
    params: [PACKET, ...own("ingress"), place("ingress.parser"), RESUBMIT, RECIRCULATE],
  },
  {
    role: "ingress",
    kind: "control",
    params: [...own("ingress"), place("ingress.input"), place("ingress.output")],
  },
  {
    role: "ingressDeparser",
    kind: "deparser",
    params: [PACKET, CLONE_I2E, RESUBMIT, NORMAL, ...own("ingress"), place("ingress.output")],
  },
];

const EGRESS_BLOCKS: readonly BlockShape[] = [
  {
    role: "egressParser",
    kind: "parser",
    params: [PACKET, ...own("egress"), place("egress.parser"), NORMAL, CLONE_I2E, CLONE_E2E],
  },
  {
    role: "egress",
    kind: "control",
    params: [...own("egress"), place("egress.input"), place("egress.output")],
  },
  {
    role: "egressDeparser",
    kind: "deparser",
    params: [
      PACKET,
      CLONE_E2E,
      RECIRCULATE,
      ...own("egress"),
      place("egress.output"),
      place("egress.deparser"),
    ],
  },
];

export const PSA_PACKAGES: readonly PackageShape[] = [
  { name: "PSA_Switch", isPipe: true, arguments: ["package", "extern", "package", "extern"] },
  { name: "IngressPipeline", isPipe: false, arguments: INGRESS_BLOCKS },
  { name: "EgressPipeline", isPipe: false, arguments: EGRESS_BLOCKS },
];
