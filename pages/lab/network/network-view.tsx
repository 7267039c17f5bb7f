/** The network: links, packets and drops on a canvas; nodes and links as buttons above it, for keyboards and screen readers. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LabView, LinkView, NodeView } from "../../../src/course/lab/index.js";
import { t } from "../language/texts.js";
import { useLab, useLabState } from "../parts/context.js";
import { theme } from "../parts/theme.js";
import { timeText } from "../parts/words.js";
import { type Colours, draw, readColours } from "./draw.js";
import { endsOf } from "./ends.js";
import { neighbour } from "./neighbour.js";
import { Layout, middle, type Point, packetAt, type SceneNode, type ScenePacket } from "./scene.js";

/** Maximum number of packets that have labels. */
const LABELLED = 8;

export function NetworkView({ lab: view }: { lab: LabView }) {
  const lab = useLab();
  const room = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(room);
  const choice = useLabState((state) => state.choice);
  const story = useLabState((state) => state.story);
  const [focused, setFocused] = useState<string>();
  const shown = useRef<readonly ScenePacket[]>([]);
  const layout = useMemo(
    () => new Layout(view.nodes as readonly SceneNode[], lab.live.links(), size.x, size.y),
    [view.nodes, view.links, size.x, size.y],
  );
  const way = useMemo(
    () => new Set((story?.hops ?? []).flatMap((hop) => (hop.kind === "link" ? [hop.link] : []))),
    [story],
  );

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || context === null || context === undefined || size.x === 0) return;
    const scale = devicePixelRatio || 1;
    element.width = Math.round(size.x * scale);
    element.height = Math.round(size.y * scale);
    let colours: Colours = readColours(element);
    // After the new theme was applied to the page.
    const unwatch = theme.watch(() => queueMicrotask(() => (colours = readColours(element))));
    let request = 0;
    const paint = (wall: number) => {
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, size.x, size.y);
      const packets = lab.live.motions.picture(wall);
      shown.current = packets;
      draw(
        context,
        layout,
        {
          ...{ links: lab.live.links(), packets, drops: lab.live.drops(wall), way },
          chosenLink: choice?.kind === "link" ? choice.id : undefined,
          chosenPacket: story?.id,
          labels: packets.length <= LABELLED,
        },
        colours,
      );
      request = requestAnimationFrame(paint);
    };
    request = requestAnimationFrame(paint);
    return () => {
      cancelAnimationFrame(request);
      unwatch();
    };
  }, [layout, size.x, size.y, way, choice, story?.id]);

  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = canvas.current!.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const onClick = (event: MouseEvent) => {
    const packet = packetAt(layout, shown.current, pointOf(event));
    if (packet !== undefined) void lab.showStory(packet.id);
    else lab.choose(undefined);
  };
  const onMove = (event: MouseEvent) => {
    const packet = packetAt(layout, shown.current, pointOf(event));
    canvas.current!.style.cursor = packet === undefined ? "default" : "pointer";
    canvas.current!.title = packet?.label ?? "";
  };
  const elements = [
    ...view.nodes.map(({ name }) => nodeKey(name)),
    ...view.links.map(({ id }) => linkKey(id)),
  ];
  const current = focused !== undefined && elements.includes(focused) ? focused : elements[0];
  const places = new Map<string, Point>([
    ...view.nodes.map(({ name }) => [nodeKey(name), layout.places.get(name)!] as const),
    ...view.links.map(({ id }) => [linkKey(id), middle(layout.segments.get(id)!)] as const),
  ]);
  const onKeyDown = (event: KeyboardEvent) => {
    const key = (event.target as HTMLElement).dataset["element"];
    if (key === undefined) return;
    const next = neighbour(places, key, event.key);
    if (next !== undefined) {
      event.preventDefault();
      room.current?.querySelector<HTMLElement>(`[data-element="${CSS.escape(next)}"]`)?.focus();
    } else if (event.key === "b" || event.key === "B") {
      event.preventDefault();
      const link = view.links.find(({ id }) => linkKey(id) === key);
      const node = view.nodes.find(({ name }) => nodeKey(name) === key);
      if (link !== undefined) void lab.setLink(link.id, !link.up);
      else if (node?.kind === "switch") void lab.setSwitch(node.name, !node.up);
    }
  };
  const seat = (key: string) => {
    const { x, y } = places.get(key)!;
    return { left: `${x}px`, top: `${y}px` };
  };
  const common = (key: string) => ({
    "data-element": key,
    style: seat(key),
    tabIndex: key === current ? 0 : -1,
    onFocus: () => setFocused(key),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a <fieldset> is for fields
    <div class="network" ref={room} role="group" aria-label={t("network.keys")} onKeyDown={onKeyDown}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={t("network.canvas")}
        onClick={onClick}
        onMouseMove={onMove}
      />
      {size.x === 0
        ? null
        : view.links.map((link) => (
            <button
              key={linkKey(link.id)}
              type="button"
              class={`link-knob${link.up ? "" : " down"}`}
              aria-pressed={choice?.kind === "link" && choice.id === link.id}
              aria-label={t("element.link", { ...endsOf(link), state: stateText(link.up) })}
              title={linkTitle(link)}
              onClick={() => lab.choose({ kind: "link", id: link.id })}
              onDblClick={() => void lab.setLink(link.id, !link.up)}
              {...common(linkKey(link.id))}
            >
              {link.up ? "" : "✕"}
            </button>
          ))}
      {size.x === 0
        ? null
        : view.nodes.map((node) => (
            <button
              key={nodeKey(node.name)}
              type="button"
              class={`node ${node.kind}${node.up ? "" : " down"}`}
              aria-pressed={choice?.kind === "node" && choice.name === node.name}
              aria-label={nodeLabel(node)}
              title={nodeTitle(node)}
              onClick={() => lab.choose({ kind: "node", name: node.name })}
              onDblClick={() => node.kind === "switch" && void lab.setSwitch(node.name, !node.up)}
              {...common(nodeKey(node.name))}
              style={{ ...seat(nodeKey(node.name)), "--size": `${2 * layout.radius}px` }}
            >
              <span>{node.name}</span>
            </button>
          ))}
      {size.x === 0 || layout.radius < 13
        ? null
        : view.nodes
            .filter(({ ipv4 }) => ipv4 !== undefined)
            .map((node) => (
              <span
                key={node.name}
                class="address"
                aria-hidden="true"
                style={{ ...seat(nodeKey(node.name)), "--down": `${layout.radius + 4}px` }}
              >
                {node.ipv4!.replace(/\/\d+$/, "")}
              </span>
            ))}
    </div>
  );
}

