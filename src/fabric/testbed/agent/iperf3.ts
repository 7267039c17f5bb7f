/** One flow by iperf3: a server in one host, a client in another, and the figures of the client's report. */

import { z } from "zod";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type { HostProcess, RunningHost } from "../testbed.js";
import { addressText } from "./config.js";
import { agentFailure } from "./failure.js";

export interface Iperf3Options {
  readonly ipVersion: 4 | 6;
  readonly port: number;
  readonly bytes: number;
  /** Maximum duration of the client in milliseconds. */
  readonly timeoutMs?: number;
}

export interface Iperf3Figures {
  readonly bytes: number;
  readonly fctNs: number;
  readonly retransmissions: number | null;
  readonly rttUs: number | null;
  readonly minRttUs: number | null;
}

interface End {
  readonly host: RunningHost;
  readonly address: bigint;
}

const SERVER_START_MS = 60_000;

/** Default size of a block that iperf3 writes, in bytes. */
const MAX_BLOCK = 131_072;

/** Status of a command that took too long: 128 and SIGKILL. */
const KILLED = 137;

const reportSchema = z.object({
  end: z.object({
    sum_sent: z.object({ bytes: z.number(), seconds: z.number(), retransmits: z.number().optional() }),
    streams: z
      .array(
        z.object({
          sender: z.object({ mean_rtt: z.number().optional(), min_rtt: z.number().optional() }),
        }),
      )
      .min(1),
  }),
});

/** Throws DiagnosticError P43173, with iperf3's message, when it is missing or fails. */
export async function runIperf3(client: End, server: End, options: Iperf3Options): Promise<Iperf3Figures> {
  const { ipVersion, port, bytes, timeoutMs } = options;
  const to = addressText(server.address, ipVersion);
  const listener = server.host.spawn(["iperf3", "-s", "-1", "-p", `${port}`, "-B", to, "--forceflush"]);
  try {
    await listening(listener, server.host.name);
    const from = addressText(client.address, ipVersion);
    // It sends whole blocks, so their size is chosen such that their sum is close to the bytes of the flow.
    const block = Math.ceil(bytes / Math.ceil(bytes / MAX_BLOCK));
    const words = ["-c", to, "-B", from, "-p", `${port}`, "-n", `${bytes}`, "-l", `${block}`, "--json"];
    const done = await client.host.exec(["iperf3", ...words], timeoutMs === undefined ? {} : { timeoutMs });
    if (done.status === KILLED) throw agentFailure(CODES.iperf3, `iperf3 did not end within ${timeoutMs} ms`);
    return readIperf3(done.stdout || done.stderr);
  } finally {
    await listener.kill();
  }
}

async function listening(server: HostProcess, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (text: string) =>
      reject(
        agentFailure(CODES.iperf3, `iperf3 does not listen on ${host}: ${text}`, "it is in Debian's iperf3"),
      );
    const timer = setTimeout(() => refuse(`nothing for ${SERVER_START_MS / 1000} s`), SERVER_START_MS);
    server.onLine((line) => {
      if (!line.includes("Server listening")) return;
      clearTimeout(timer);
      resolve();
    });
    void server.exited.then((status) => {
      clearTimeout(timer);
      refuse(server.stderr.trim() || `status ${status}`);
    });
  });
}

/** The figures of a client's JSON report. P43173 where it is none, or reports an error. */
export function readIperf3(text: string): Iperf3Figures {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw agentFailure(CODES.iperf3, `iperf3 gave no report: ${text.trim().slice(0, 200) || "nothing"}`);
  }
  const error = z.object({ error: z.string() }).safeParse(json);
  if (error.success) throw agentFailure(CODES.iperf3, `iperf3: ${error.data.error}`);
  const report = reportSchema.safeParse(json);
  if (!report.success) {
    throw agentFailure(CODES.iperf3, "the report of iperf3 lacks something", z.prettifyError(report.error));
  }
  const { sum_sent, streams } = report.data.end;
  const { mean_rtt, min_rtt } = defined(streams[0]).sender;
  return {
    bytes: sum_sent.bytes,
    fctNs: Math.round(sum_sent.seconds * 1e9),
    retransmissions: sum_sent.retransmits ?? null,
    rttUs: mean_rtt ?? null,
    minRttUs: min_rtt ?? null,
  };
}
