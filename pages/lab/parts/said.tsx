import { useEffect, useState } from "preact/hooks";
import { useLab, useLabState } from "./context.js";

/** A message stays so long, in ms; errors stay until they are closed. */
const STAYS_MS = 6000;

/** What the page has to say: shown for a while, and read out. */
export function Said() {
  const lab = useLab();
  const said = useLabState((state) => state.said);
  const [gone, setGone] = useState(0);
  useEffect(() => {
    if (said === undefined || said.bad) return;
    const timer = setTimeout(() => setGone(said.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [said?.id]);
  const shown = said !== undefined && said.id !== gone;
  return (
    <div class="said-place">
      <div role={said?.bad ? "alert" : "status"}>
        {shown ? (
          <div class={`said ${said.bad ? "bad" : ""}`}>
            <span>{said.text}</span>
            <button
              type="button"
              class="plain"
              aria-label="Close this message"
              onClick={() => lab.store.set({ said: undefined })}
            >
              ✕
            </button>
          </div>
        ) : null}
      </div>
    </div>
  );
}
