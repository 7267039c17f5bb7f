/** What hosts send: flows, their sizes (published distributions in `data/cdf`), their starts, their pairs; and pcap files. */
export * from "./arrivals.js";
export * from "./cdf.js";
export * from "./flow.js";
export * from "./pcap.js";
export * from "./traffic-file.js";