const nodeKey = (name: string): string => `node ${name}`;
const linkKey = (id: number): string => `link ${id}`;

const stateText = (up: boolean): string => t(up ? "element.up" : "element.broken");

const doubleText = (up: boolean): string => t(up ? "network.double.break" : "network.double.repair");

const linkTitle = ({ a, b, delayNs, up }: LinkView): string =>
  `${a.node}:${a.port} – ${b.node}:${b.port}, ${timeText(delayNs)}${up ? "" : `, ${stateText(up)}`}\n${doubleText(up)}`;

function nodeLabel({ name, kind, up, program }: NodeView): string {
  const empty = up && kind === "switch" && program === undefined;
  return t(`element.node.${kind}`, { name, state: empty ? t("element.noProgram") : stateText(up) });
}

const nodeTitle = ({ kind, name, ipv4, mac, program, up }: NodeView): string =>
  kind === "host"
    ? [name, ipv4, mac].filter(Boolean).join("\n")
    : `${name}: ${program ?? t("element.noProgram")}\n${doubleText(up)}`;

/** The size of an element, updated when it changes. */
function useSize(element: { current: HTMLElement | null }): Point {
  const [size, setSize] = useState<Point>({ x: 0, y: 0 });
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize({ x: width, y: height });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return size;
}
