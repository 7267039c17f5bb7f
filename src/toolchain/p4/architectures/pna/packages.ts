/** The packages of PNA: the blocks of the device, and the names of what their parameters stand for. */
import type { BlockShape, PackageShape, ParameterShape } from "../../lower/architecture.js";

const PACKET: ParameterShape = { storage: "packet" };
const HEADERS: ParameterShape = { storage: "headers" };
const METADATA: ParameterShape = { storage: "metadata" };

const place = (storage: string): ParameterShape => ({ storage });

const PARSER: BlockShape = {
  role: "mainParser",
  kind: "parser",
  params: [PACKET, HEADERS, METADATA, place("parser")],
};
/** The headers of the pre control are those of the main parser, which runs before it, as in DPDK's software switch. */
const PRE: BlockShape = {
  role: "preControl",
  kind: "control",
  params: [HEADERS, METADATA, place("pre.input"), place("pre.output")],
};
const MAIN: BlockShape = {
  role: "mainControl",
  kind: "control",
  params: [HEADERS, METADATA, place("input"), place("output")],
};
const DEPARSER: BlockShape = {
  role: "mainDeparser",
  kind: "deparser",
  params: [PACKET, HEADERS, METADATA, place("output")],
};

export const PNA_PACKAGES: readonly PackageShape[] = [
  { name: "PNA_NIC", isPipe: true, arguments: [PARSER, PRE, MAIN, DEPARSER] },
];

/** BMv2's form has no pre control. */
export const PNA_NIC_PACKAGES: readonly PackageShape[] = [
  { name: "PNA_NIC", isPipe: true, arguments: [PARSER, MAIN, DEPARSER] },
];
