/** Values of traces: 48 bits are a MAC address only in a field that is one. */
import { describe, expect, it } from "vitest";
import { valueText } from "../../../src/toolchain/trace/values.js";

const MAC = "0x080000000111";

describe("48 bits", () => {
  it.each([
    "hdr.ethernet.dst",
    "ethernet.srcAddr",
    "dst_mac",
    "mac",
    "smac",
    "arp.sha",
    "hdr.eth.d",
    "station",
  ])("of %s are a MAC address", (name) => {
    expect(valueText(name, MAC)).toBe("08:00:00:00:01:11");
  });

  it.each(["now", "meta.last_time", "standard_metadata.ingress_global_timestamp", "pause", "gap"])(
    "of %s are a number",
    (name) => {
      expect(valueText(name, "0x00000007c06a")).toBe("508010");
    },
  );
});
