/** `p4loom doctor`: what this machine has, and which commands work with it. */
import { claim, formatTable, given } from "../base/index.js";
import { advise, examine, type Finding } from "../fabric/testbed/index.js";
import { interfacesAvailable } from "../toolchain/interfaces/index.js";
import { EXIT } from "./outcome.js";

export interface DoctorOptions {
  bmv2?: string;
  p4c?: string;
  json?: boolean;
}

export async function doctor(options: DoctorOptions): Promise<number> {
  const findings = await examine({
    interfaces: interfacesAvailable(),
    ...given({ bmv2: options.bmv2, p4c: options.p4c }),
  });
  if (options.json) {
    const { uses, install, notes } = advise(findings);
    const document = { findings, commands: uses, install: install ?? null, notes };
    process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return EXIT.success;
  }
  process.stdout.write(`${doctorText(findings)}\n`);
  return EXIT.success;
}

export function doctorText(findings: readonly Finding[]): string {
  const { uses, install, notes } = advise(findings);
  const has = findings.map(({ name, ok, detail }) => [name, ok ? "yes" : "no", detail]);
  const works = uses.map(({ command, works, lacks }) => [
    works ? claim("commandWorks") : "no",
    command,
    lacks.join(", "),
  ]);
  const parts = [formatTable(["this machine", "", ""], has), formatTable(["", "command", "lacks"], works)];
  if (install !== undefined) parts.push(`To install what Debian has of it:\n    ${install}`);
  if (notes.length > 0) parts.push(notes.join("\n"));
  return parts.join("\n\n");
}
