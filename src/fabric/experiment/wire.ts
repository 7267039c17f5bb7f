/** The key `wire` of experiment files: what a frame takes on a link of the simulator. Every table with times or rates says which one it has. */
import { z } from "zod";
import { ETHERNET_WIRE, HEADERS_ONLY, type WireModel } from "../sim/packet/index.js";

const MODELS = { headers: HEADERS_ONLY, ethernet: ETHERNET_WIRE } as const satisfies Readonly<
  Record<string, WireModel>
>;

export type WireName = keyof typeof MODELS;

const MEANINGS: Readonly<Record<WireName, string>> = {
  headers: "a frame takes its bytes from the Ethernet header on; no preamble, check sequence, gap or padding",
  ethernet:
    "a frame takes at least 60 bytes from the Ethernet header on, and 24 of preamble, check sequence and gap",
};

export const wireSchema = z.enum(Object.keys(MODELS) as [WireName, ...WireName[]]).default("headers");

export function wireModel(name: WireName): WireModel {
  return MODELS[name];
}

/** One line for tables and pages. */
export function wireText(name: WireName): string {
  return `${name}: ${MEANINGS[name]}`;
}
