/** Compiles a program, and says what it is for a control plane. */
import { readFileSync } from "node:fs";
import { compile, Diagnostics, formatDiagnostic, SourceFile, writeP4InfoText } from "p4loom/compile";

const diagnostics = new Diagnostics();
const file = new SourceFile("tor.p4", readFileSync("p4/ecmp/tor.p4", "utf8"));
const result = compile({ file }, diagnostics);
for (const diagnostic of diagnostics.list) console.error(formatDiagnostic(diagnostic));
if (result === undefined) process.exit(1);

const { bmv2, p4info } = result.program;
console.log(bmv2.pipelines.map(({ name, tables }) => `${name}: ${tables.length} tables`).join(", "));
console.log(writeP4InfoText(p4info).split("\n").slice(0, 3).join("\n"));

/* prints
ingress: 13 tables, egress: 0 tables
# proto-file: p4/config/v1/p4info.proto
# proto-message: p4.config.v1.P4Info
*/
