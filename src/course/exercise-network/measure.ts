/** `pingall` and `iperf`, in Mininet's words. */
import { z } from "zod";
import { ipv4Text } from "../../base/packets/index.js";
import { INTERRUPTED, knownNodes, type WordContext } from "./prompt-io.js";

const DEFAULT_WAIT_S = 1;
const IPERF_SECONDS = 5;

/** Of one echo request: whether an answer came, and the round trip in ms. */
interface Echo {
  answered: boolean;
  roundTripMs?: number;
}

/** `pingall [SECONDS]`: status 1 when an echo was lost. */
export function pingAll(
  prompt: WordContext,
  rest: string,
  stop: AbortSignal,
  times = false,
): Promise<number> {
  return ping(prompt, prompt.exercise.setup.topology.hosts.length, rest, stop, times);
}

/** Pings between the first `count` hosts. */
export async function ping(
  prompt: WordContext,
  count: number,
  rest: string,
  stop: AbortSignal,
  times = false,
): Promise<number> {
  const waitSeconds = rest === "" ? DEFAULT_WAIT_S : Number(rest);
  if (!(waitSeconds > 0 && waitSeconds <= 3600)) {
    prompt.print(`*** ${rest}: not a number of seconds up to 3600`);
    return 2;
  }
  const hosts = prompt.exercise.setup.topology.hosts.slice(0, count);
  let sent = 0;
  let received = 0;
  const found: string[] = [];
  prompt.print("*** Ping: testing ping reachability");
  for (const source of hosts) {
    prompt.io.write(`${source.name} -> `);
    for (const target of hosts) {
      if (source === target) continue;
      if (stop.aborted) {
        prompt.io.write("\n");
        return INTERRUPTED;
      }
      const { answered, roundTripMs } = await echo(prompt, source.name, target.ipv4, waitSeconds);
      sent++;
      if (answered) received++;
      prompt.io.write(`${answered ? target.name : "X"} `);
      if (roundTripMs !== undefined) found.push(` ${source.name}->${target.name}: ${roundTripMs} ms`);
    }
    prompt.io.write("\n");
  }
  if (times) prompt.print(`*** Results:\n${found.join("\n")}`);
  const lost = sent === 0 ? 0 : Math.floor((100 * (sent - received)) / sent);
  prompt.print(`*** Results: ${lost}% dropped (${received}/${sent} received)`);
  return received === sent ? 0 : 1;
}

async function echo(prompt: WordContext, source: string, target: bigint, waitSeconds: number): Promise<Echo> {
  const words = ["ping", "-c1", "-W", String(waitSeconds), ipv4Text(target)];
  const timeoutMs = waitSeconds * 1000 + 5000;
  const { status, stdout } = await prompt.exercise.lab.hosts.get(source)!.exec(words, { timeoutMs });
  const time = /time=([\d.]+) ms/.exec(stdout)?.[1];
  return { answered: status === 0, ...(time === undefined ? {} : { roundTripMs: Number(time) }) };
}

/** `iperf [HOST HOST]`: TCP from the first to the second, the first two of the network by default. */
export async function iperf(prompt: WordContext, rest: string, stop: AbortSignal): Promise<number> {
  const { lab, setup } = prompt.exercise;
  const [first, second] = setup.topology.hosts.map(({ name }) => name);
  const [client = first, server = second, ...more] = rest.split(/\s+/).filter(Boolean);
  const [from, to] = [lab.hosts.get(client ?? ""), lab.hosts.get(server ?? "")];
  if (from === undefined || to === undefined || more.length > 0) {
    const unknown = [client, server].filter((name) => name !== undefined && !lab.hosts.has(name));
    if (more.length > 0 || unknown.length === 0) prompt.print("*** usage: iperf [HOST HOST]");
    else prompt.print(`*** no such host: ${unknown.join(", ")}; ${knownNodes(lab.hosts.keys())}`);
    return 2;
  }
  prompt.print(`*** Iperf: testing TCP bandwidth between ${client} and ${server}`);
  const address = ipv4Text(setup.topology.hosts.find(({ name }) => name === server)!.ipv4);
  const listener = to.spawn(["iperf3", "-s", "-1"]);
  const sender = from.spawn(["sh", "-c", CLIENT, "sh", address]);
  const end = (): void => void sender.kill();
  stop.addEventListener("abort", end);
  const overdue = setTimeout(end, (IPERF_SECONDS + 10) * 1000);
  try {
    let text = "";
    sender.onText((piece) => {
      text += piece;
    });
    const status = await sender.exited;
    if (stop.aborted) return INTERRUPTED;
    return printReport(prompt, status, text, sender.stderr);
  } finally {
    clearTimeout(overdue);
    stop.removeEventListener("abort", end);
    await Promise.all([sender.kill(), listener.kill()]);
  }
}

/** The client is started again until the server answers. */
const CLIENT = `for try in 1 2 3 4 5 6 7 8 9 10; do
  report=$(iperf3 -c "$1" -t ${IPERF_SECONDS} --json)
  status=$?
  case $report in *refused*) sleep 0.2 ;; *) break ;; esac
done
printf '%s' "$report"
exit $status`;

function printReport(prompt: WordContext, status: number, text: string, stderr: string): number {
  const report = readReport(text);
  const { sum_sent: sent, sum_received: received } = report?.end ?? {};
  if (report?.error === undefined && sent !== undefined && received !== undefined) {
    const rates = [sent, received].map((sum) => formatRate(sum.bits_per_second));
    prompt.print(`*** Results: [${rates.map((rate) => `'${rate}'`).join(", ")}]`);
    return 0;
  }
  const late = status > 128 ? `no end within ${IPERF_SECONDS + 10} s` : `status ${status}`;
  prompt.print(`*** iperf3: ${report?.error ?? (stderr.trim() || late)}`);
  return 1;
}

const sumSchema = z.object({ bits_per_second: z.number() });

/** The report of `iperf3 --json`; with `error` where it failed. */
const reportSchema = z.object({
  error: z.string().optional(),
  end: z.object({ sum_sent: sumSchema, sum_received: sumSchema }).partial().optional(),
});

/** Undefined: the client printed no report. */
function readReport(text: string): z.output<typeof reportSchema> | undefined {
  try {
    return reportSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function formatRate(bitsPerSecond: number): string {
  const [scale, unit] =
    bitsPerSecond >= 1e9
      ? [1e9, "Gbits/sec"]
      : bitsPerSecond >= 1e6
        ? [1e6, "Mbits/sec"]
        : [1e3, "Kbits/sec"];
  return `${(bitsPerSecond / scale).toPrecision(3)} ${unit}`;
}
