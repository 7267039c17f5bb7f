/** The packages of TNA and T2NA: the blocks of a pipe, and the names of what their parameters stand for. */
import type { BlockShape, PackageShape, ParameterShape } from "../../lower/architecture.js";

const PACKET: ParameterShape = { storage: "packet" };

/** Headers and metadata of a gress are the user's types; the parser, the control and the deparser of the gress share them. */
function own(gress: "ingress" | "egress"): readonly [ParameterShape, ParameterShape] {
  return [{ storage: `${gress}.headers` }, { storage: `${gress}.metadata` }];
}

const INGRESS: ParameterShape = { storage: "ingress.intrinsic", type: "ingress_intrinsic_metadata_t" };
const INGRESS_TM: ParameterShape = { storage: "ingress.tm", type: "ingress_intrinsic_metadata_for_tm_t" };
const INGRESS_PARSER: ParameterShape = {
  storage: "ingress.parser",
  type: "ingress_intrinsic_metadata_from_parser_t",
};
const INGRESS_DEPARSER: ParameterShape = {
  storage: "ingress.deparser",
  type: "ingress_intrinsic_metadata_for_deparser_t",
};
const EGRESS: ParameterShape = { storage: "egress.intrinsic", type: "egress_intrinsic_metadata_t" };
const EGRESS_PARSER: ParameterShape = {
  storage: "egress.parser",
  type: "egress_intrinsic_metadata_from_parser_t",
};
const EGRESS_DEPARSER: ParameterShape = {
  storage: "egress.deparser",
  type: "egress_intrinsic_metadata_for_deparser_t",
};
const EGRESS_PORT: ParameterShape = {
  storage: "egress.port",
  type: "egress_intrinsic_metadata_for_output_port_t",
};
const GHOST: ParameterShape = { storage: "ghost.intrinsic", type: "ghost_intrinsic_metadata_t" };

const INGRESS_PARSER_BLOCK: BlockShape = {
  role: "ingressParser",
  kind: "parser",
  params: [PACKET, ...own("ingress"), INGRESS, INGRESS_TM, INGRESS_PARSER],
};
const EGRESS_PARSER_BLOCK: BlockShape = {
  role: "egressParser",
  kind: "parser",
  params: [PACKET, ...own("egress"), EGRESS, EGRESS_PARSER, EGRESS_DEPARSER],
};

/** The arguments of a pipe, in the order in which a packet meets them; the ghost control runs beside them. */
const BLOCKS: readonly BlockShape[] = [
  INGRESS_PARSER_BLOCK,
  {
    role: "ingress",
    kind: "control",
    params: [...own("ingress"), INGRESS, INGRESS_PARSER, INGRESS_DEPARSER, INGRESS_TM, GHOST],
  },
  {
    role: "ingressDeparser",
    kind: "deparser",
    params: [PACKET, ...own("ingress"), INGRESS_DEPARSER, INGRESS],
  },
  EGRESS_PARSER_BLOCK,
  {
    role: "egress",
    kind: "control",
    params: [...own("egress"), EGRESS, EGRESS_PARSER, EGRESS_DEPARSER, EGRESS_PORT],
  },
  {
    role: "egressDeparser",
    kind: "deparser",
    params: [PACKET, ...own("egress"), EGRESS_DEPARSER, EGRESS, EGRESS_PARSER],
  },
  { role: "ghost", kind: "control", params: [GHOST] },
];

export const PACKAGES: readonly PackageShape[] = [
  { name: "Switch", isPipe: false, arguments: ["package"] },
  { name: "Pipeline", isPipe: true, arguments: BLOCKS },
  { name: "MultiParserSwitch", isPipe: false, arguments: ["package"] },
  { name: "MultiParserPipeline", isPipe: true, arguments: BLOCKS },
  { name: "IngressParsers", isPipe: false, arguments: [INGRESS_PARSER_BLOCK] },
  { name: "EgressParsers", isPipe: false, arguments: [EGRESS_PARSER_BLOCK] },
];
