/**
 * `p4loom/packets`: packets as bytes: headers, checksums, ARP, ICMP, TCP segments, and files of packets (pcap, pcapng). Runs in
 * a browser, too. Page: docs/library.md.
 */
export { fromHex, toHex } from "../base/index.js";
export * from "../base/packets/index.js";
