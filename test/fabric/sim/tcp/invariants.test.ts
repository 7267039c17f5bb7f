/** What holds whatever the network does: delivery once, windows, an end, and no memory of connections that are over. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import {
  FLAG_ACK,
  FLAG_SYN,
  Segment,
  type SelectorCodec,
  unwrap,
} from "../../../../src/base/packets/index.js";
import {
  type Channel,
  CONGESTION_CONTROLS,
  Host,
  Network,
  type Node,
  NS_PER_MS,
  NS_PER_S,
  type Stream,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";
import { policy, steady } from "../packet/relay.js";
import { tcp } from "./options.js";

/** Shares of the frames that are lost, doubled, or held back by up to 20 ms, so that others overtake them. */
interface Weather {
  seed: number;
  loss: number;
  doubled: number;
  late: number;
}

const share = (max: number) => fc.double({ min: 0, max, noNaN: true });
const anyWeather: fc.Arbitrary<Weather> = fc.record({
  seed: fc.integer(),
  loss: share(0.2),
  doubled: share(0.2),
  late: share(0.3),
});

const codec: SelectorCodec = {
  headersOf: (selector) => ({ dscp: selector, vlan: undefined, flowLabel: 0 }),
  selectorOf: (headers) => headers.dscp,
};

const CLIENT_PORT = 1;
const SERVER_PORT = 2;

/** Is between both hosts, and compares what the client sends with the windows that it was offered. */
class Sky implements Node {
  readonly name = "sky";
  readonly #outputs = new Map<number, Channel>();
  readonly #segment = new Segment();
  readonly #random: Random;
  /** Position after the last that the server has room for, as far as the client can know; positions count from the SYN. */
  #edge = 0;
  #clientStart = 0;
  #scale = 0;
  beyondWindow = 0;

  constructor(
    readonly network: Network,
    readonly weather: Weather,
  ) {
    this.#random = new Random(weather.seed);
  }

  attach(port: number, output: Channel): void {
    this.#outputs.set(port, output);
  }

