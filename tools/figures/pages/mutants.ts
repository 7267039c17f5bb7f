import { reasonOf, type Survivor } from "../../mutants/reasons.js";
import { block, page, script } from "../block.js";
import { table } from "../text.js";

/** What `make mutants ROOM=... RECORD=...` wrote into tools/mutants/survivors.json. */
interface Room {
  room: string;
  survivors: Survivor[];
}

const code = (text: string): string => `\`${text.replaceAll("`", "'")}\``;

/** The survivors of a function with one reason are one row. */
function rowsOf(survivors: readonly Survivor[]): string[][] {
  const rows = new Map<string, string[]>();
  for (const survivor of survivors) {
    const key = [survivor.file, survivor.function, reasonOf(survivor)].join("\n");
    const mutation = `${code(survivor.code)} → ${code(survivor.mutant)}`;
    rows.set(key, [...(rows.get(key) ?? []), mutation]);
  }
  return [...rows].map(([key, mutations]) => {
    const [file, name, reason] = key.split("\n");
    return [code(file!), name === "" ? "the module" : code(name!), mutations.join("<br>"), reason!];
  });
}

export default page("docs/mutants.md", {
  survivors: block({
    runs: { rooms: script("tools/figures/measure/mutation-survivors.ts") },
    pick: { rooms: (document): Room[] => document },
    inputs: ["tools/mutants/survivors.json", "tools/mutants/reasons.ts"],
    render: ({ rooms }) =>
      rooms.flatMap(({ room, survivors }, i) => [
        ...(i === 0 ? [] : [""]),
        `## ${room}`,
        "",
        ...table(
          ["file", "function", "what the mutants change", "why no test detects them"],
          rowsOf(survivors),
        ),
      ]),
  }),
});
