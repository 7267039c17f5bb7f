/** A leaf of a small Clos under RePaC, with any hash upwards, also those that the scheme refuses. */
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { computedPathmap, repacFabric } from "../../../../src/fabric/schemes/repac/definition.js";
import { repac } from "../../../../src/fabric/schemes/repac/index.js";
import { repacParameters } from "../../../../src/fabric/schemes/repac/parameters.js";
import { type RepacProgram, repacProgram } from "../../../../src/fabric/schemes/repac/program.js";
import { nodeNamed } from "../../../../src/fabric/topology/index.js";
import { type HashChoice, renderProgram } from "../../../../src/toolchain/generate/index.js";
import { compile } from "../../../../src/toolchain/p4/index.js";
import { templates } from "../../../toolchain/generate/load.js";
import { example } from "../../topology/load.js";

export const LEAF = "leaf0-0";

export function leafOf(algorithm: HashChoice["algorithm"]) {
  const topology = example("clos");
  const parameters = repacParameters.parse({ field: "dscp", planning: true });
  const plan = repac.plan(topology, parameters);
  const node = nodeNamed(topology, LEAF)!;
  const planned = plan.switches.find((own) => own.node === node.index)!;
  const values = plan.programs.find(({ name }) => name === planned.program)!.values as RepacProgram;
  const { role, hashedField, bucketBits, down, routes } = values;
  const up = { ...values.up!, hash: { algorithm, order: values.up!.hash.order } };
  const text = renderProgram(
    templates,
    repacProgram("leaf", { role, hashedField, bucketBits, up, ...(down && { down }), routes }),
  );
  const diagnostics = new Diagnostics();
  const { program } = compile({ file: new SourceFile("leaf.p4", text) }, diagnostics)!;
  diagnostics.throwIfErrors();
  const fabric = repacFabric(topology, parameters);
  const group = fabric.groups.get(node.index)!.find(({ way }) => way === "up")!;
  return {
    topology,
    node,
    fabric,
    program,
    updates: planned.updates,
    ports: group.ports,
    map: computedPathmap(fabric),
    /** A host of another pod. */
    destination: nodeNamed(topology, "host1-1-1")!.host!.ipv4,
  };
}
