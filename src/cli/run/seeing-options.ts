/** The options of `p4loom run` that say what is watched of a network. */
import type { EngineName, RunOptions } from "../../fabric/experiment/index.js";
import type { RunArguments } from "./run-options.js";

/** A text: what is wrong with the command line. Whether the links and flows exist is found by the run. */
export function seeingGiven(
  { pcap, traceFlow = [], timeline = false }: RunArguments,
  engine: EngineName,
): RunOptions["seeing"] | string {
  // Without links, a testbed captures every port.
  const links = pcap === undefined || (pcap === true && engine !== "sim") ? [] : linksOf(pcap);
  if (links.some((name) => name === "")) return `--pcap ${pcap}: a name of a link is empty`;
  const wrong = traceFlow.find((text) => !/^\d{1,9}$/.test(text));
  if (wrong !== undefined) return `--trace-flow ${wrong}: expected the number of a flow, as in the results`;
  if (links.length + traceFlow.length === 0 && !timeline) return undefined;
  return { pcap: links, flows: traceFlow.map(Number), timeline };
}

function linksOf(pcap: string | boolean): string[] {
  return typeof pcap === "string" ? pcap.split(",").map((name) => name.trim()) : ["all"];
}
