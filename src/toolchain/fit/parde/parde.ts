/**
 * Parsers and deparsers of a program for a Tofino: what its placement and its containers ask of both. `packet-states.ts` reads the program,
 * `build.ts` makes states of the hardware, the other files count.
 */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import type { FitModel, Gress } from "../model/model.js";
import type { PhvAllocation } from "../phv/allocation.js";
import type { Target } from "../target.js";
import { buildMachine } from "./build.js";
import { type EngineUse, engineUse } from "./checksums.js";
import { compact } from "./compact.js";
import { type DeparserUse, deparserUse } from "./deparser.js";
import { destinationsOf } from "./destinations.js";
import { type HardwareState, rowsOf } from "./machine.js";
import { mergeChains } from "./merge.js";
import { packetStates } from "./packet-states.js";
import { type Padding, paddingOf } from "./padding.js";
import { type RegisterUse, registerUse } from "./registers.js";
import { type LineRate, lineRate, type Ways, waysOf } from "./ways.js";

export interface ParserUse {
  readonly name: string;
  readonly gress: Gress;
  readonly states: readonly HardwareState[];
  /** Rows of the match memory, with those of the padding. */
  readonly rows: number;
  readonly registers: readonly RegisterUse[];
  readonly engines: EngineUse;
  readonly ways: Ways;
  /** States that the compiler adds so that each packet is read far enough. */
  readonly padding: Padding;
  /** Undefined where no source states how fast a port of the chip is to a parser. */
  readonly rate: LineRate | undefined;
}

/** A parser that is not counted, and why. */
interface UncountedParser {
  readonly name: string;
  readonly gress: Gress;
  readonly reason: string;
  /** A value is beyond what a cycle sees: the compiler refuses it, too. */
  readonly isTooFar: boolean;
  readonly source: bmv2.SourceInfo | undefined;
}

export interface PardeUse {
  readonly parsers: readonly ParserUse[];
  readonly uncounted: readonly UncountedParser[];
  readonly deparsers: Readonly<Record<Gress, DeparserUse | undefined>>;
}

/** Undefined for a program whose parsers the chip's compiler makes, and for a target that states nothing of them. */
export function pardeOf(
  program: bmv2.Bmv2Program,
  model: FitModel,
  allocation: PhvAllocation | undefined,
  target: Target,
): PardeUse | undefined {
  const pipe = program.architecture?.pipes[0];
  const { parde } = target;
  if (pipe === undefined || parde === undefined || allocation === undefined) return undefined;
  const parsers: ParserUse[] = [];
  const uncounted: UncountedParser[] = [];
  for (const gress of ["ingress", "egress"] as const)
    for (const at of pipe[gress].parsers) {
      const parser = defined(program.parsers[at]);
      const use = parserUse(program, parser, gress, { model, allocation, parde });
      if ("reason" in use) uncounted.push(use);
      else parsers.push(use);
    }
  const deparserOf = (gress: Gress): DeparserUse | undefined => {
    const deparser = program.deparsers[pipe[gress].deparser];
    if (deparser === undefined) return undefined;
    return deparserUse(program, deparser, gress, { model, allocation, target, chip: parde.deparser });
  };
  return { parsers, uncounted, deparsers: { ingress: deparserOf("ingress"), egress: deparserOf("egress") } };
}

function parserUse(
  program: bmv2.Bmv2Program,
  parser: bmv2.Bmv2Parser,
  gress: Gress,
  {
    model,
    allocation,
    parde,
  }: {
    readonly model: FitModel;
    readonly allocation: PhvAllocation;
    readonly parde: NonNullable<Target["parde"]>;
  },
): ParserUse | UncountedParser {
  const { name } = parser;
  const graph = packetStates(program, parser);
  if ("unknown" in graph)
    return { name, gress, reason: graph.unknown, isTooFar: false, source: graph.source };
  const states = mergeChains(graph.states);
  const built = buildMachine(states, destinationsOf(model, allocation, gress), parde.parser);
  if ("tooFar" in built) {
    const reason = `state ${built.tooFar} looks further ahead than the ${parde.parser.buffer_bytes} bytes that a cycle sees`;
    return { name, gress, reason, isTooFar: true, source: built.source };
  }
  const machine = compact(built.states, parde.parser.buffer_bytes);
  const ways = waysOf(machine);
  const padding = paddingOf(states, gress, parde.parser);
  const { clock_ghz: clock, port_gbps: port } = parde.parser;
  return {
    name,
    gress,
    states: machine,
    rows: rowsOf(machine) + padding.rows,
    registers: registerUse(machine, model.fields),
    engines: engineUse(states),
    ways,
    padding,
    rate: clock === null || port === null ? undefined : lineRate(ways.cycles, clock, port),
  };
}
