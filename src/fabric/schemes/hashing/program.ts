/** The values of the template `templates/hashing/switch.p4.hbs`. */
import { z } from "zod";
import { checkValues, NO_SELECTOR, type ProgramPlan } from "../../../toolchain/generate/index.js";

const schema = z.strictObject({
  role: z.string(),
  /** The functions that the switches of the role use, with the P4 statements that set `meta.hash_value`. */
  functions: z.array(z.strictObject({ name: z.string(), statements: z.array(z.string()) })).min(1),
  /** Routes and groups depend on where packets come from. */
  classed: z.boolean(),
  /** Entries of the tables of sources; 0: there are none. */
  sources: z.number().int().min(0),
  routes: z.number().int().min(1),
  groups: z.number().int().min(1),
  members: z.number().int().min(1),
});

const TEMPLATE = "hashing/switch";

/** A program to render. Throws DiagnosticError P42004 for values of another shape. */
export function hashingProgram(name: string, input: z.output<typeof schema>): ProgramPlan {
  const program = checkValues(TEMPLATE, schema, input);
  const values = {
    ...program,
    usesFolds: program.functions.some(({ statements }) =>
      statements.some((line) => line.includes("meta.fold")),
    ),
    hashLines: hashLines(program.functions),
    families: ["ipv4", "ipv6"],
    directions: [],
    sizes: { routes: program.routes },
    routeActions: ["to_port", "to_group"],
    routeKeys: program.classed ? ["meta.arrival"] : [],
    selector: { ...NO_SELECTOR, hashed: false },
  };
  return { name, template: TEMPLATE, values };
}

/** The statements of all functions; the last function has no condition of its own. */
function hashLines(functions: z.output<typeof schema>["functions"]): string[] {
  const lines = functions.map(({ name, statements }) => [`// ${name}`, ...statements]);
  if (lines.length === 1) return lines[0]!;
  return [
    ...lines.flatMap((own, i) => {
      const condition = i === lines.length - 1 ? "{" : `if (meta.function == ${i}) {`;
      return [i === 0 ? condition : `} else ${condition}`, ...own.map((line) => `    ${line}`)];
    }),
    "}",
  ];
}
