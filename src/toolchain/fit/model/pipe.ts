/** One pipe of a TNA program, as the program of a chip with one ingress and one egress. */
import { defined } from "../../../base/index.js";
import type { Program } from "../../program/index.js";

/** The names of the pipes; none for a program of another architecture, which has one pipe without a name. */
export function pipesOf({ bmv2: { architecture } }: Program): readonly string[] {
  return architecture?.pipes.map(({ name }) => name) ?? [];
}

/** The program with the parsers, controls and deparsers of one pipe alone, under the names that every fit looks for; its ghost thread is the pipeline `ghost`. */
export function onePipe(program: Program, name: string): Program {
  const { bmv2: json } = program;
  const { architecture } = json;
  const pipe = architecture?.pipes.find((one) => one.name === name);
  if (architecture === undefined || pipe === undefined) throw new RangeError(`no pipe ${name}`);
  const gresses = [pipe.ingress, pipe.egress];
  const pipeline = ({ pipeline: at }: { readonly pipeline: number }, gress: string) => ({
    ...defined(json.pipelines[at]),
    name: gress,
  });
  const from = pipe.ingress.parsers.length;
  const { ghost } = pipe;
  const own = {
    ...pipe,
    ingress: { ...pipe.ingress, parsers: pipe.ingress.parsers.map((_, i) => i), pipeline: 0, deparser: 0 },
    egress: {
      ...pipe.egress,
      parsers: pipe.egress.parsers.map((_, i) => from + i),
      pipeline: 1,
      deparser: 1,
    },
    ...(ghost === undefined ? {} : { ghost: { ...ghost, pipeline: 2 } }),
  };
  return {
    ...program,
    bmv2: {
      ...json,
      architecture: { ...architecture, pipes: [own] },
      parsers: gresses.flatMap(({ parsers }) => parsers.map((at) => defined(json.parsers[at]))),
      pipelines: [
        pipeline(pipe.ingress, "ingress"),
        pipeline(pipe.egress, "egress"),
        ...(ghost === undefined ? [] : [pipeline(ghost, "ghost")]),
      ],
      deparsers: gresses.map(({ deparser }) => defined(json.deparsers[deparser])),
    },
  };
}
