/** Asks whether a program fits Tofino 1, and in how many stages. */
import { readFileSync } from "node:fs";
import { compile, Diagnostics, SourceFile } from "p4loom/compile";
import { fitProgram, targetSchema, verdictLine } from "p4loom/fit";
import { parse } from "yaml";

const diagnostics = new Diagnostics();
const source = new SourceFile("tor.p4", readFileSync("p4/ecmp/tor.p4", "utf8"));
const program = compile({ file: source }, diagnostics)!.program;
const target = targetSchema.parse(parse(readFileSync("data/targets/tofino.yaml", "utf8")));

const result = fitProgram(program, target);
console.log(result.verdict, result.stages);
console.log(verdictLine(result));

/* prints
placed 4
placed on Tofino (1): 4 of 12 stages (heuristic; assignment verified)
*/
