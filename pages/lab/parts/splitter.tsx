/** The line between two parts of the page; mouse and arrow keys move it. */
interface Props {
  label: string;
  /** A vertical line separates left and right, a horizontal one separates top and bottom. */
  orientation: "vertical" | "horizontal";
  /** Share of the first part, in percent. */
  value: number;
  change: (value: number) => void;
}

const LEAST = 20;
const MOST = 80;

export function Splitter({ label, orientation, value, change }: Props) {
  const limit = (share: number) => change(Math.round(Math.min(MOST, Math.max(LEAST, share)) * 10) / 10);
  const onPointerDown = (event: PointerEvent) => {
    const line = event.currentTarget as HTMLElement;
    const room = line.parentElement!.getBoundingClientRect();
    line.setPointerCapture(event.pointerId);
    const move = ({ clientX, clientY }: PointerEvent) =>
      limit(
        orientation === "vertical"
          ? ((clientX - room.left) / room.width) * 100
          : ((clientY - room.top) / room.height) * 100,
      );
    line.addEventListener("pointermove", move);
    line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", move), {
      once: true,
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> =
      orientation === "vertical" ? { ArrowLeft: -2, ArrowRight: 2 } : { ArrowUp: -2, ArrowDown: 2 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    limit(value + step);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> is a separator that cannot be moved
    <div
      role="separator"
      class={`splitter ${orientation}`}
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
