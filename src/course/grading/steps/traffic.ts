/** A step that sends many packets in flows, and checks the packets that arrive, their order, and the ports that they used. */
import { ETHERTYPE_IPV4, Ethernet, get32, Ip, Ipv4, Tcp, Udp } from "../../../base/packets/index.js";
import {
  buildFrame,
  type ExerciseHost,
  type ExerciseStep,
  inRange,
  rangeText,
  type StackPart,
  senderOf,
  trafficStack,
} from "../../exercises/index.js";
import { StepFailure } from "../failure.js";
import { portName, type TestNetwork } from "../network.js";

type TrafficStep = Extract<ExerciseStep, { kind: "traffic" }>;

/** Offset of the transport header, after the Ethernet and IPv4 headers. */
const TRANSPORT_AT = Ethernet.LENGTH + Ipv4.LENGTH;
/** Length of the transport header. After it, each packet has the number of its flow and its own number, as two 32-bit words. */
const HEADER_BYTES: Readonly<Record<TrafficStep["protocol"], number>> = { udp: Udp.LENGTH, tcp: Tcp.LENGTH };

export async function playTraffic(
  step: TrafficStep,
  network: TestNetwork,
  hosts: readonly ExerciseHost[],
): Promise<void> {
  const from = hosts.find(({ name }) => name === step.from)!;
  const to = hosts.find(({ name }) => name === step.to)!;
  const sender = senderOf(from, hosts);
  const receiver = network.hosts.get(step.to)!;
  for (const host of network.hosts.values()) host.forget();
  const before = await network.sent();
  const total = step.flows * step.packets;
  const duration = schedule(step, network, (flow, number) => {
    const stack: StackPart[] = trafficStack(step, { from: from.ipv4, to: to.ipv4 }, flow, number);
    network.hosts.get(step.from)!.send(buildFrame(stack, sender));
  });
  await network.advance(duration + step.withinNs, () => receiver.received.length >= total);
  const after = await network.sent();
  const arrived = receiver.received
    .map(({ frame }) => numbersOf(frame, step))
    .filter((one) => one !== undefined);
  const sent = `${step.from} sends ${total} packets in ${step.flows} flow${step.flows === 1 ? "" : "s"} to ${step.to}`;
  if (step.received !== undefined && !inRange(step.received, arrived.length, total))
    throw new StepFailure(
      `${rangeText(step.received)} packets arrive at ${step.to}`,
      `${arrived.length} of ${total} arrive`,
      [sent],
    );
  const marked = arrived.filter((one) => one.marked).length;
  if (step.marked !== undefined && !inRange(step.marked, marked, arrived.length))
    throw new StepFailure(
      `${rangeText(step.marked)} packets arrive at ${step.to} with the mark of congestion (ECN 3)`,
      `${marked} of ${arrived.length} have it`,
      [sent],
    );
  if (step.inOrder) checkOrder(arrived, step, sent);
  const by = (port: string): number => (after.get(port) ?? 0) - (before.get(port) ?? 0);
  for (const { port, packets } of step.ports) {
    const name = portName(port.node, port.port);
    if (!inRange(packets, by(name), total))
      throw new StepFailure(
        `${rangeText(packets)} packets leave by ${name}`,
        `${by(name)} of ${total} leave by this port`,
        [sent],
      );
  }
  checkSplit(step, by, sent);
}

/** Schedules all packets, in turn from each flow. Returns the time until the last one is sent. */
function schedule(
  step: TrafficStep,
  network: TestNetwork,
  send: (flow: number, number: number) => void,
): number {
  const start = network.now();
  let at = 0;
  for (let number = 0; number < step.packets; number++) {
    if (step.pause !== undefined && number > 0 && number % step.pause.after === 0) at += step.pause.ns;
    for (let flow = 0; flow < step.flows; flow++) {
      network.at(start + at, () => send(flow, number));
      at += step.gapNs;
    }
  }
  return at;
}

/** Flow and number of a packet of this step, and whether it has the mark of congestion; undefined for other packets. */
function numbersOf(
  frame: Uint8Array,
  step: TrafficStep,
): { flow: number; number: number; marked: boolean } | undefined {
  const at = TRANSPORT_AT + HEADER_BYTES[step.protocol];
  if (frame.length < at + 8) return undefined;
  // The ports of UDP stand where those of TCP do.
  const flow = get32(frame, at);
  const port = (step.port + (step.vary === "port" ? flow : 0)) & 0xffff;
  if (Ethernet.type(frame) !== ETHERTYPE_IPV4 || Tcp.dstPort(frame, TRANSPORT_AT) !== port) return undefined;
  return { flow, number: get32(frame, at + 4), marked: Ip.isMarked(frame, Ethernet.LENGTH, Ip.IPV4) };
}

function checkOrder(
  arrived: readonly { readonly flow: number; readonly number: number }[],
  step: TrafficStep,
  sent: string,
): void {
  const last = new Map<number, number>();
  for (const { flow, number } of arrived) {
    const before = last.get(flow) ?? -1;
    if (number < before) {
      throw new StepFailure(
        `the packets of each flow arrive at ${step.to} in the order in which they were sent`,
        `of flow ${flow + 1} of ${step.flows}, packet ${number} arrives after packet ${before}`,
        [sent],
      );
    }
    last.set(flow, number);
  }
}

function checkSplit({ split }: TrafficStep, by: (port: string) => number, sent: string): void {
  if (split === undefined) return;
  const counts = split.over.map(
    ({ node, port }) => [portName(node, port), by(portName(node, port))] as const,
  );
  const seen = counts.map(([name, count]) => `${name} ${count}`).join(", ");
  const used = counts.filter(([, count]) => count > 0);
  const sum = used.reduce((total, [, count]) => total + count, 0);
  const names = counts.map(([name]) => name).join(", ");
  if (split.used !== undefined && !inRange(split.used, used.length, counts.length))
    throw new StepFailure(`packets use ${rangeText(split.used)} of the ports ${names}`, seen, [sent]);
  if (split.each !== undefined) {
    const { each } = split;
    const off = used.find(([, count]) => !inRange(each, count, sum));
    if (off !== undefined || used.length === 0)
      throw new StepFailure(`each used port of ${names} sends ${rangeText(each)}`, seen, [sent]);
  }
}
