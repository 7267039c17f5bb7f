/** The command interpreter of a simulated host: pings, flows, addresses and the ARP table. */
import { didYouMean, fail, given } from "../../../base/index.js";
import { ipv4Text } from "../../../base/packets/index.js";
import { parseBytes, parseDuration, parseRate } from "../../../fabric/topology/index.js";
import { formatValue } from "../../../toolchain/device/index.js";
import { CODES } from "../codes.js";
import type { LabNetwork } from "../network.js";
import type { Traffic } from "../protocol.js";
import type { Flow } from "./flow.js";

const HELP = `ping HOST [-c COUNT] [-i SECONDS] [-s BYTES] [-t TTL]   echo requests
udp HOST [RATE] [SECONDS] [-p PORT] [-s BYTES]          datagrams: udp h2 1Mbps 10
tcp HOST [SIZE] [-p PORT] [-C CONTROL]                  a TCP flow: tcp h2 10MB -C cubic
stop                                                    ends what this host sends
arp                                                     the ARP table
ip                                                      addresses of this host
help`;
const WORDS = ["ping", "udp", "tcp", "stop", "arp", "ip", "help"];

export interface ConsoleContext {
  readonly lab: LabNetwork;
  readonly host: string;
  print(text: string): void;
  start(traffic: Traffic): Flow;
  /** Flows that this console has started. */
  readonly flows: Set<Flow>;
}

/** Runs one line. Fails with P46007 for unknown commands and options, with P46002 for unknown hosts. */
export function runHostLine(line: string, context: ConsoleContext): void {
  const words = line.trim().split(/\s+/);
  const [name = "", ...rest] = words;
  const { lab, host, print, start, flows } = context;
  const { options, arp } = lab.host(host);
  switch (name) {
    case "":
      return;
    case "help":
      print(HELP);
      return;
    case "ip":
      print(`eth0 ${formatValue(options.mac, 48, "mac")} inet ${ipv4Text(options.ipv4)}`);
      if (options.ipv6 !== undefined) print(`eth0 inet6 ${formatValue(options.ipv6, 128, "ipv6")}`);
      return;
    case "arp":
      for (const [address, mac] of arp.entries)
        print(
          `${ipv4Text(address)} ${formatValue(mac, 48, "mac")}${arp.isPermanent(address) ? " permanent" : ""}`,
        );
      if (arp.entries.size === 0) print("the table is empty");
      return;
    case "stop":
      for (const flow of flows) flow.stop();
      flows.clear();
      return;
    case "ping":
    case "udp":
    case "tcp":
      flows.add(start(trafficOf(name, host, rest)));
      return;
    default:
      fail(CODES.commandWords, undefined, `there is no command ${name}${didYouMean(name, WORDS, "`")}`);
  }
}

function trafficOf(kind: Traffic["kind"], from: string, words: readonly string[]): Traffic {
  const { plain, options } = split(kind, words);
  const [to, first, second] = plain;
  if (to === undefined) fail(CODES.commandWords, undefined, `${kind}: a host is missing`, HELP);
  const extra = plain[kind === "ping" ? 1 : kind === "tcp" ? 2 : 3];
  if (extra !== undefined)
    fail(CODES.commandWords, undefined, `${kind}: ${extra} is not expected here`, HELP);
  const number = (option: string, absent: number, low: number, high: number): number => {
    const text = options.get(option);
    if (text === undefined) return absent;
    const value = Number(text);
    if (Number.isFinite(value) && value >= low && value <= high) return value;
    return fail(
      CODES.commandWords,
      undefined,
      `-${option} ${text}: expected a number from ${low} to ${high}`,
    );
  };
  const whole = (option: string, absent: number, low: number, high: number): number =>
    Math.round(number(option, absent, low, high));
  if (kind === "ping")
    return {
      kind,
      from,
      to,
      count: whole("c", 4, 1, 100_000),
      intervalNs: number("i", 1, 1e-6, 1000) * 1e9,
      bytes: whole("s", 56, 0, 9000),
      ttl: whole("t", 64, 1, 255),
    };
  const port = (absent: number): number => whole("p", absent, 1, 65_535);
  const amount = (text: string | undefined, parse: (text: string) => number | undefined, form: string) => {
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && !(value !== undefined && value > 0))
      fail(CODES.commandWords, undefined, `${kind}: ${text} is not a ${form}`);
    return value;
  };
  if (kind === "udp") {
    const rateBps = amount(first, parseRate, "rate such as 1Mbps") ?? 1e6;
    const seconds = (text: string) =>
      parseDuration(text) ?? (/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1e9 : undefined);
    const durationNs = amount(second, seconds, "time such as 10 (seconds) or 500ms") ?? 10e9;
    return { kind, from, to, port: port(5001), rateBps, bytes: whole("s", 1000, 4, 9000), durationNs };
  }
  const bytes = amount(first, parseBytes, "size such as 10MB");
  const congestionControl = options.get("C") ?? "cubic";
  return { kind, from, to, port: port(5201), ...given({ bytes }), congestionControl };
}

/** Options of each command; every option has a value. */
const OPTIONS: Readonly<Record<Traffic["kind"], string>> = { ping: "cist", udp: "ps", tcp: "pC" };

function split(kind: Traffic["kind"], words: readonly string[]) {
  const plain: string[] = [];
  const options = new Map<string, string>();
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith("-")) {
      plain.push(word);
      continue;
    }
    const [, letter = "", attached = ""] = /^-(.)(.*)$/.exec(word) ?? [];
    const value = attached === "" ? words[++i] : attached;
    if (!OPTIONS[kind].includes(letter) || letter === "")
      fail(CODES.commandWords, undefined, `${kind}: there is no option ${word}`, HELP);
    if (value === undefined) fail(CODES.commandWords, undefined, `${kind}: ${word} needs a value`);
    options.set(letter, value);
  }
  return { plain, options };
}