  receive(port: number, frame: Uint8Array): void {
    expect(this.#segment.read(frame)).toBe(true);
    if (port === CLIENT_PORT) this.#check(this.#segment);
    const { loss, doubled, late } = this.weather;
    const random = this.#random;
    if (random.float() < loss) return;
    for (let copies = random.float() < doubled ? 2 : 1; copies > 0; copies--) {
      const delay = random.float() < late ? random.int(20 * NS_PER_MS) : 0;
      const { simulation } = this.network;
      simulation.at(simulation.now + NS_PER_MS + delay, () => this.#deliver(port, frame.slice()));
    }
  }

  #check(segment: Segment): void {
    if ((segment.flags & FLAG_SYN) !== 0) {
      this.#clientStart = segment.sequence;
      return;
    }
    const start = unwrap(segment.sequence - this.#clientStart, this.#edge);
    // A probe of a closed window is one byte (RFC 9293, section 3.8.6.1).
    if (segment.payloadLength > 1 && start + segment.payloadLength > this.#edge) this.beyondWindow++;
  }

  #deliver(port: number, frame: Uint8Array): void {
    if (port === SERVER_PORT) {
      const segment = new Segment();
      segment.read(frame);
      if ((segment.flags & FLAG_SYN) !== 0) this.#scale = Math.max(0, segment.windowScale);
      if ((segment.flags & FLAG_ACK) !== 0) {
        const ack = unwrap(segment.acknowledgement - this.#clientStart, this.#edge);
        const scale = (segment.flags & FLAG_SYN) === 0 ? this.#scale : 0;
        this.#edge = Math.max(this.#edge, ack + segment.window * 2 ** scale);
      }
    }
    frame[5] = port === CLIENT_PORT ? SERVER_PORT : CLIENT_PORT;
    this.#outputs.get(port === CLIENT_PORT ? SERVER_PORT : CLIENT_PORT)!.send(frame);
  }
}

function pair(weather: Weather) {
  const network = new Network();
  const sky = new Sky(network, weather);
  const wire = { rate: 1e9, delay: 1000, queueBytes: 1e9, queuePackets: 1e9 };
  const [client, server] = [CLIENT_PORT, SERVER_PORT].map((port) => {
    const host = new Host(network.simulation, {
      name: `h${port}`,
      mac: BigInt(port),
      ipv4: 0x0a000000n + BigInt(port),
      ipv6: BigInt(port),
      policy: policy(steady),
      codec,
    });
    network.connect({ node: host, port: 1 }, { node: sky, port }, { aToB: wire, bToA: wire });
    return host;
  });
  return { network, sky, client: client!, server: server! };
}

/** Both ends send; what they received, how they closed, and whether the sender ever had more in flight than its window. */
function exchange(weather: Weather, bytes: number, back: number, options: Partial<TcpOptions>) {
  const { network, sky, client, server } = pair(weather);
  const { simulation } = network;
  const received = [0, 0];
  const closed: string[] = [];
  const watch = (side: number, connection: Stream) => {
    connection.listener = {
      received: (total) => {
        expect(total).toBeGreaterThan(received[side]!);
        received[side] = total;
      },
      closed: (reason) => closed.push(reason),
    };
  };
  server.listen(
    80,
    tcp(options),
    (connection) => {
      watch(1, connection);
      connection.send(back);
    },
    new Random(3),
  );
  const connection = client.connect(
    4,
    4000,
    { address: server.address(4), port: 80 },
    new Random(4),
    tcp(options),
  );
  watch(0, connection);
  connection.send(bytes);
  connection.finish();
  let excess = 0;
  network.observer = (channel) => {
    if (channel.source !== client || connection.counters.retransmissions > 0) return;
    const { window } = connection.congestionControl;
    if (connection.bytesInFlight > Math.max(window, 100) && window > 0) excess++;
  };
  simulation.run(10_000 * NS_PER_S);
  return { network, sky, client, server, received, closed, excess, connection };
}

describe("whatever is lost, doubled and overtaken", () => {
  it.each([
    ["Reno", {}],
    ["CUBIC, tolerant of reordering", { congestionControl: CONGESTION_CONTROLS.cubic, reordering: true }],
    ["DCTCP", { congestionControl: CONGESTION_CONTROLS.dctcp, ecn: "accurate" as const }],
    ["BBR, paced", { congestionControl: CONGESTION_CONTROLS.bbr }],
    ["SACK without RACK", { rack: false }],
    ["NewReno", { sack: false, rack: false }],
    ["a small receive buffer", { receiveBuffer: 950 }],
  ])(
    "%s: all bytes arrive once and in order, no window is exceeded, both ends are gone",
    (_name, options) => {
      fc.assert(
        fc.property(anyWeather, fc.nat(20_000), fc.nat(5_000), (weather, bytes, back) => {
          const { sky, client, server, received, network } = exchange(weather, bytes + 1, back, options);
          expect(received).toEqual([back, bytes + 1]);
          expect(sky.beyondWindow).toBe(0);
          expect([client.connectionCount, server.connectionCount]).toEqual([0, 0]);
          expect(network.simulation.pending).toBe(0);
        }),
        { numRuns: 40 },
      );
    },
  );

  it("the flight is never above the congestion window while nothing was sent again (RFC 5681, section 3.1)", () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(50_000), (seed, bytes) => {
        const calm = { seed, loss: 0, doubled: 0, late: 0 };
        const { excess, connection } = exchange(calm, bytes + 1, 0, {});
        expect(excess).toBe(0);
        expect(connection.counters).toMatchObject({ retransmissions: 0, timeouts: 0 });
      }),
      { numRuns: 40 },
    );
  });

  it("both ends close as they should in calm weather", () => {
    const { closed } = exchange({ seed: 1, loss: 0, doubled: 0, late: 0 }, 1000, 1000, {});
    expect(closed).toEqual(["finished", "finished"]);
  });
});

describe("flows one after the other", () => {
  it("leave neither connections nor timers behind: 20,000 of them", () => {
    const { network, client, server } = pair({ seed: 1, loss: 0, doubled: 0, late: 0 });
    const { simulation } = network;
    let done = 0;
    let most = 0;
    server.listen(
      80,
      tcp({}),
      (connection) => {
        connection.listener.received = () => done++;
      },
      new Random(5),
    );
    for (let i = 0; i < 20_000; i++) {
      simulation.at(i * 100_000, () => {
        const port = 1024 + (i % 60_000);
        const flow = client.connect(
          4,
          port,
          { address: server.address(4), port: 80 },
          new Random(i),
          tcp({}),
        );
        flow.send(100);
        flow.finish();
        most = Math.max(most, client.connectionCount);
      });
    }
    simulation.run();
    expect(done).toBe(20_000);
    expect([client.connectionCount, server.connectionCount, simulation.pending]).toEqual([0, 0, 0]);
    // 12 ms of handshake, data and TIME-WAIT at 10 connections a millisecond.
    expect(most).toBeLessThan(200);
  });
});
