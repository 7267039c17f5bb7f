/** A page that is connected to a lab, whether the lab is in this process or in another one. */
import { answerCall, type LabEvent, type LabService } from "../lab/index.js";

/** Where messages for a page go, each a text of JSON. */
export interface PageSink {
  /** `frame`: a slow page may lose it. `reply`: it answers one call of this page. */
  send(text: string, kind: { readonly reply: boolean; readonly frame: boolean }): void;
  close(code: number, reason: string): void;
}

/** Where the messages of a page go. */
export interface PageSource {
  receive(text: string): void;
  /** The page has gone. */
  leave(): void;
}

/** What a token opens: a lab, or the page that shows all students of a room. */
export type Place =
  | { readonly kind: "lab"; readonly maxPages: number; join(page: PageSink): PageSource }
  | { readonly kind: "overview"; status(): unknown };

/** The lab of a service of this process. */
export const placeOf = (service: LabService, maxPages: number): Place => ({
  kind: "lab",
  maxPages,
  join(page) {
    const leave = service.subscribe((event: LabEvent) =>
      page.send(JSON.stringify({ event }), { reply: false, frame: event.kind === "frame" }),
    );
    return {
      receive: (text) =>
        void answerCall(service, parsed(text)).then((message) =>
          page.send(JSON.stringify(message), { reply: true, frame: false }),
        ),
      leave,
    };
  },
});

/** Parses JSON; a text that is not JSON is treated as any other value that is not a call. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
