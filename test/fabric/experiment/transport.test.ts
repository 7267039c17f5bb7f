/** The key `transport` of experiment files: what it means, and what it refuses, each error at its place. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { transportOptions } from "../../../src/fabric/experiment/experiment.js";
import { loadExperiment } from "../../../src/fabric/experiment/index.js";

function file(transport: string): string {
  return `
name: t
topology: { kind: leaf_spine, tors: 4, leaves: 2, hosts_per_rack: 1 }
schemes: [ecmp]
failures: [tor]
runs: 1
transport: ${transport}
`;
}

function load(transport: string) {
  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(new SourceFile("t.yaml", file(transport)), diagnostics);
  return { experiment, errors: diagnostics.list.map(formatDiagnostic).join("\n") };
}

const settings = (transport: string) => {
  const { experiment, errors } = load(transport);
  expect(errors).toBe("");
  return experiment!.settings.transport;
};

describe("the key transport", () => {
  it("is a fixed window of one segment where a file of failures does not say otherwise", () => {
    expect(settings("{}")).toEqual({
      segment_bytes: 1000,
      window_segments: 1,
      rto_margin: 5e6,
      rto_cap: 1e9,
    });
  });

  it("gives TCP its defaults: CUBIC, SACK, RACK, an initial window of 10 segments", () => {
    expect(settings("{ protocol: tcp }")).toMatchObject({
      congestion_control: "cubic",
      initial_window: 10,
      sack: true,
      rack: true,
      ecn: "off",
      rto_initial: 1e9,
      delayed_ack: { segments: 2, timeout: 1e6 },
    });
  });

  it.each([
    ["{ protocol: tcp, congestion_control: dctcp }", "accurate"],
    ["{ protocol: tcp, congestion_control: dctcp, ecn: true }", "accurate"],
    ["{ protocol: tcp, ecn: true }", "classic"],
    ["{ protocol: tcp, ecn: accurate }", "accurate"],
    ["{ protocol: tcp, ecn: false }", "off"],
  ])("%s has ECN: %s", (text, ecn) => {
    expect(settings(text)).toMatchObject({ ecn });
  });

  it("becomes what a host takes, in nanoseconds and bytes", () => {
    const tcp = settings(
      "{ protocol: tcp, rto_min: 200ms, receive_buffer: 64KB, delayed_ack: { timeout: 40ms } }",
    );
    expect(transportOptions(tcp)).toMatchObject({
      protocol: "tcp",
      floor: 200e6,
      receiveBuffer: 64_000,
      delayedAck: { segments: 2, timeout: 40e6 },
      handshake: false,
    });
  });

  it("gives messages their defaults, and DCQCN no window", () => {
    expect(settings("{ protocol: messages }")).toEqual({
      protocol: "messages",
      segment_bytes: 1000,
      recovery: "selective_repeat",
      reordering_packets: 64,
      congestion_control: "fixed",
      window: 64_000,
      rto_margin: 5e6,
      rto_min: 0,
      rto_cap: 1e9,
      rto_initial: 10e6,
    });
    const dcqcn = settings(
      "{ protocol: messages, recovery: go_back_n, congestion_control: dcqcn, dcqcn: { cnp_interval: 20us } }",
    );
    expect(dcqcn).not.toHaveProperty("reordering_packets");
    expect(transportOptions(dcqcn)).toMatchObject({
      recovery: "go_back_n",
      window: Number.POSITIVE_INFINITY,
      ecn: true,
      notificationInterval: 20_000,
    });
  });

  it("gives SYNs the timeouts of data unless the file gives them others", () => {
    expect(transportOptions(settings("{ protocol: tcp }"))).not.toHaveProperty("syn");
    const options = (keys: string) => transportOptions(settings(`{ protocol: tcp, ${keys} }`));
    expect(options("syn_rto_cap: 120s")).toMatchObject({ cap: 1e9, syn: { initial: 1e9, cap: 120e9 } });
    expect(options("rto_initial: 100ms, syn_rto_initial: 1s, syn_rto_cap: 60s")).toMatchObject({
      initial: 100e6,
      syn: { initial: 1e9, cap: 60e9 },
    });
  });

  it.each([
    ["{ congestion_control: reno }", "congestion_control is a key of TCP"],
    ["{ protocol: fixed, sack: true }", "sack is a key of TCP"],
    ["{ protocol: tcp, window_segments: 4 }", "the window of TCP is that of its congestion control"],
    ["{ protocol: tcp, congestion_control: renoo }", "did you mean"],
    ["{ protocol: tcp, handshake: true }", "are open when it starts"],
    ["{ protocol: tcp, sack: false, rack: true }", "needs selective acknowledgements"],
    ["{ protocol: tcp, rack: false, reordering: true }", "tolerance of reordering needs RACK"],
    [
      "{ protocol: tcp, congestion_control: dctcp, ecn: classic }",
      "DCTCP, which needs a report of each mark",
    ],
    ["{ protocol: tcp, rto_min: 2s }", "must not be longer than rto_cap"],
    ["{ protocol: tcp, syn_rto_initial: 3s }", "must not be longer than the longest timeout of a SYN, 1s"],
    ["{ syn_rto_cap: 3s }", "syn_rto_cap is a key of TCP"],
    ["{ protocol: tcp, subflows: { count: 2 } }", "needs a handshake"],
    ["{ protocol: tcp, subflows: { count: 2, scheduler: fastest } }", "scheduler"],
    ["{ protocol: messages, sack: true }", "protocol: messages has no sack"],
    ["{ protocol: messages, congestion_control: cubic }", "cubic is a control of TCP"],
    ["{ protocol: messages, swift: {} }", "the settings of swift need congestion_control: swift"],
    ["{ protocol: messages, recovery: go_back_n, reordering_packets: 3 }", "each gap is a loss"],
    ["{ protocol: messages, window: 999 }", "less than one packet"],
    ["{ protocol: messages, congestion_control: dcqcn, dcqcn: { gain: 2 } }", "gain"],
    [
      "{ protocol: messages, congestion_control: dcqcn, dcqcn: { alpha_timer: 1ns } }",
      "expected at least 1us",
    ],
    [
      "{ protocol: messages, congestion_control: swift, swift: { flow_smallest: 200 } }",
      "flow_smallest, 200, is not below flow_largest, 100",
    ],
    ["{ protocol: messages, rto_cap: 1ms, rto_initial: 2ms }", "rto_initial"],
    ["{ protocol: tcp, congestion_control: swift }", "swift is a control of messages"],
    ["{ protocol: tcp, recovery: go_back_n }", "recovery is a key of messages"],
    ["{ window: 64KB }", "window is a key of messages"],
    ["{ protocol: tcp, initial_window: 0 }", "expected segments, a whole number from 1"],
    ["{ protocol: tcp, ecn: perhaps }", "expected true, false, off, classic or accurate"],
    ["{ protocol: tcp, delayed_ack: { segment: 2 } }", "unknown key"],
  ])("%s: %s", (text, message) => {
    const { errors } = load(text);
    expect(errors).toContain(message);
    expect(errors).toMatch(/^t\.yaml:7:\d+: error/);
  });
});

describe("queues.bytes", () => {
  const bytesOf = (text: string) => {
    const diagnostics = new Diagnostics();
    const source = new SourceFile("t.yaml", `${file("{}")}queues: { bytes: ${text} }\n`);
    const experiment = loadExperiment(source, diagnostics);
    return experiment?.settings.queues.bytes ?? diagnostics.list.map(formatDiagnostic).join("\n");
  };

  it("is a number, or a size with a unit as all other sizes", () => {
    expect([bytesOf("150000"), bytesOf("100MB"), bytesOf("64KiB")]).toEqual([150_000, 100e6, 65_536]);
  });

  it.each(["63", "2GB", "1.5", "100 apples", "-1"])("is refused at its place: %s", (text) => {
    expect(bytesOf(text)).toMatch(/^t\.yaml:8:\d+: error\[P43004\]: .*queues\.bytes.*expected/);
  });
});
