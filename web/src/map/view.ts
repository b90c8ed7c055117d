/** The map: a dot for each target, near others with like scores. */

import { select } from "d3-selection";
import { uncertain } from "../colour";
import { announce, calm, s, textWidth } from "../dom";
import { type Box, place } from "../labels";
import type { Zoom } from "../state";
import { type Frame, frame, neighbour, WAYS } from "./frame";
import { plane } from "./plane";

export interface Dot {
  target: string;
  x: number;
  y: number;
  typed: boolean;
  value: number;
  low: number;
  high: number;
}

export interface MapContent {
  dots: readonly Dot[];
  colour: (value: number) => string;
  selected: string;
  hovered: string | null;
  zoom: Zoom | null;
  gradient: boolean;
  attribute: string;
  label: string;
}

export interface MapEvents {
  select(target: string): void;
  hover(target: string | null): void;
  zoom(zoom: Zoom | null): void;
}

const FONT = "12px system-ui, sans-serif";
const RADIUS = 6;

export class MapView {
  readonly svg = s("svg", { class: "map", role: "application", tabindex: 0 });
  private readonly layers = {
    ground: s("g", { class: "ground" }), dots: s("g", { class: "dots" }), labels: s("g", { class: "labels" }), brush: s("g"),
  };
  private readonly gradient = s("linearGradient", { id: "map-gradient", gradientUnits: "userSpaceOnUse" });
  private content: MapContent | null = null;
  private size = { width: 0, height: 0 };
  private frame: Frame = frame([], 1, 1, null);
  private cursor = "";

  constructor(private readonly events: MapEvents) {
    this.svg.append(s("defs", {}, this.gradient), ...Object.values(this.layers));
    new ResizeObserver(() => this.draw(false)).observe(this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.press(event));
    this.svg.addEventListener("pointermove", (event) => this.events.hover(this.near(event)));
    this.svg.addEventListener("pointerleave", () => this.events.hover(null));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("blur", () => this.events.hover(null));
  }

  show(content: MapContent): void {
    const moved = this.content?.dots !== content.dots || JSON.stringify(this.content?.zoom) !== JSON.stringify(content.zoom);
    this.content = content;
    this.svg.setAttribute("aria-label", content.label);
    this.draw(moved);
  }

  /** Only another dot is under the pointer. */
  hover(target: string | null): void {
    if (!this.content || this.content.hovered === target) return;
    this.content = { ...this.content, hovered: target };
    this.drawLabels();
  }

  private visible(): { dot: Dot; x: number; y: number }[] {
    const { width, height } = this.size;
    return (this.content?.dots ?? []).map((dot) => ({ dot, x: this.frame.x(dot.x), y: this.frame.y(dot.y) }))
      .filter(({ x, y }) => x >= 0 && y >= 0 && x <= width && y <= height);
  }

  private draw(moved: boolean): void {
    const content = this.content;
    const { width, height } = this.svg.getBoundingClientRect();
    if (!content || !width || !height) return;
    this.size = { width, height };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.frame = frame(content.dots, width, height, content.zoom);
    this.svg.classList.toggle("moving", moved && !calm());
    const { x, y } = this.frame;
    select(this.layers.dots).selectAll<SVGCircleElement, Dot>("circle").data([...content.dots], (d) => d.target)
      .join("circle")
      .attr("class", (d) => [d.target === content.selected && "selected", d.typed && "typed"].filter(Boolean).join(" "))
      .attr("r", (d) => (Number.isFinite(d.value) && uncertain(d.low, d.high) ? RADIUS * 0.55 : RADIUS))
      .attr("fill", (d) => (Number.isFinite(d.value) ? content.colour(d.value) : "none"))
      .style("transform", (d) => `translate(${x(d.x)}px, ${y(d.y)}px)`)
      .attr("data-target", (d) => d.target);
    this.drawGround();
    this.drawLabels();
  }

  private obstacles: Box[] = [];

