import { describe, expect, it } from "vitest";
import { FabricEvents, type FabricObserver } from "../../../../src/fabric/sim/packet/fabric.js";

const FLOW = { src: 1n, dst: 2n, protocol: 6, srcPort: 3, dstPort: 4 };

describe("the events of an experiment", () => {
  it("reach all observers in the order in which they came, until they leave", () => {
    const events = new FabricEvents();
    const heard: string[] = [];
    const observer = (name: string): FabricObserver => ({
      began: () => heard.push(`${name} began`),
      ended: () => heard.push(`${name} ended`),
      flowOpened: (number, flow, bytes) => heard.push(`${name} flow ${number} ${flow.srcPort} ${bytes}`),
      flowTimedOut: (number) => heard.push(`${name} timeout ${number}`),
      flowCompleted: (number) => heard.push(`${name} completed ${number}`),
      faultBegan: (fault, text, { link }) => heard.push(`${name} ${fault} ${text} ${link}`),
      faultEnded: (fault, text, { node }) => heard.push(`${name} end of ${fault} ${text} ${node}`),
      ordered: (text) => heard.push(`${name} ${text}`),
    });
    const play = () => {
      heard.length = 0;
      events.began();
      events.flowOpened(1, FLOW, 100);
      events.flowTimedOut(1);
      events.flowCompleted(1);
      events.faultBegan("f", "a link fails", { link: 7 });
      events.faultEnded("f", "it is repaired", { node: 8 });
      events.ordered("a command");
      events.ended();
      return [...heard];
    };
    const own = (name: string) => [
      `${name} began`,
      `${name} flow 1 3 100`,
      `${name} timeout 1`,
      `${name} completed 1`,
      `${name} f a link fails 7`,
      `${name} end of f it is repaired 8`,
      `${name} a command`,
      `${name} ended`,
    ];
    expect(play()).toEqual([]);
    const leave = events.observe(observer("a"));
    events.observe({});
    events.observe(observer("b"));
    expect(play()).toEqual(own("a").flatMap((line, i) => [line, own("b")[i]]));
    leave();
    expect(play()).toEqual(own("b"));
  });
});
