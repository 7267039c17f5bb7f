import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import {
  type Channel,
  type ChannelOptions,
  Impairment,
  Network,
  type Node,
} from "../../../../src/fabric/sim/packet/index.js";

/** Notes when what arrives. */
class Sink implements Node {
  arrivals: [time: number, length: number, port: number][] = [];
  output: Channel | undefined;
  constructor(
    readonly name: string,
    readonly network: Network,
  ) {}
  attach(_port: number, output: Channel): void {
    this.output = output;
  }
  receive(port: number, frame: Uint8Array): void {
    this.arrivals.push([this.network.simulation.now, frame.length, port]);
  }
}

function pair(options: Partial<ChannelOptions> = {}) {
  const channel = { rate: 8e9, delay: 500, queueBytes: 10_000, queuePackets: 100, ...options };
  const network = new Network();
  const a = new Sink("a", network);
  const b = new Sink("b", network);
  const link = network.connect({ node: a, port: 1 }, { node: b, port: 7 }, { aToB: channel, bToA: channel });
  return { network, simulation: network.simulation, a, b, link };
}

const frame = (length: number) => new Uint8Array(length);

describe("a tap", () => {
  it("gets no frame after its end, which may be asked for twice; other taps continue", () => {
    const { simulation, a, link } = pair();
    const seen: string[] = [];
    const stop = ["x", "y"].map((name) => link.aToB.tap({ arrived: () => void seen.push(name) }));
    const send = () => {
      a.output!.send(frame(100));
      simulation.run();
    };
    send();
    stop[0]!();
    send();
    for (const end of [...stop, ...stop]) end();
    send();
    expect(seen).toEqual(["x", "y", "y"]);
  });
});

