/** Topology files for tests: an example, or a wrong one with the diagnostics that it causes. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import {
  buildTopology,
  type Topology,
  type TopologyInput,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import { loadDocument } from "../../../src/toolchain/documents/index.js";
import { readMapFile } from "../../../src/toolchain/loading/index.js";

const root = resolve(import.meta.dirname, "../../..");

export function build(input: TopologyInput): Topology {
  return buildTopology(topologySchema.parse(input));
}

export function example(name: string): Topology {
  return loadTopology(`examples/topologies/${name}.yaml`);
}

export function exampleNames(): string[] {
  return readdirSync(join(root, "examples/topologies")).map((file) => file.replace(/\.yaml$/, ""));
}

/** The kind of each example. */
export function exampleKinds(): string[] {
  const text = (name: string) => readFileSync(join(root, "examples/topologies", `${name}.yaml`), "utf8");
  return exampleNames().map((name) => /^kind: (\w+)$/m.exec(text(name))![1]!);
}

/** The topology of a file below the project's root; throws DiagnosticError. */
export function loadTopology(path: string): Topology {
  const diagnostics = new Diagnostics();
  const file = new SourceFile(path, readFileSync(join(root, path), "utf8"));
  const document = loadDocument(file, topologySchema, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  return buildTopology(document.value, document.locate, ({ map }) =>
    readMapFile(map, join(root, "examples/topologies")),
  );
}

/** What a user sees when `action` fails with diagnostics. */
export function messagesOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics.map(formatDiagnostic).join("\n");
    throw error;
  }
  throw new Error("nothing failed");
}
