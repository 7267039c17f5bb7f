/** What a user observes of a run in addition to its results: packets on links, flows hop by hop, and a timeline page. */
import { z } from "zod";

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item.transform((one) => [one]), z.array(item)]);

export const seeingSchema = z.strictObject({
  /** Links whose frames are captured: `all`, a node, `NODE:PORT`, or `NODE NODE`. */
  pcap: oneOrMore(z.string().min(1)).optional(),
  /** Numbers of flows, as in the results. */
  trace_flows: oneOrMore(z.number().int().min(0)).optional(),
  /** A timeline page of each run. */
  timeline: z.boolean().optional(),
});

export interface SeeingRequest {
  readonly pcap: readonly string[];
  readonly flows: readonly number[];
  readonly timeline: boolean;
}

/** The requests of the file and of the command line together; undefined: none. */
export function seeingOf(
  file: z.output<typeof seeingSchema> | undefined,
  options: Partial<SeeingRequest> = {},
): SeeingRequest | undefined {
  const pcap = [...(file?.pcap ?? []), ...(options.pcap ?? [])];
  const flows = [...new Set([...(file?.trace_flows ?? []), ...(options.flows ?? [])])];
  const timeline = options.timeline === true || file?.timeline === true;
  return pcap.length + flows.length === 0 && !timeline ? undefined : { pcap, flows, timeline };
}