describe("channel", () => {
  it("delays by serialisation and propagation, one frame after the other", () => {
    const { simulation, a, b } = pair();
    a.output!.send(frame(1000));
    a.output!.send(frame(100));
    simulation.at(5000, () => a.output!.send(frame(10)));
    simulation.run();
    // At 8 Gb/s a byte takes 1 ns.
    expect(b.arrivals).toEqual([
      [1500, 1000, 7],
      [1600, 100, 7],
      [5510, 10, 7],
    ]);
  });

  it("carries both directions apart", () => {
    const { simulation, a, b } = pair();
    a.output!.send(frame(1000));
    b.output!.send(frame(100));
    simulation.run();
    expect(b.arrivals).toEqual([[1500, 1000, 7]]);
    expect(a.arrivals).toEqual([[600, 100, 1]]);
  });

  it("adds no serialisation at rate 0", () => {
    const { simulation, a, b } = pair({ rate: 0 });
    a.output!.send(frame(1000));
    a.output!.send(frame(1000));
    simulation.run();
    expect(b.arrivals.map(([time]) => time)).toEqual([500, 500]);
  });

  it("drops what exceeds the queue in packets or bytes", () => {
    const byPackets = pair({ queuePackets: 3 });
    for (let i = 0; i < 5; i++) byPackets.a.output!.send(frame(100));
    expect(byPackets.a.output!.backlog).toEqual({ bytes: 300, packets: 3 });
    byPackets.simulation.run();
    expect(byPackets.b.arrivals.length).toBe(3);
    expect(byPackets.a.output!.stats).toMatchObject({ sent: 5, delivered: 3, overflowed: 2 });

    const byBytes = pair({ queueBytes: 250 });
    for (let i = 0; i < 3; i++) byBytes.a.output!.send(frame(100));
    // The first frame leaves the queue when its last bit does.
    byBytes.simulation.at(100, () => byBytes.a.output!.send(frame(150)));
    byBytes.simulation.run();
    expect(byBytes.b.arrivals.map(([, length]) => length)).toEqual([100, 100, 150]);
  });

  it("loses what is on the wire or waiting when it fails, and carries again after repair", () => {
    const { network, simulation, a, b, link } = pair();
    a.output!.send(frame(1000)); // arrives at 1500
    simulation.at(1400, () => network.failLink(link));
    simulation.at(1450, () => a.output!.send(frame(20)));
    simulation.at(2000, () => network.repairLink(link));
    simulation.at(2000, () => a.output!.send(frame(30)));
    simulation.run();
    expect(b.arrivals).toEqual([[2530, 30, 7]]);
    expect(link.aToB.stats).toMatchObject({ delivered: 1, vanished: 2, overflowed: 0 });
  });

  it("spares what waited in the queue through a whole outage", () => {
    const { network, simulation, a, b, link } = pair();
    for (let i = 0; i < 3; i++) a.output!.send(frame(1000)); // last bits leave at 1000, 2000, 3000
    simulation.at(1600, () => network.failLink(link));
    simulation.at(1900, () => network.repairLink(link));
    simulation.run();
    expect(b.arrivals.map(([time]) => time)).toEqual([1500, 2500, 3500]);
  });

  it("counts what waits for the transmitter, not what is on the wire", () => {
    const { simulation, a, b } = pair();
    a.output!.send(frame(1000));
    a.output!.send(frame(200));
    b.output!.send(frame(50));
    expect(a.output!.backlog).toEqual({ bytes: 1200, packets: 2 });
    simulation.run(999);
    expect(a.output!.backlog).toEqual({ bytes: 1200, packets: 2 });
    simulation.run(1000);
    expect(a.output!.backlog).toEqual({ bytes: 200, packets: 1 });
    simulation.run(1200);
    expect(a.output!.backlog).toEqual({ bytes: 0, packets: 0 });
    expect(b.arrivals).toEqual([]);
  });

  it("loses a frame whose last bit left before the end of an outage, and spares one that leaves with it", () => {
    const { network, simulation, a, b, link } = pair();
    a.output!.send(frame(1000)); // last bit at 1000
    a.output!.send(frame(200)); // last bit at 1200
    simulation.at(900, () => network.failLink(link));
    simulation.at(950, () => network.failLink(link));
    simulation.at(1200, () => network.repairLink(link));
    simulation.at(1210, () => network.repairLink(link));
    simulation.run();
    expect(b.arrivals.map(([, length]) => length)).toEqual([200]);
  });

  it("remembers each of several outages while a frame is on the way", () => {
    const { network, simulation, a, b, link } = pair({ delay: 10_000 });
    const sentAt = [0, 3000, 6000];
    for (const at of sentAt) simulation.at(at, () => a.output!.send(frame(1000)));
    for (const at of [500, 4500]) {
      simulation.at(at, () => network.failLink(link));
      simulation.at(at + 100, () => network.repairLink(link));
    }
    simulation.run();
    // The second is hit by the second outage; the first waited in the queue during one and was on the wire in the other.
    expect(b.arrivals.map(([time]) => time)).toEqual([17_000]);
    expect(link.aToB.stats).toMatchObject({ sent: 3, delivered: 1, vanished: 2 });
  });

  it("drops by one bound where the other is infinite", () => {
    const infinite = Number.POSITIVE_INFINITY;
    for (const bound of [{ queuePackets: 2 }, { queueBytes: 250 }]) {
      const { simulation, a, b } = pair({ queuePackets: infinite, queueBytes: infinite, ...bound });
      for (let i = 0; i < 4; i++) a.output!.send(frame(100));
      simulation.run();
      expect(b.arrivals).toHaveLength(2);
    }
    const { simulation, a, b } = pair({ queuePackets: infinite, queueBytes: infinite });
    for (let i = 0; i < 300; i++) a.output!.send(frame(100));
    simulation.run();
    expect(b.arrivals).toHaveLength(300);
  });

  it("shows taps what is sent, what arrives and what is lost, until they are taken off", () => {
    const { network, simulation, a, link } = pair({ queuePackets: 1 });
    const seen: string[] = [];
    const off = link.aToB.tap({
      sent: ({ length }) => seen.push(`sent ${length}`),
      arrived: ({ length }) => seen.push(`arrived ${length}`),
      lost: ({ length }, why) => seen.push(`lost ${length} ${why}`),
    });
    let others = 0;
    const offOther = link.aToB.tap({ arrived: () => others++ });
    a.output!.send(frame(100));
    a.output!.send(frame(50));
    simulation.run();
    network.failLink(link);
    a.output!.send(frame(30));
    simulation.run();
    network.repairLink(link);
    expect(seen).toEqual(["sent 100", "lost 50 queue", "arrived 100", "sent 30", "lost 30 fault"]);
    off();
    off();
    a.output!.send(frame(20));
    simulation.run();
    offOther();
    a.output!.send(frame(10));
    simulation.run();
    expect([seen.length, others]).toEqual([5, 2]);
  });

  it("shows taps no frame that an impairment has lost or delayed, until it arrives", () => {
    const { network, simulation, a, link } = pair();
    const seen: string[] = [];
    link.aToB.tap({
      arrived: ({ length }) => seen.push(`${simulation.now} arrived ${length}`),
      lost: ({ length }, why) => seen.push(`${simulation.now} lost ${length} ${why}`),
    });
    const random = new Random(1);
    const loss = new Impairment({ loss: 1, match: { maxBytes: 100 }, random });
    const late = new Impairment({ delay: 70, match: { minBytes: 500 }, random });
    for (const impairment of [loss, late]) network.impair(link.aToB, impairment);
    for (const length of [100, 200, 500]) a.output!.send(frame(length));
    simulation.run();
    expect(seen).toEqual(["600 lost 100 fault", "800 arrived 200", "1370 arrived 500"]);
    expect(link.aToB.stats).toMatchObject({ sent: 3, delivered: 2, bytesDelivered: 700, vanished: 1 });
    // The delay has ended, and a frame that it has delayed before arrives late all the same.
    seen.length = 0;
    a.output!.send(frame(500));
    simulation.run(simulation.now + 1000);
    link.aToB.unimpair(late);
    a.output!.send(frame(500));
    simulation.run();
    expect(seen).toEqual(["2440 arrived 500", "3370 arrived 500"]);
  });

  it("sends on at a rate that is set, and says when its last frame leaves", () => {
    const { simulation, a, b } = pair();
    a.output!.send(frame(1000));
    expect([a.output!.rate, a.output!.busyUntil]).toEqual([8e9, 1000]);
    a.output!.rate = 4e9;
    a.output!.send(frame(1000));
    expect(a.output!.busyUntil).toBe(3000);
    simulation.run();
    expect(b.arrivals.map(([time]) => time)).toEqual([1500, 3500]);
  });

  it("fails all links of a node together, and only those", () => {
    const network = new Network();
    const nodes = ["a", "b", "c"].map((name) => new Sink(name, network));
    const options = { rate: 0, delay: 10, queueBytes: 1, queuePackets: 1 };
    const connect = (i: number, j: number) =>
      network.connect(
        { node: nodes[i]!, port: j + 1 },
        { node: nodes[j]!, port: i + 1 },
        {
          aToB: options,
          bToA: options,
        },
      );
    const links = [connect(0, 1), connect(1, 2), connect(2, 0)];
    network.failNode(nodes[1]!);
    expect(links.map((link) => link.aToB.failed && link.bToA.failed)).toEqual([true, true, false]);
    network.repairNode(nodes[1]!);
    expect(links.some((link) => link.aToB.failed || link.bToA.failed)).toBe(false);
  });

  it("conserves frames: each is delivered, dropped, lost or still in flight", () => {
    const action = fc.record({
      gap: fc.integer({ min: 0, max: 3000 }),
      what: fc.constantFrom("send", "send", "send", "fail", "repair"),
      length: fc.integer({ min: 1, max: 1500 }),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
        const { network, simulation, a, b, link } = pair({ queuePackets: 5 });
        let time = 0;
        for (const { gap, what, length } of actions) {
          time += gap;
          simulation.at(time, () => {
            if (what === "send") a.output!.send(frame(length));
            else if (what === "fail") network.failLink(link);
            else network.repairLink(link);
          });
        }
        simulation.run();
        const { sent, delivered, overflowed, vanished } = link.aToB.stats;
        expect(delivered).toBe(b.arrivals.length);
        expect(delivered + overflowed + vanished).toBe(sent);
        expect(a.output!.backlog).toEqual({ bytes: 0, packets: 0 });
        const times = b.arrivals.map(([at]) => at);
        expect(times).toEqual([...times].sort((x, y) => x - y));
      }),
    );
  });
});
