/** The channel between the controllers and the policy of a host: delay, time of transmission, copies, and listeners. */
import { describe, expect, it } from "vitest";
import { type Json, Random } from "../../../../src/base/index.js";
import type { HostPolicy } from "../../../../src/fabric/hosts/index.js";
import { HostChannel, MESSAGE_BYTES, Simulation, settle } from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy, steady } from "./relay.js";

const DELAY = 1000;
/** One byte takes a nanosecond. */
const RATE = 8e9;

function channelTo(own: Partial<HostPolicy>, rate?: number) {
  const { a } = pairOfHosts([{ ...policy(steady), ...own }, policy(steady)]);
  const simulation = new Simulation({ turn: () => new Promise<void>((resolve) => setImmediate(resolve)) });
  return { simulation, channel: new HostChannel(simulation, a, { delay: DELAY, rate }) };
}

const bytesOf = (message: Json) => MESSAGE_BYTES + JSON.stringify(message).length;

describe("a question to the policy of a host", () => {
  it.each([
    ["without a rate", undefined, () => 0],
    ["at a rate", RATE, bytesOf],
  ])("takes a delay each way and, %s, the time of the bytes of both messages", async (_, rate, time) => {
    const answer: Json = { answer: [1, 2, 3] };
    const heard: [number, Json][] = [];
    const { simulation, channel } = channelTo(
      {
        onMessage: (message) => {
          heard.push([simulation.now, message]);
          return answer;
        },
      },
      rate,
    );
    const question: Json = { question: "which path?" };
    expect(await settle(simulation, channel.ask(question))).toEqual(answer);
    const there = DELAY + time(question);
    expect(heard).toEqual([[there, question]]);
    expect(simulation.now).toBe(there + DELAY + time(answer));
  });

  it("carries copies: neither side sees what the other changes later", async () => {
    const kept: { list: number[] }[] = [];
    const answer = { list: [1] };
    const { simulation, channel } = channelTo({
      onMessage: (message) => {
        kept.push(message as { list: number[] });
        return answer;
      },
    });
    const question = { list: [7] };
    const said = channel.ask(question).then((own) => own as { list: number[] });
    const result = await settle(simulation, said);
    answer.list.push(2);
    question.list.push(8);
    expect([result.list, kept[0]!.list]).toEqual([[1], [7]]);
  });

  it("is refused a round trip later where the policy takes no messages", async () => {
    const { simulation, channel } = channelTo({}, RATE);
    await expect(settle(simulation, channel.ask({}))).rejects.toMatchObject({
      code: "UNIMPLEMENTED",
      message: "the policy of host h0 takes no messages",
    });
    expect(simulation.now).toBe(2 * DELAY + bytesOf({}) + MESSAGE_BYTES);
  });
});

describe("a message of the policy", () => {
  it("comes to all controllers that listen when it arrives, as it was when it was sent", async () => {
    const { simulation, channel } = channelTo({}, RATE);
    const heard: [string, number, Json][] = [];
    const listen = (name: string) => channel.watch((message) => heard.push([name, simulation.now, message]));
    const stop = listen("first");
    const message = { path: [1] };
    const [early, late] = [bytesOf({ path: [1] }), bytesOf({ path: [1, 2] })];
    channel.tell(message);
    message.path.push(2);
    listen("second");
    simulation.at(5000, () => {
      channel.tell(message);
      stop();
    });
    await simulation.runAsync(10_000);
    expect(heard).toEqual([
      ["first", DELAY + early, { path: [1] }],
      ["second", DELAY + early, { path: [1] }],
      ["second", 5000 + DELAY + late, { path: [1, 2] }],
    ]);
  });
});

describe("a fault of the channel", () => {
  it("delays both directions until it ends", async () => {
    const { simulation, channel } = channelTo({ onMessage: () => 1 });
    const fault = { loss: 0, delay: 70, random: new Random(1) };
    const times: number[] = [];
    channel.watch(() => times.push(simulation.now));
    const ask = () => void channel.ask(0).then(() => times.push(simulation.now));
    channel.beginFault(fault);
    channel.tell("late");
    ask();
    simulation.at(1500, () => channel.endFault(fault));
    simulation.at(5000, () => {
      channel.tell("in time");
      ask();
    });
    await simulation.runAsync(20_000);
    // The answer leaves at 1070, while the fault lasts.
    expect(times).toEqual([DELAY + 70, 2 * (DELAY + 70), 5000 + DELAY, 5000 + 2 * DELAY]);
  });
});
