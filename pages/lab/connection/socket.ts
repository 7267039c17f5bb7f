import type { LabConnection } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { MessageConnection } from "./messages.js";

/** Connects to the lab of the server that served this page: a WebSocket with the page's token. */
export function connectSocket(lost: (reason: string) => void): Promise<LabConnection> {
  const address = new URL("socket", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.search = location.search;
  address.hash = "";
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address);
    const connection = new MessageConnection({
      send: (message) => socket.send(JSON.stringify(message)),
      close: () => socket.close(),
    });
    let open = false;
    socket.onopen = () => {
      open = true;
      resolve(connection);
    };
    socket.onmessage = ({ data }) => connection.receive(JSON.parse(data as string));
    socket.onclose = ({ reason }) => {
      const text = reason === "" ? t("lab.lost") : reason;
      connection.lose(text);
      if (open) lost(text);
      else reject(new Error(text));
    };
  });
}