  private drawGround(): void {
    this.obstacles = [];
    const { dots, gradient, colour, attribute } = this.content!;
    const found = gradient ? plane(dots.map((d) => ({ x: d.x, y: d.y, v: d.value }))) : null;
    if (!found) {
      this.layers.ground.replaceChildren();
      return;
    }
    const { width, height } = this.size;
    const [dx, dy] = [found.direction[0], -found.direction[1]];
    const half = (Math.abs(dx) * width + Math.abs(dy) * height) / 2;
    const values = dots.map((d) => d.value).filter(Number.isFinite);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const ends = { x1: width / 2 - dx * half, y1: height / 2 - dy * half, x2: width / 2 + dx * half, y2: height / 2 + dy * half };
    for (const [name, value] of Object.entries(ends)) this.gradient.setAttribute(name, String(value));
    this.gradient.replaceChildren(...Array.from({ length: 9 }, (_, i) =>
      s("stop", { offset: i / 8, "stop-color": colour(least + ((most - least) * i) / 8) })));
    const far = Math.min(width, height) * 0.38;
    const at = (t: number): [number, number] => [width / 2 + dx * far * t, height / 2 + dy * far * t];
    const [tx, ty] = at(1);
    const [fx, fy] = at(-1);
    const text = `more “${attribute}”`;
    const room = textWidth(text, FONT) / 2 + 6, wy = ty + (dy > 0 ? 18 : -10);
    this.obstacles = [{ left: tx - room, right: tx + room, top: wy - 14, bottom: wy + 4 }];
    const turn = (Math.atan2(dy, dx) * 180) / Math.PI;
    this.layers.ground.replaceChildren(
      s("rect", { class: "wash", width, height, fill: "url(#map-gradient)" }),
      s("line", { class: "way", x1: fx, y1: fy, x2: tx, y2: ty }),
      s("path", { class: "tip-of-way", d: "M0 0 L-11 -5 L-11 5 Z", transform: `translate(${tx} ${ty}) rotate(${turn})` }),
      s("text", { class: "waylabel", x: tx, y: wy, "text-anchor": "middle" }, text),
    );
  }

  private drawLabels(): void {
    const { selected, hovered } = this.content!;
    const seen = this.visible();
    const strong = Math.max(0.01, ...seen.map(({ dot }) => Math.abs(dot.value) || 0));
    const placed = place(seen.map(({ dot, x, y }) => ({
      x, y, width: textWidth(dot.target, dot.target === selected || dot.target === hovered ? `bold ${FONT}` : FONT) + 2, height: 15,
      priority: dot.target === hovered || dot.target === selected || dot.target === this.cursor ? Infinity
        : (dot.typed ? 2 : 0) + (Math.abs(dot.value) || 0) / strong,
    })), this.size, RADIUS, this.obstacles);
    const named = placed.map((p) => ({ ...p, target: seen[p.index].dot.target }));
    select(this.layers.labels).selectAll<SVGTextElement, (typeof named)[number]>("text").data(named, (p) => p.target)
      .join("text")
      .attr("x", (p) => p.x + 1).attr("y", (p) => p.y + 11.5)
      .attr("class", (p) => (p.target === selected ? "selected" : p.target === hovered ? "hovered" : ""))
      .text((p) => p.target);
    for (const circle of this.layers.dots.children) {
      circle.classList.toggle("hovered", circle.getAttribute("data-target") === hovered);
    }
  }

  private at(event: PointerEvent): [number, number] {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private near(event: PointerEvent): string | null {
    const [px, py] = this.at(event);
    let best: string | null = null, least = 16; // pixels within which a dot is meant
    for (const { dot, x, y } of this.visible()) {
      const away = Math.hypot(x - px, y - py);
      if (away < least) [best, least] = [dot.target, away];
    }
    return best;
  }

  /** A press that moves is a brush; one that does not is a click. */
  private press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x0, y0] = this.at(event);
    const box = s("rect", { class: "brush" });
    let brushed = false;
    const bounds = (e: PointerEvent): [number, number, number, number] => {
      const [x, y] = this.at(e);
      return [Math.min(x0, x), Math.min(y0, y), Math.max(x0, x), Math.max(y0, y)];
    };
    const move = (e: PointerEvent): void => {
      const [left, top, right, bottom] = bounds(e);
      brushed ||= right - left > 8 || bottom - top > 8;
      if (!brushed || e.pointerType === "touch") return;
      if (!box.parentNode) this.layers.brush.append(box);
      for (const [name, value] of [["x", left], ["y", top], ["width", right - left], ["height", bottom - top]] as const) box.setAttribute(name, String(value));
    };
    const end = (e: PointerEvent): void => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      box.remove();
      if (e.type !== "pointerup") return;
      const [left, top, right, bottom] = bounds(e);
      if (!brushed) {
        const target = this.near(e);
        if (target) this.events.select(target);
      } else if (e.pointerType !== "touch" && right - left > 8 && bottom - top > 8) {
        const { backX, backY } = this.frame;
        this.events.zoom([backX(left), backY(bottom), backX(right), backY(top)]);
      }
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  private key(event: KeyboardEvent): void {
    const seen = this.visible();
    const here = seen.find(({ dot }) => dot.target === (this.cursor || this.content?.selected)) ?? seen[0];
    if (!here) return;
    if (event.key in WAYS) {
      event.preventDefault();
      const next = (this.cursor || this.content?.selected ? neighbour(here, seen, ...WAYS[event.key]) : here) ?? here;
      this.cursor = next.dot.target;
      this.events.hover(this.cursor);
      announce(this.cursor);
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      event.preventDefault();
      this.events.select(this.cursor);
    }
  }

  /** Let a dot pulse, so that the eye finds it. */
  find(target: string): void {
    const found = [...this.layers.dots.children].find((c) => c.getAttribute("data-target") === target);
    found?.classList.add("pulse");
    setTimeout(() => found?.classList.remove("pulse"), 1600);
  }
}
