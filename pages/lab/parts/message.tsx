import { useEffect, useState } from "preact/hooks";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "./context.js";

/** Time for which a message is shown, in ms; errors are shown until they are closed. */
const STAYS_MS = 6000;

/** The latest message of the page: shown for a while, and read out by screen readers. */
export function Message() {
  const lab = useLab();
  const message = useLabState((state) => state.message);
  const [closed, setClosed] = useState(0);
  useEffect(() => {
    if (message === undefined || message.bad) return;
    const timer = setTimeout(() => setClosed(message.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [message?.id]);
  const shown = message !== undefined && message.id !== closed;
  return (
    <div class="message-place">
      <div role={message?.bad ? "alert" : "status"}>
        {shown ? (
          <div class={`message ${message.bad ? "bad" : ""}`}>
            <span>{message.text}</span>
            <button
              type="button"
              class="plain"
              aria-label={t("page.closeMessage")}
              onClick={() => lab.store.set({ message: undefined })}
            >
              ✕
            </button>
          </div>
        ) : null}
      </div>
    </div>
  );
}
