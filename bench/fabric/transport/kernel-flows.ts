/**
 * TCP flows of the kernel, with their times: the program that runs in the hosts of a testbed. Times are those of the machine's
 * monotonic clock, in nanoseconds, which all namespaces share.
 *
 *   kernel-flows.ts receive PORT    prints a line for each flow that has ended: {"port": client's port, "at": time of the last byte}
 *   kernel-flows.ts send ADDRESS PORT    reads one line of flows, [{"at": nanoseconds from now, "port", "bytes"}], and prints when
 *                                        each was begun: {"port", "at"}
 */
import { connect, createServer } from "node:net";
import { createInterface } from "node:readline";

const now = (): number => Number(process.hrtime.bigint());
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

function receive(port: number): void {
  const server = createServer((socket) => {
    let at = 0;
    socket.on("data", () => {
      at = now();
    });
    socket.on("end", () => say({ port: socket.remotePort, at }));
    socket.on("error", () => {});
  });
  server.listen(port, () => say({ listening: port }));
}

function send(address: string, port: number): void {
  createInterface({ input: process.stdin }).once("line", (line) => {
    const flows = JSON.parse(line) as { at: number; port: number; bytes: number }[];
    const begin = now();
    for (const flow of flows) {
      setTimeout(
        () => {
          const at = now();
          const socket = connect({ host: address, port, localPort: flow.port });
          socket.on("error", (error) => say({ port: flow.port, error: error.message }));
          socket.on("connect", () => socket.end(Buffer.alloc(flow.bytes)));
          say({ port: flow.port, at });
        },
        Math.max(0, (begin + flow.at - now()) / 1e6),
      );
    }
  });
}

const [verb, ...words] = process.argv.slice(2);
if (verb === "receive") receive(Number(words[0]));
else send(words[0]!, Number(words[1]));
