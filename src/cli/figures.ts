/** `p4loom figures`: lists the figures of a folder of results, or makes them for a paper. */
import { given } from "../base/index.js";
import { listFigures, paperFigures } from "../fabric/experiment/index.js";
import { EXIT } from "./outcome.js";

export interface FiguresArguments {
  paper?: boolean;
  style?: string;
  out: string;
  json?: boolean;
}

export async function figures(
  results: string,
  { paper, style, out, json }: FiguresArguments,
): Promise<number> {
  if (paper !== true && style !== undefined) {
    process.stderr.write("p4loom figures: --style needs --paper\n");
    return EXIT.wrongUsage;
  }
  if (paper !== true) {
    const list = listFigures(results);
    const lines = list.map(({ name, caption, lines: count }) => {
      const what = count === undefined ? "drawing" : `${count} line${count === 1 ? "" : "s"}`;
      return `${name} (${what}): ${caption}\n`;
    });
    process.stdout.write(json ? `${JSON.stringify(list, null, 2)}\n` : lines.join(""));
    return EXIT.success;
  }
  const written = await paperFigures(results, { ...given({ style }), out });
  process.stdout.write(
    json
      ? `${JSON.stringify(written, null, 2)}\n`
      : written.files.map((name) => `${written.folder}/${name}\n`).join(""),
  );
  return EXIT.success;
}
